import { bytesToHex } from '@noble/hashes/utils.js'
import { base58 } from '@scure/base'
import { loaderForms, lookupTableForms, voteAuthorities, voteForms } from './chain_forms.ts'
import { accountExtensions, accountStates } from './extension_forms.ts'
import { type FieldType, form, type InstructionForm } from './instruction_form.ts'
import {
  associatedTokenForms,
  authorityTypes,
  budgetForms,
  memoForms,
  stakeAuthorities,
  stakeForms,
  systemForms,
  tokenForms,
} from './instruction_forms.ts'

export const systemProgram = '11111111111111111111111111111111'
export const computeBudgetProgram = 'ComputeBudget111111111111111111111111111111'
export const token2022Program = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
export const tokenPrograms: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022Program,
])

const formsOf = {
  systemProgram: systemForms,
  tokenProgram: tokenForms,
  computeBudget: budgetForms,
  memo: memoForms,
  stakeProgram: stakeForms,
  voteProgram: voteForms,
  lookupTableProgram: lookupTableForms,
  upgradeableLoader: loaderForms,
  associatedToken: associatedTokenForms,
}
type ProgramName = keyof typeof formsOf

/** `TokenInstruction::Batch`, which `readCall` takes apart. */
export const batchForm = form([255], 'Batch')

/** An instruction by its program and its name there: two programs may give one name to two things. */
export type InstructionId =
  | { readonly [Name in ProgramName]: `${Name}.${(typeof formsOf)[Name][number]['code']}` }[ProgramName]
  | `tokenProgram.${typeof batchForm.code}`

type Program = {
  readonly name: ProgramName
  readonly forms: readonly InstructionForm[]
  /** It fails on the chain if bytes follow the fields. */
  readonly refusesTail?: true
}

const program = (name: ProgramName): Program => ({ name, forms: formsOf[name] })

/** The programs that every network has and that are read here, by their addresses. */
export const builtInPrograms: ReadonlyMap<string, Program> = new Map<string, Program>([
  [systemProgram, program('systemProgram')],
  ...[...tokenPrograms].map((address) => [address, program('tokenProgram')] as const),
  [computeBudgetProgram, program('computeBudget')],
  ['MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', program('memo')],
  ['Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwDQxFMNo', program('memo')],
  ['Stake11111111111111111111111111111111111111', program('stakeProgram')],
  ['Vote111111111111111111111111111111111111111', program('voteProgram')],
  ['AddressLookupTab1e1111111111111111111111111', program('lookupTableProgram')],
  ['BPFLoaderUpgradeab1e11111111111111111111111', program('upgradeableLoader')],
  ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', { ...program('associatedToken'), refusesTail: true }],
])

/** A number, a base58 key or several, names, a text, hex of bytes, or undefined for an option that is none. */
export type FieldValue = bigint | string | readonly string[] | undefined

/** An instruction of a built-in program. `unreadBytes`: how many bytes follow that its program ignores. */
export type ReadInstruction = {
  readonly id: InstructionId
  readonly form: InstructionForm
  readonly fields: ReadonlyMap<string, FieldValue>
  readonly unreadBytes: number
}

/**
 * Reads the data of an instruction as its program does. Undefined if the program is not built in, has no such
 * instruction, or cannot read its fields.
 */
export function readInstruction(address: string, data: Uint8Array): ReadInstruction | undefined {
  const called = builtInPrograms.get(address)
  const form = called?.forms.find(({ prefix }) => prefix.every((byte, index) => data[index] === byte))
  if (called === undefined || form === undefined) return undefined
  const fields = new Map<string, FieldValue>()
  let at = form.prefix.length
  for (const [name, type] of Object.entries(form.fields)) {
    const read = readers[type](data.subarray(at))
    if (read === undefined) return undefined
    fields.set(name, read.value)
    at += read.length
  }
  const unreadBytes = data.length - at
  if (unreadBytes > 0 && called.refusesTail === true) return undefined
  // The form is one of its program's.
  const id = `${called.name}.${form.code}` as InstructionId
  return { id, form, fields, unreadBytes }
}

