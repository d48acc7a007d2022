import { bytesFromBase64url } from '../../../../protocol/tools/base64url.ts'
import { normalized } from '../../../../protocol/tools/normalized.ts'
import { type TextFlag, visibleParts } from '../../../../protocol/tools/visible_text.ts'
import type { Note } from '../../explanation.ts'
import { note, noteOf, number, wholeTextCharactersMax } from '../../shown_values.ts'
import { isRequestLine } from './request_lines.ts'
import { mayBeTransaction } from './transaction_words.ts'
import { hasUnlikelyBytes } from './unlikely_bytes.ts'

export const digestBytes = 32

/**
 * Notes on a text that may be more than a person reads in it. A text that only writes bytes down says nothing: some
 * verifiers take it in the place of the bytes. Nor does one with 32 bytes that nobody writes: chains put a hash behind
 * bytes of their own, and a hash that reads as a text can be found.
 *
 * Reads the beginning of the text, as far as a text may be shown. A longer one is never shown to its end, which the title
 * says (`cutText`).
 */
export function textNotes(given: string): readonly Note[] {
  const text = given.slice(0, wholeTextCharactersMax)
  const plain = normalized(text, 'NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  if (plain.length > plainCharactersMax) return [note('unknownMeaning'), ...hiddenNotes(text)]
  if (isRequestLine(plain)) return [note('mayBeTransaction'), ...hiddenNotes(text)]
  if (isHashInHex(plain) || isHashInToken(plain)) return [note('mayBeHash')]
  const isBytes =
    digitsIn(plain).length > addressDigits || tokenIn(plain).length > hashCharacters.most || isToken(plain)
  if (isBytes || !visible.test(plain)) return [note('unknownMeaning')]
  return [...meaningNotes(plain, text), ...hiddenNotes(text)]
}

function meaningNotes(plain: string, text: string): readonly Note[] {
  if (mayBeTransaction(plain) || givesRights.test(plain)) return [note('mayBeTransaction')]
  return hasUnlikelyBytes(text) ? [note('unknownMeaning')] : []
}

/** The rights that a login gives to the page stand behind it as JSON in Base64url (ERC-5573). */
const givesRights = /\burn:recap:/i

/** Some characters become up to 18 in NFKC. No language makes its texts twice as long by them. */
const plainCharactersMax = 2 * wholeTextCharactersMax

const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

/** Warns of characters that nobody sees or that change the order of others, and of marks that would cover the text. */
function hiddenNotes(text: string): readonly Note[] {
  const shown = visibleParts(text)
  const count = shown.filter((part) => part.kind === 'hidden' && unseen.has(part.flag) && !blank.test(part.text)).length
  return count === 0 ? [] : [noteOf('hiddenCharacters', number(count))]
}

const unseen: ReadonlySet<TextFlag> = new Set<TextFlag>(['direction', 'invisible', 'leftOut'])
/** Blanks of other widths are usual in some languages. */
const blank = /^[\p{Zs}\u2800]$/u

/** Nonces of logins are shorter than what has more digits than an address. */
const addressDigits = 40
/** Some libraries leave out the zeros at the beginning of a hash. */
const hashDigitsMin = 57

function isHashInHex(text: string): boolean {
  const { length } = digitsIn(text)
  return length >= hashDigitsMin && length <= 2 * digestBytes
}

/** The digits of a text of hex alone, with whatever stands between them: blanks, quotes, commas, `0x` before each byte. */
function digitsIn(text: string): string {
  const digits = text.replace(/[^\p{L}\p{N}]/gu, '').replace(/0x/gi, '')
  return /^[0-9a-f]+$/i.test(digits) ? digits : ''
}

/** 32 bytes in Base64, and in Base58, where zeros at the beginning are shorter. */
const hashCharacters = { least: 40, most: 44 }

function isHashInToken(text: string): boolean {
  const { length } = tokenIn(text)
  return length >= hashCharacters.least && length <= hashCharacters.most
}

/** A line of bytes is longer than words are. */
const lineCharactersMin = 24

/** A text that is Base58 or Base64 in one line or several, or such parts of a token that dots divide. Hex is none. */
function tokenIn(text: string): string {
  if (digitsIn(text) !== '') return ''
  const lines = text.replace(/["'`]/g, '').trim().split(/\s+/)
  const token = lines.join('')
  const isOne = lines.slice(0, -1).every((line) => line.length >= lineCharactersMin)
  return isOne && /^[\w+/-]+={0,2}(\.[\w-]+)*$/.test(token) ? token : ''
}

/**
 * Whether a text is what the signature of a token covers, however short: the header of JSON Web Signatures, a dot and what
 * it says (RFC 7515), which may stand there in no Base64 (RFC 7797). Or it begins as tokens of PASETO do.
 */
function isToken(text: string): boolean {
  const token = text.replace(/^["'`\s]+/, '')
  if (/^v\d\.(?:public|local)\./.test(token)) return true
  const [header = '', ...others] = token.split('.', 2)
  return others.length > 0 && isObject(bytesFromBase64url(header))
}

/** Whether the bytes are JSON with members. A word such as `example` is Base64 too. */
function isObject(bytes: Uint8Array | undefined): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
