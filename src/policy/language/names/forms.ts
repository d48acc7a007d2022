import {
  canonicalBitcoinAddress,
  canonicalPoint,
  canonicalSolanaKey,
  canonicalSparkAddress,
  canonicalTronAddress,
  hexDigits,
} from '../../../protocol/chains/canonical_address.ts'
import { isMistypedAddress } from '../../../protocol/chains/mistyped_address.ts'
import { withoutEnd } from '../../../protocol/tools/without_end.ts'
import { isUuid } from '../../../protocol/wire/identifiers.ts'
import { isBeginningOfLabel, isLabel, isPartOfLabel, spelledLabel } from '../../../protocol/wire/labels.ts'
import { hasUnseenCharacters, isMailAddress, mailboxOf, mailboxPieceOf } from '../../../protocol/wire/mail_addresses.ts'
import { type Message, message } from '../message.ts'
import type { IdKind } from './id_kinds.ts'
import { trimmed } from './trimmed.ts'

/** How the texts of a field look. A field holds one spelling of each thing, which rules compare. */
export type Form = {
  /** A description of the field, for messages. */
  readonly name: Message
  /** All texts, if they are a few words. */
  readonly words?: readonly string[]
  /** The spelling that the field has for this text. Undefined if the field never holds what the text says. */
  readonly canonical: (text: string) => string | undefined
  /** The same for a piece of the field's text that begins at an index, or at an unknown one. */
  readonly canonicalPiece: (piece: string, from: number | undefined) => string | undefined
  /** The length of the longest text, if there is one. */
  readonly charactersMax?: number
  /** The length of the shortest text. */
  readonly charactersMin?: number
  /** The kinds of records of which the texts are ids. */
  readonly idsOf?: readonly IdKind[]
  /** The beginnings, one of which every text has. */
  readonly starts?: readonly string[]
  /** The fault of a text that the field never holds, where a similar text would not be the one that is meant. */
  readonly fault?: (text: string) => Message | undefined
}

type Pieces = {
  /** The beginnings that the texts have. */
  readonly starts?: readonly string[]
  /** The characters after the beginning. */
  readonly characters: RegExp
  readonly isLowerCase?: true
}

function piecesOf({ starts = [''], characters, isLowerCase }: Pieces): Form['canonicalPiece'] {
  const longest = longestOf(starts)
  return (piece, from) => {
    const text = isLowerCase ? piece.toLowerCase() : piece
    const offsets = from === undefined ? Array.from({ length: longest + 1 }, (_, index) => index) : [from]
    const fits = (start: string) => {
      const head = start.slice(0, text.length)
      return text.startsWith(head) && characters.test(text.slice(head.length))
    }
    return offsets.some((offset) => starts.some((start) => fits(start.slice(offset)))) ? text : undefined
  }
}

/** The beginning with each of these characters after it. */
const startsOf = (start: string, characters: string) => [...characters].map((character) => `${start}${character}`)

const hexCharacters = /^[0-9a-f]*$/
const bech32Characters = /^[02-9ac-hj-np-z]*$/
const base58Characters = /^[1-9A-HJ-NP-Za-km-z]*$/

function isMistyped(text: string): boolean {
  return isMistypedAddress(trimmed(text))
}

/** The form without addresses of Ethereum that are mistyped: in mixed case with a wrong checksum (EIP-55). */
export function checksummed(form: Form): Form {
  return {
    ...form,
    canonical: (text) => (isMistyped(text) ? undefined : form.canonical(text)),
    canonicalPiece: (piece, from) => (isMistyped(piece) ? undefined : form.canonicalPiece(piece, from)),
    fault: (text) =>
      isMistyped(text) ? message`; the checksum in its capitals (EIP-55) is wrong` : form.fault?.(text),
  }
}

/** Hex in lower case after `prefix`. `bytes` is the length of all texts, if they have one. */
function hex({ prefix, bytes }: { readonly prefix: '' | '0x'; readonly bytes?: number }): Form {
  const [written, digits] = [prefix === '' ? message`without 0x` : message`with 0x`, 2 * (bytes ?? 0)]
  return {
    ...(bytes === undefined ? {} : { charactersMax: prefix.length + digits }),
    charactersMin: prefix.length + digits,
    ...(prefix === '' ? {} : { starts: [prefix] }),
    name: bytes === undefined ? message`bytes in hex ${written}` : message`${digits} digits of hex ${written}`,
    canonical: (text) => {
      const found = hexDigits(text)
      return found === undefined || (bytes !== undefined && found.length !== digits) ? undefined : `${prefix}${found}`
    },
    canonicalPiece: piecesOf({ starts: [prefix], characters: hexCharacters, isLowerCase: true }),
  }
}