/** The value that begins these bytes, and how many bytes it takes. Undefined if it is not there. */
type Reader = (bytes: Uint8Array) => { readonly value: FieldValue; readonly length: number } | undefined

const unsigned =
  (length: number): Reader =>
  (bytes) =>
    bytes.length < length ? undefined : { value: numberOf(bytes.subarray(0, length)), length }

function numberOf(bytes: Uint8Array): bigint {
  return bytes.reduceRight((before, byte) => (before << 8n) | BigInt(byte), 0n)
}

/** A byte 0 for none, or a byte 1 before the value. Any other byte is no option. */
const optional =
  (readValue: Reader): Reader =>
  (bytes) => {
    if (bytes[0] === 0) return { value: undefined, length: 1 }
    const read = bytes[0] === 1 ? readValue(bytes.subarray(1)) : undefined
    return read && { value: read.value, length: 1 + read.length }
  }

const keyBytes = 32
const readKey: Reader = (bytes) =>
  bytes.length < keyBytes ? undefined : { value: base58.encode(bytes.subarray(0, keyBytes)), length: keyBytes }

const readNonZeroKey: Reader = (bytes) => {
  const read = readKey(bytes)
  return read?.value === systemProgram ? { ...read, value: undefined } : read
}

const lengthBytes = 8
const readKeys: Reader = (bytes) => {
  const count = numberOf(bytes.subarray(0, lengthBytes))
  if (bytes.length < lengthBytes || count * BigInt(keyBytes) > BigInt(bytes.length - lengthBytes)) return undefined
  const length = lengthBytes + Number(count) * keyBytes
  const starts = Array.from({ length: Number(count) }, (_, index) => lengthBytes + index * keyBytes)
  return { value: starts.map((start) => base58.encode(bytes.subarray(start, start + keyBytes))), length }
}

const namesOfExtensions = new Map(Object.entries(accountExtensions).map(([name, { number }]) => [number, name]))
const readAccountExtensions: Reader = (bytes) => {
  const value: string[] = []
  for (let at = 0; at < bytes.length; at += 2) {
    const name = at + 2 > bytes.length ? undefined : namesOfExtensions.get(Number(numberOf(bytes.subarray(at, at + 2))))
    if (name === undefined) return undefined
    value.push(name)
  }
  return { value, length: bytes.length }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const readText: Reader = (bytes) => {
  const size = numberOf(bytes.subarray(0, lengthBytes))
  if (bytes.length < lengthBytes || size > BigInt(bytes.length - lengthBytes)) return undefined
  const length = lengthBytes + Number(size)
  try {
    return { value: utf8.decode(bytes.subarray(lengthBytes, length)), length }
  } catch {
    return undefined
  }
}

/** A number that stands for one of these names. */
const oneOf =
  (names: readonly string[], length: number): Reader =>
  (bytes) => {
    const value = bytes.length < length ? undefined : names[Number(numberOf(bytes.subarray(0, length)))]
    return value === undefined ? undefined : { value, length }
  }

const signed =
  (length: number): Reader =>
  (bytes) =>
    bytes.length < length
      ? undefined
      : { value: BigInt.asIntN(8 * length, numberOf(bytes.subarray(0, length))), length }

const readers: Readonly<Record<FieldType, Reader>> = {
  u8: unsigned(1),
  u16: unsigned(2),
  i16: signed(2),
  u32: unsigned(4),
  u64: unsigned(8),
  i64: signed(8),
  lamports: unsigned(8),
  tokens: unsigned(8),
  optionalLamports: optional(unsigned(8)),
  optionalKey: optional(readKey),
  optionalU64: optional(unsigned(8)),
  optionalI64: optional(signed(8)),
  key: readKey,
  nonZeroKey: readNonZeroKey,
  keys: readKeys,
  text: readText,
  authorityType: oneOf(authorityTypes, 1),
  accountState: oneOf(accountStates, 1),
  stakeAuthority: oneOf(stakeAuthorities, 4),
  voteAuthority: oneOf(voteAuthorities, 4),
  accountExtensions: readAccountExtensions,
  bytes: (bytes) => ({ value: bytesToHex(bytes), length: bytes.length }),
}
