import { callAnything } from '../contracts/ethereum/batch_contracts.ts'
import { permit2 } from '../contracts/ethereum/permit2.ts'
import { addressTableLookup } from '../language/names/payload_types.ts'
import { print } from '../language/reading/print.ts'
import type { Expression } from '../language/syntax.ts'
import { builtInPrograms } from '../transactions/solana/read_instruction.ts'
import { greatestAmount, isArgument } from './greatest_amounts.ts'
import { type AboutSample, ofOthers } from './samples/about_sample.ts'
import { sameText, type Term, textOfSigner } from './trials/terms.ts'

/** Fields whose texts name a wallet, a key, an account, a recipient, a contract, or something of which there is one. */
const namingFields: ReadonlySet<string> = new Set([
  ...['id', 'wallet_id', 'label', 'tags', 'address', 'public_key', 'sign_with', 'target_public_key'],
  ...['from', 'to', 'owner', 'signers', 'token_mint', 'account_keys', 'program_key', 'program_keys'],
  ...['owner_address', 'to_address', 'contract_address', 'receiver_address', 'verifying_contract'],
  ...['script_pubkey', 'data', 'input', 'instruction_data_hex', 'message'],
])

/**
 * The arguments of calls and members of documents that say who gets something, by their usual names. Any other address
 * may be that of the giver, and the rest is free.
 */
const gettersAmongArguments =
  /^_*(to|dst|dest|destination|recipient|receiver|beneficiary|payee|spender|delegate|operator|new_?(owner|admin|authority))s?(_?(address|account))?$/i

/**
 * Fields that name who gets something. If such a field is the account that signs, this limits what leaves. For any
 * other field it says nothing: an owner or a signer usually is that account, and nobody here knows what an argument is.
 */
const recipients =
  /\b(to|to_address|receiver_address|contract_address|verifying_contract|script_pubkey|program_keys?)$|\beip_7702_authorization\.address$/

function isRecipient(name: string): boolean {
  return recipients.test(name) || (name.endsWith('.address') && /\boutputs\b/.test(name))
}

/** A selector of a function, the discriminator of an instruction, or a beginning that somebody finds for another address. */
const shortPieceMax = 16

/** A whole UUID, and a whole compressed point. */
const [idCharacters, pointCharacters] = [36, 66]

/** Lists without whose items an activity does nothing. Any other list of what is signed may be empty. */
const neverEmpty =
  /^(wallets|bitcoin\.tx\.(inputs|outputs)|tron\.tx\.contract|tempo\.tx\.calls|solana\.tx\.(account_keys|program_keys|instructions)|activity\.params\.\w+)$/

export function isNeverEmpty(list: Expression): boolean {
  return neverEmpty.test(print(list))
}

/**
 * The values that a term may have in an activity about a wallet, key, account, recipient, contract or amount that the
 * condition does not name. A term that names no such thing has all its values.
 */
export function unnamedValues(term: Term): Term['values'] {
  const { name, part, values } = term
  const [unnamed, ...others] = values
  if (part.kind === 'contains') return isNamedIn(part) ? [false] : values
  if (typeof unnamed === 'bigint') {
    // A fee, a nonce, the number of a chain or a part of a path limits nothing.
    const greatest = greatestAmount(name)
    return greatest === undefined ? values : [greatest]
  }
  if (unnamed === undefined || typeof unnamed === 'boolean' || !names(term)) return values
  return [
    unnamed,
    ...others.filter((text) => {
      if (isSame(text)) return text === sameText || !isRecipient(name)
      return isUnnamed(text) || isBareCall(name, text)
    }),
  ]
}

/** The values of a term about a sample. Undefined of one that is as in every other activity. */
export function valuesInSample({ name, part, values }: Term, sample: AboutSample): Term['values'] | undefined {
  // Others in its lists are as one likes them. It harms however much was spent before.
  if (name.startsWith(`${ofOthers}: `) || part.kind === 'spent') return values
  // Another item may be the one that a filter leaves at an index.
  if (sample.lists.some((path) => name.startsWith(`${path}.filter(`))) return values
  if (sample.open.some((path) => name === path || name.startsWith(`${path}[`))) return values
  // A whole text is none of the sample's, but it may be a call that names nobody.
  const whole = sample.texts.get(name)
  if (whole !== undefined)
    return values.filter((value, index) => index === 0 || isBareCall(name, value) || namesNobody(value, whole))
  const least = sample.counts.get(name)
  if (least !== undefined) return values.filter((value) => typeof value === 'bigint' && value >= least)
  const piece = sample.pieces.get(name)
  if (piece === undefined) return undefined
  const [unnamed = '', ...others] = values
  const open = [...piece].filter((character) => character === '?' || character === '@').length
  if (open > shortPieceMax) return [unnamed, ...others.filter((text) => isSame(text) && piece.includes('@'))]
  return [unnamed, ...others.filter((text) => fits(String(text), piece))]
}

