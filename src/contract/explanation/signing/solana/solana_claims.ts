import { hexToBytes } from '@noble/hashes/utils.js'
import { keptReading, type Reading } from '../../../../policy/contracts/reading.ts'
import type { BorshField } from '../../../../policy/contracts/solana/borsh_types.ts'
import { isMap, isStruct, type Value as Seen, type Struct } from '../../../../policy/language/expression_values.ts'
import type { InstructionForm } from '../../../../policy/transactions/solana/instruction_form.ts'
import type { ReadInstruction } from '../../../../policy/transactions/solana/read_instruction.ts'
import { type Call, flatCalls, rolesOf } from '../../../../policy/transactions/solana/solana_calls.ts'
import type { Note, Value } from '../../explanation.ts'
import { address, list, none, noteOf, number, text } from '../../shown_values.ts'
import { plainName } from '../ethereum/token_functions.ts'
import { argumentsValue, countNotes } from '../shared/call_arguments.ts'
import { readableText } from '../signed_text/printable_text.ts'
import { areTypedAlike } from './declared_types.ts'
import { keyValue } from './solana_accounts.ts'

/** An instruction, and how conditions see it. */
export type Instruction = { readonly call: Call; readonly struct: Struct }

/** The claims of a program's uploaded IDLs about an instruction. */
type Claim = {
  readonly functionName: string
  readonly discriminatorBytes: number
  readonly accounts: ReadonlyMap<string, Seen>
  readonly reading: Reading
}

export function claimIn({ parsed_instruction_data: parsed }: Struct): Claim | undefined {
  if (parsed === undefined || !isStruct(parsed)) return undefined
  const { instruction_name: name, discriminator, named_accounts: accounts } = parsed
  const reading = keptReading(parsed)
  if (reading === undefined) return undefined
  return {
    functionName: String(name),
    discriminatorBytes: String(discriminator).length / 2,
    accounts: accounts !== undefined && isMap(accounts) ? accounts : new Map(),
    reading,
  }
}

export function claimValues(
  { functionName, accounts, reading }: Claim,
  {
    call,
    interfaces,
    from,
  }: {
    readonly call: Call
    readonly interfaces: readonly Value[]
    readonly from: (address: string) => Value
  },
): Readonly<Record<string, Value | undefined>> {
  const unnamed = call.accounts.length - accounts.size
  return {
    function: text(functionName),
    arguments: argumentsValue(reading),
    namedAccounts:
      accounts.size === 0
        ? none
        : { kind: 'tree', rows: [...accounts].map(([name, key]) => ({ name, value: keyValue(key, from) })) },
    unnamedAccounts: unnamed > 0 ? number(unnamed) : undefined,
    decodedBy: list(interfaces),
  }
}

/** Notes on the parts of instructions that are not read, and on the parts that IDLs name otherwise than they are. */
export function instructionNotes(instructions: readonly Instruction[]): readonly Note[] {
  const unreadBytes = instructions.reduce((sum, one) => sum + unreadBytesOf(one), 0)
  const opaqueBytes = instructions.reduce((sum, one) => sum + opaqueBytesOf(one), 0)
  return [
    ...unreadPrograms(instructions).map((program) => noteOf('unreadProgram', address(program))),
    ...countNotes({ unreadBytes, opaqueBytes }),
    ...instructions.flatMap(otherNames),
  ]
}

/**
 * Programs with an instruction that is not read here, each once. A program acts with the rights of the signers, so neither
 * its data nor an uploaded IDL says what it does.
 */
function unreadPrograms(instructions: readonly Instruction[]): readonly string[] {
  const unread = flatCalls(instructions.map(({ call }) => call)).filter(({ read }) => read === undefined)
  return [...new Set(unread.map(({ program }) => program))]
}

/** An IDL counts only for what is not read without one. */
export function unreadBytesOf({ call: { read, batch, data }, struct }: Instruction): number {
  if (read !== undefined) {
    const own = read.unreadBytes + bytesWithoutText(read)
    return batch.reduce((sum, part) => sum + unreadBytesOf({ call: part, struct: {} }), own)
  }
  const claim = claimIn(struct)
  if (claim === undefined) return data.length
  return claim.reading.kind === 'read' ? claim.reading.unreadBytes : data.length - claim.discriminatorBytes
}

/** The bytes of fields that are no text, such as a memo that nobody can read. */
function bytesWithoutText({ form, fields }: ReadInstruction): number {
  const bytes = Object.entries(form.fields).flatMap(([name, type]) =>
    type === 'bytes' ? hexToBytes(String(fields.get(name) ?? '')) : [],
  )
  return bytes.reduce((sum, one) => sum + (readableText(one) === undefined ? one.length : 0), 0)
}

function opaqueBytesOf({ call: { read }, struct }: Instruction): number {
  const reading = read === undefined ? claimIn(struct)?.reading : undefined
  return reading?.kind === 'read' ? reading.opaqueBytes : 0
}

function otherNames({ call, struct }: Instruction): readonly Note[] {
  const { read } = call
  const claim = claimIn(struct)
  if (read === undefined || claim === undefined) return []
  const { functionName, discriminatorBytes, accounts, reading } = claim
  const known = { ...read.form, roles: rolesOf(call) }
  const isSame = isNamedAlike(known, {
    ...{ functionName, discriminatorBytes },
    accountNames: [...accounts.keys()],
    fields: reading.kind === 'read' ? (reading.fields ?? []) : [],
  })
  return isSame ? [] : [noteOf('otherNames', text(read.form.code))]
}

type Declared = {
  readonly functionName: string
  readonly discriminatorBytes: number
  readonly accountNames: readonly string[]
  readonly fields: readonly BorshField[]
}

/** Whether an IDL declares a known instruction as it is, and gives no account or argument the name of another one. */
export function isNamedAlike(known: InstructionForm, declared: Declared): boolean {
  const argumentNames = declared.fields.map(({ name }) => name)
  return (
    plainName(declared.functionName) === plainName(known.code) &&
    areInPlace(declared.accountNames, known.roles) &&
    areInPlace(argumentNames, Object.keys(known.fields)) &&
    areTypedAlike(known, declared)
  )
}

function areInPlace(names: readonly string[], known: readonly string[]): boolean {
  const places = known.map(plainName)
  return names.map(plainName).every((name, index) => !places.includes(name) || places[index] === name)
}
