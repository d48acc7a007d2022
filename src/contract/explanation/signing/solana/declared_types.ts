import type { BorshField, BorshType } from '../../../../policy/contracts/solana/borsh_types.ts'
import { resolvedType } from '../../../../policy/contracts/solana/resolved_type.ts'
import { accountStates } from '../../../../policy/transactions/solana/extension_forms.ts'
import type { FieldType, InstructionForm } from '../../../../policy/transactions/solana/instruction_form.ts'
import { authorityTypes } from '../../../../policy/transactions/solana/instruction_forms.ts'
import { plainName } from '../ethereum/token_functions.ts'

/** The types of an IDL that read a field as its program does. Borsh has none for the others. */
const sameTypes: Readonly<Partial<Record<FieldType, readonly string[]>>> = {
  u8: ['u8'],
  u16: ['u16'],
  i16: ['i16'],
  u32: ['u32'],
  u64: ['u64'],
  i64: ['i64'],
  lamports: ['u64'],
  tokens: ['u64'],
  key: ['pubkey', 'publicKey'],
  nonZeroKey: ['pubkey', 'publicKey'],
  authorityType: ['u8'],
  accountState: ['u8'],
  stakeAuthority: ['u32'],
  voteAuthority: ['u32'],
}
const optionsOf: Readonly<Partial<Record<FieldType, FieldType>>> = {
  optionalLamports: 'lamports',
  optionalKey: 'key',
  optionalU64: 'u64',
  optionalI64: 'i64',
}
const wordsOfByte: Readonly<Partial<Record<FieldType, readonly string[]>>> = {
  authorityType: authorityTypes,
  accountState: accountStates,
}

type Declared = { readonly discriminatorBytes: number; readonly fields: readonly BorshField[] }

/** Whether an IDL reads the fields of a known instruction as its program does. Further fields are not known here. */
export function areTypedAlike(
  { prefix, fields: known }: Pick<InstructionForm, 'prefix' | 'fields'>,
  { discriminatorBytes, fields }: Declared,
): boolean {
  const types = Object.values(known)
  const read = types.includes('bytes') ? types.slice(0, types.indexOf('bytes')) : types
  const declared = fields.slice(0, read.length)
  if (declared.length === 0) return true
  return discriminatorBytes === prefix.length && declared.every(({ type }, index) => isSameType(type, read[index]))
}

function isSameType(given: BorshType, known: FieldType | undefined): boolean {
  const { type } = resolvedType({ type: given, bound: undefined })
  // No argument is read by such a type.
  if (type.kind === 'unsupported') return true
  if (known === undefined) return false
  switch (type.kind) {
    case 'primitive':
      return sameTypes[known]?.includes(type.name) === true
    case 'option':
      return optionsOf[known] !== undefined && isSameType(type.inner, optionsOf[known])
    case 'defined':
      return areWords(type.definition(), wordsOfByte[known])
    default:
      return false
  }
}

function areWords(
  definition: ReturnType<Extract<BorshType, { readonly kind: 'defined' }>['definition']>,
  words: readonly string[] | undefined,
): boolean {
  if (definition?.kind !== 'enum' || words === undefined) return false
  return definition.variants.every(
    ({ name, fields }, index) => plainName(name) === plainName(words[index] ?? '') && fields() === undefined,
  )
}