function isSame(text: Term['values'][number]): boolean {
  return text === sameText || text === textOfSigner
}

/** Whether a whole text may be that of a sample which does its harm elsewhere. */
function namesNobody(text: Term['values'][number], known: string): boolean {
  return typeof text === 'string' && text.length === known.length && !/[?@]/.test(known) && fits(text, known)
}

/** A piece beyond the known text has more characters than are known. */
function fits(text: string, piece: string): boolean {
  const characters = [...piece].map((known, at) => ({ known, written: text[at]?.toLowerCase() }))
  const notZero = characters.filter(({ known }) => known === '^')
  if (notZero.length > 0 && notZero.every(({ written }) => written === '0')) return false
  return characters.every(({ known, written }) => '?@*^'.includes(known) || known === written)
}

function isNamedIn({ of, item }: Expression & { readonly kind: 'contains' }): boolean {
  return isNamingField(print(of)) && item.kind === 'string' && !isUnnamed(item.value)
}

function names({ name, type }: Term): boolean {
  const piece = type.kind === 'string' || type.kind === 'any' ? type.piece : undefined
  return isNamingField(name) && (piece === undefined || (piece.length ?? 0) >= shortestPiece(name))
}

/** A piece of a name may name a group of wallets. Every id has the same characters in some places. */
function shortestPiece(name: string): number {
  // The asker makes keys until a piece of one is the right one.
  if (/\.target_public_key\b/.test(name)) return pointCharacters
  if (!/^(wallet|wallets|private_key)\b/.test(name)) return shortPieceMax + 1
  return /\.label\b/.test(name) ? 0 : idCharacters
}

/** By the last name of the path. An item of a list of texts is called by a variable. */
function isNamingField(name: string): boolean {
  // A memo of Tron, and a key of a permission of it: others may stand beside that key.
  if (/^tron\.tx\.data\b/.test(name) || (/\baddress$/.test(name) && /\bkeys\b/.test(name))) return false
  if (isArgument(name)) return gettersAmongArguments.test(lastQuoted(name))
  const field =
    withoutIndexes(name.replace(/: \w+$/, ''))
      .split(/\W/)
      .at(-1) ?? ''
  return namingFields.has(field)
}

/** The last name in quotes and brackets of a path. */
function lastQuoted(path: string): string {
  const start = path.lastIndexOf("['")
  return start === -1 ? '' : (path.slice(start + 2).split("'", 1)[0] ?? '')
}

/** A path without the brackets at its end, read from there: a text in one may have thousands of them. */
function withoutIndexes(path: string): string {
  let rest = path
  while (rest.endsWith(']')) {
    const start = rest.indexOf('[', rest.lastIndexOf(']', rest.length - 2) + 1)
    if (start === -1) break
    rest = rest.slice(0, start)
  }
  return rest
}

/** No data, no recipient, an account that only a lookup table names, or a program or contract that everybody has. */
function isUnnamed(value: Term['values'][number]): boolean {
  if (typeof value !== 'string') return false
  const text = value.toLowerCase()
  return (
    [nothings, callAnything].some((set) => set.has(text)) ||
    text === permit2 ||
    builtInPrograms.has(value) ||
    ofEveryNetwork.test(value)
  )
}

/** Data that name nobody: a function without an address among its arguments, whatever contract has it. */
function isBareCall(name: string, value: Term['values'][number]): boolean {
  const field = name.match(/\.(data|input|instruction_data_hex)$/)?.[1]
  if (field === undefined || typeof value !== 'string') return false
  const digits = value.replace(/^0x/, '')
  if (digits === '') return false
  if (field === 'instruction_data_hex') return digits.length <= shortPieceMax
  const words = digits.slice(selectorDigits).match(/.{64}/g) ?? []
  return !words.some((word) => /^0{24}(?!0{8})/.test(word))
}

const selectorDigits = 8

const nothings: ReadonlySet<string> = new Set(['', '0x', addressTableLookup])

/** The addresses of other programs and variables of Solana itself end so. */
const ofEveryNetwork = /1{10}$/
