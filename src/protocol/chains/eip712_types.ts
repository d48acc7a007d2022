import { type Failure, fieldRefused } from '../wire/failures.ts'
import { isTypedDataName, looksElementary, typedDataNameCharactersMax } from './eip712_names.ts'

/** The type of a struct's member (EIP-712, "Definition of typed structured data"). */
export type MemberType =
  | { readonly kind: 'address' | 'bool' | 'bytes' | 'string' }
  | { readonly kind: 'fixedBytes'; readonly length: number }
  | { readonly kind: 'integer'; readonly signed: boolean; readonly bits: number }
  | { readonly kind: 'struct'; readonly name: string }
  /** `length` is undefined for `T[]`. */
  | { readonly kind: 'array'; readonly element: MemberType; readonly length: number | undefined }

/** `typeText` is the type as written, which is what gets hashed. */
export type Member = { readonly name: string; readonly typeText: string; readonly type: MemberType }
export type StructTypes = ReadonlyMap<string, readonly Member[]>

export const structTypesMax = 100
/** Over all struct types. The text of one type can contain every other, so this limit bounds the hashed text. */
export const structMembersMax = 500

/**
 * Parses the struct types of a typed-data document, `{ [struct]: [{ name, type }] }`, and every type in them.
 *
 * Names may be any printable ASCII except `( ) , [ ]`, which delimit names in the hashed text. Some applications use
 * names that Solidity would refuse (`Exchange:Order`). Two names beyond ASCII may look the same to an approver, and
 * viem does not find the types that they use. Unused types are checked as well. A member may have the `internalType`
 * that tools of Solidity write, which nobody hashes.
 *
 * Throws FIELD_INVALID at `fieldPath`.
 */
export function parseStructTypes(types: Readonly<Record<string, unknown>>, fieldPath: string): StructTypes {
  const refuse = (reason: string) => fieldRefused(fieldPath, reason)
  const entries = Object.entries(types)
  if (entries.length > structTypesMax) throw refuse(`types has more than ${structTypesMax} struct types`)
  const structNames = new Set(Object.keys(types))
  const structs = new Map<string, readonly Member[]>()
  let membersCount = 0
  for (const [structName, members] of entries) {
    if (!isTypedDataName(structName)) throw refuse(`types has ${nameFault(structName)}`)
    if (looksElementary(structName)) throw refuse(`types.${structName}: this name is an elementary type`)
    if (!Array.isArray(members)) throw refuse(`types.${structName} must be a list of { name, type }`)
    membersCount += members.length
    if (membersCount > structMembersMax) throw refuse(`types has more than ${structMembersMax} members`)
    structs.set(structName, parseMembers({ structName, members, structNames, refuse }))
  }
  return structs
}

type MembersToParse = {
  readonly structName: string
  readonly members: readonly unknown[]
  readonly structNames: ReadonlySet<string>
  readonly refuse: (reason: string) => Failure
}

function parseMembers({ structName, members, structNames, refuse }: MembersToParse): readonly Member[] {
  const seen = new Set<string>()
  return members.map((member, index) => {
    const where = `types.${structName}[${index}]`
    if (!isMember(member)) throw refuse(`${where} must be { name, type }`)
    const other = Object.keys(member).find((key) => !memberKeys.has(key))
    if (other !== undefined) throw refuse(`${where} must be { name, type } without ${quoted(other)}`)
    const { name, type: typeText } = member
    if (!isTypedDataName(name)) throw refuse(`${where} has ${nameFault(name)}`)
    if (seen.has(name)) throw refuse(`${where}.name is already the name of another member`)
    seen.add(name)
    const type = parseType(typeText, structNames)
    if (type === undefined) throw refuse(`${where}.type is not a known type`)
    return { name, typeText, type }
  })
}

function isMember(value: unknown): value is { readonly name: string; readonly type: string } {
  if (typeof value !== 'object' || value === null) return false
  return 'name' in value && typeof value.name === 'string' && 'type' in value && typeof value.type === 'string'
}

const memberKeys: ReadonlySet<string> = new Set(['name', 'type', 'internalType'])

function nameFault(name: string): string {
  const expected = `1 to ${typedDataNameCharactersMax} printable characters of ASCII without ( ) , [ and ]`
  return `the name ${quoted(name)}: a name has ${expected}`
}

/** A name from outside, short enough for a message. */
export function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 64))
}

function parseType(text: string, structNames: ReadonlySet<string>): MemberType | undefined {
  if (text.length > 2 * typedDataNameCharactersMax) return undefined
  if (text.endsWith(']')) {
    const at = text.lastIndexOf('[')
    const length = text.slice(at + 1, -1)
    const element =
      at > 0 && /^([1-9][0-9]{0,5})?$/.test(length) ? parseType(text.slice(0, at), structNames) : undefined
    return element && { kind: 'array', element, length: length === '' ? undefined : Number(length) }
  }
  if (text === 'address' || text === 'bool' || text === 'bytes' || text === 'string') return { kind: text }
  const [, base, digits] = /^(bytes|u?int)([1-9][0-9]{0,2})$/.exec(text) ?? []
  if (base !== undefined) return parseSized(base, Number(digits))
  return structNames.has(text) && !looksElementary(text) ? { kind: 'struct', name: text } : undefined
}

function parseSized(base: string, size: number): MemberType | undefined {
  if (base === 'bytes') return size <= 32 ? { kind: 'fixedBytes', length: size } : undefined
  return size <= 256 && size % 8 === 0 ? { kind: 'integer', signed: base === 'int', bits: size } : undefined
}