export const ethereumHex = checksummed(hex({ prefix: '0x' }))
export const ethereumAddress: Form = {
  ...checksummed(hex({ prefix: '0x', bytes: 20 })),
  name: message`an Ethereum address`,
}
/** '' when the transaction creates a contract, which people also write as the empty bytes. */
export const ethereumRecipient: Form = {
  ...ethereumAddress,
  charactersMin: 0,
  starts: [''],
  canonical: (text) => (['', '0x', '0X'].includes(text) ? '' : ethereumAddress.canonical(text)),
}
export const ethereumSelector = hex({ prefix: '0x', bytes: 4 })
export const plainHex = hex({ prefix: '' })
export const hash32 = hex({ prefix: '', bytes: 32 })
const ed25519Key = hash32

/** A compressed point, which may be written uncompressed, or the 32 bytes of Ed25519. */
export const publicKey: Form = {
  name: message`a public key in hex, in pieces the compressed one`,
  charactersMin: 64,
  charactersMax: 66,
  canonical: (text) => canonicalPoint(text) ?? ed25519Key.canonical(text),
  canonicalPiece: piecesOf({ characters: hexCharacters, isLowerCase: true }),
}

/** A public key as above, or the COSE_Key of a passkey (RFC 9052) in hex: a map of CBOR with three to six entries. */
export const credentialKey: Form = {
  name: message`a public key in hex, in pieces the compressed one; of a passkey the COSE_Key in hex`,
  canonical: (text) => {
    const digits = hexDigits(text) ?? ''
    return publicKey.canonical(text) ?? (/^a[3-6].{70,}$/.test(digits) ? digits : undefined)
  },
  canonicalPiece: publicKey.canonicalPiece,
}

/** The compressed point. A request may have it uncompressed too. */
export const publicPoint: Form = {
  name: message`a public key in hex, in pieces the compressed one`,
  charactersMax: 66,
  canonical: canonicalPoint,
  canonicalPiece: piecesOf({ starts: ['02', '03'], characters: hexCharacters, isLowerCase: true }),
}

/** The address on the main network, whatever network the signer is named by. */
export const bitcoinAddress: Form = {
  name: message`a Bitcoin address of P2PKH, P2SH, P2WPKH, P2WSH or P2TR, in pieces that of the main network`,
  charactersMin: 26,
  charactersMax: 62,
  canonical: canonicalBitcoinAddress,
  canonicalPiece: bitcoinPiece,
}
/** 25 bytes that begin with 5 are between 31h1vY… and 3R2cue… */
const bitcoinBase58 = piecesOf({
  starts: ['1', ...startsOf('3', '123456789ABCDEFGHJKLMNPQR')],
  characters: base58Characters,
})
/** The version of the witness is 0 or 1. */
const bitcoinBech32 = piecesOf({ starts: startsOf('bc1', 'qp'), characters: bech32Characters })
/** Longer addresses are in Bech32. */
const bitcoinBase58Max = 34

/** As it stands where it may be of base58, and of Bech32 in lower case. */
function bitcoinPiece(piece: string, from: number | undefined): string | undefined {
  const isShort = piece.length + (from ?? 0) <= bitcoinBase58Max
  const asWritten = isShort ? bitcoinBase58(piece, from) : undefined
  const isOneCase = [piece.toLowerCase(), piece.toUpperCase()].includes(piece)
  return asWritten ?? (isOneCase ? bitcoinBech32(piece.toLowerCase(), from) : undefined)
}

export const tronAddress: Form = {
  name: message`a Tron address`,
  charactersMin: 34,
  charactersMax: 34,
  starts: ['T'],
  canonical: canonicalTronAddress,
  // 25 bytes that begin with 0x41 are between T9yD14… and TZJozA…
  canonicalPiece: piecesOf({ starts: startsOf('T', '9ABCDEFGHJKLMNPQRSTUVWXYZ'), characters: base58Characters }),
}

export const solanaKey: Form = {
  name: message`a Solana key: 32 bytes in base58`,
  charactersMin: 32,
  charactersMax: 44,
  canonical: canonicalSolanaKey,
  canonicalPiece: piecesOf({ characters: base58Characters }),
}

/** Alike for every network of Spark. */
export const sparkAddress: Form = {
  name: message`a Spark address`,
  charactersMax: 68,
  canonical: canonicalSparkAddress,
  // The message begins with 0x0a, 0x21 and the first byte of a compressed point.
  canonicalPiece: piecesOf({ starts: startsOf('spark1pgss', 'y9x8'), characters: bech32Characters, isLowerCase: true }),
}

/** No id is that of two records, of whatever kinds. */
export function idOf(...kinds: readonly IdKind[]): Form {
  return {
    name: message`an id`,
    idsOf: kinds,
    charactersMin: 36,
    charactersMax: 36,
    canonical: (text) => (isUuid(text) ? text.toLowerCase() : undefined),
    canonicalPiece: idPiece,
  }
}

/** A piece of an id that has its hyphens where an id has them. */
function idPiece(piece: string, from: number | undefined): string | undefined {
  const someId = '00000000-0000-0000-0000-000000000000'
  const offsets = from === undefined ? Array.from(someId, (_, index) => index) : [from]
  const text = piece.toLowerCase()
  const outline = text.replaceAll(/[0-9a-f]/g, '0')
  return offsets.some((offset) => someId.startsWith(outline, offset)) ? text : undefined
}

/** A name that people give: no blank stands at its ends. */
export const label: Form = {
  name: message`a name without blanks at its ends and without invisible characters`,
  canonical: (text) => ([text, spelledLabel(text)].some(isLabel) ? spelledLabel(text) : undefined),
  canonicalPiece: (piece, from) =>
    isPartOfLabel(piece) && (from !== 0 || isBeginningOfLabel(piece)) ? spelledLabel(piece) : undefined,
}

/** '' for a user without an address. All addresses of one mailbox have one spelling. */
export const emailAddress: Form = {
  name: message`an e-mail address`,
  canonical: (text) =>
    text === '' || (isMailAddress(text) && !hasUnseenCharacters(text)) ? mailboxOf(text) : undefined,
  canonicalPiece: mailboxPieceOf,
  fault: (text) =>
    mailboxPieceOf(text) === undefined ? message`; domains are in ASCII, such as xn--bcher-kva.example` : undefined,
}

/** The id of a passkey: base64url without padding. '' for another credential. */
export const credentialId: Form = {
  name: message`the id of a passkey in base64url`,
  canonical: (text) => {
    const urlSafe = withoutEnd(text.replaceAll('+', '-').replaceAll('/', '_'), '=')
    // Bytes have one spelling: the last character has no surplus bits, and one character alone is no byte.
    return /^([\w-]{4})*([\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/.test(urlSafe) ? urlSafe : undefined
  },
  canonicalPiece: piecesOf({ characters: /^[\w-]*$/ }),
}

/** A text of a machine, of which ids and hex are in lower case. */
export const machineText: Form = {
  name: message`a text`,
  canonical: (text) => (isUuid(text) || /^[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text),
  canonicalPiece: (piece) => piece,
}

function longestOf(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length))
}

/** One of these words. */
export function wordOf(words: readonly string[], name: Message): Form {
  return {
    name,
    words,
    charactersMax: longestOf(words),
    charactersMin: Math.min(...words.map(({ length }) => length)),
    starts: words,
    canonical: (text) => (words.includes(text) ? text : undefined),
    canonicalPiece: (piece, from) => {
      const isPiece = (word: string) => (from === undefined ? word.includes(piece) : word.startsWith(piece, from))
      return words.some(isPiece) ? piece : undefined
    },
  }
}

/** The same form, with some texts more that the field can hold. */
export function orOneOf(form: Form, ...texts: readonly string[]): Form {
  const { charactersMax, charactersMin = 0, starts: _, ...same } = form
  return {
    ...same,
    ...(charactersMax === undefined ? {} : { charactersMax: Math.max(charactersMax, longestOf(texts)) }),
    charactersMin: Math.min(charactersMin, ...texts.map(({ length }) => length)),
    canonical: (text) => (texts.includes(text) ? text : form.canonical(text)),
    canonicalPiece: (piece, from) => {
      const isOfText = texts.some((text) => (from === undefined ? text.includes(piece) : text.startsWith(piece, from)))
      return isOfText ? piece : form.canonicalPiece(piece, from)
    },
  }
}
