import { concatBytes } from '@noble/curves/utils.js'
import { keccak256 } from '../crypto/keccak.ts'
import { finished, type Steps } from '../tools/steps.ts'
import { type Failure, fieldRefused } from '../wire/failures.ts'
import { type Member, type MemberType, parseStructTypes, quoted, type StructTypes } from './eip712_types.ts'
import { addressExpected, readAddress, readHex, readInteger } from './ethereum_values.ts'

type JsonRecord = Readonly<Record<string, unknown>>

/** A parsed typed-data document. `types` has `EIP712Domain` even if the document lacks it. */
export type TypedData = {
  readonly primaryType: string
  readonly types: StructTypes
  readonly domain: JsonRecord
  readonly message: JsonRecord
}

/** How deep structs and arrays may nest in a value. */
export const typedDataDepthMax = 32
/** The most values in all documents of a request, structs and lists included. Hashing more could take seconds. */
export const typedDataValuesMax = 5_000
/** The values that are hashed in a row. */
const valuesInARow = 500
/**
 * The most characters in the hashed texts of types of all documents of a request. Each text holds those of all types that
 * it uses, so 98 types that use each other would have 19 million. Real documents have some thousands.
 */
export const typeCharactersMax = 1_000_000
/** How much is hashed so far. */
export type HashCount = { values: number; typeCharacters: number }

export function newHashCount(): HashCount {
  return { values: 0, typeCharacters: 0 }
}

/**
 * Reads `{ types, primaryType, domain, message }` (EIP-712, "Specification of the eth_signTypedData JSON RPC").
 *
 * If `types` lacks `EIP712Domain`, the type is made of the standard members that `domain` has, at least one of five.
 * Some clients lose the domain on the way, and a signature over an empty domain holds everywhere, so an empty domain
 * needs an explicit empty `EIP712Domain`. With the `primaryType` `EIP712Domain` only the domain is signed, and
 * `message` must be empty or absent.
 *
 * A part beside these four is refused. The values may have members that their types lack. Nobody signs those, so a rule
 * must read values by `types` only. Throws FIELD_INVALID at `fieldPath`.
 */
export function parseTypedData(document: JsonRecord, fieldPath: string): TypedData {
  const refuse = (reason: string) => fieldRefused(fieldPath, reason)
  for (const key of Object.keys(document)) {
    if (!documentKeys.has(key)) throw refuse(`${quoted(key)} is not a part of typed data`)
  }
  const { types, primaryType, domain, message } = document
  if (!isRecord(types)) throw refuse('types must be an object')
  if (typeof primaryType !== 'string') throw refuse('primaryType must be a string')
  if (!isRecord(domain)) throw refuse('domain must be an object')
  if (!Object.hasOwn(types, domainType) && standardDomainMembers(domain).length === 0) {
    throw refuse(
      'domain is empty, and no type says that it should be: an account of viem that is called directly drops a domain whose type is missing. Add EIP712Domain with the members of the domain to types, or sign with the wallet client of viem, which adds it. If there is no domain, make types.EIP712Domain an empty list',
    )
  }
  const structs = parseStructTypes(
    Object.hasOwn(types, domainType) ? types : { ...types, [domainType]: standardDomainMembers(domain) },
    fieldPath,
  )
  if (!structs.has(primaryType)) throw refuse('primaryType is not in types')
  if (primaryType === domainType) {
    if (message !== undefined && !(isRecord(message) && Object.keys(message).length === 0)) {
      throw refuse('message must be empty when primaryType is EIP712Domain')
    }
    return { primaryType, types: structs, domain, message: {} }
  }
  if (!isRecord(message)) throw refuse('message must be an object')
  return { primaryType, types: structs, domain, message }
}

/**
 * Returns the 32 bytes to sign: keccak256(0x19 ‖ 0x01 ‖ domainSeparator ‖ hashStruct(message)).
 *
 * A missing member is refused, not taken as zero. A member that its struct lacks is ignored, as wallets do. Integers
 * are JSON numbers below 2^53, or decimal or `0x` text, and must fit their type. Bytes are `0x` text; a `bytesN` has
 * exactly N bytes.
 * Throws FIELD_INVALID at `fieldPath` with a reason that names the member.
 */
export function hashTypedData(typedData: TypedData, fieldPath: string): Uint8Array {
  return finished(hashTypedDataInSteps(typedData, fieldPath))
}

/** The same for large documents. `count` is shared by those of one request. */
export function* hashTypedDataInSteps(
  { primaryType, types, domain, message }: TypedData,
  fieldPath: string,
  count: HashCount = newHashCount(),
): Steps<Uint8Array> {
  const context: Context = { types, typeHashes: new Map(), fieldPath, count }
  const domainSeparator = yield* hashStruct({ name: domainType, value: domain, path: 'domain', depth: 0 }, context)
  const messageHash =
    primaryType === domainType
      ? new Uint8Array(0)
      : yield* hashStruct({ name: primaryType, value: message, path: 'message', depth: 0 }, context)
  return keccak256(concatBytes(Uint8Array.of(0x19, 0x01), domainSeparator, messageHash))
}

/** EIP-712, "Definition of encodeType": `Mail(Person from,Person to,string contents)Person(string name,…)`. */
export function encodeType(name: string, types: StructTypes): string {
  const [, ...referenced] = structsUsedBy(name, types)
  return [name, ...referenced.sort()].map((struct) => structText(struct, types.get(struct) ?? [])).join('')
}

/** The struct itself, and then every struct that its members use, however deep. */
export function structsUsedBy(name: string, types: StructTypes): ReadonlySet<string> {
  const used = new Set([name])
  // Iterating a Set reaches elements added meanwhile, so each struct is visited once, even in a cycle of types.
  for (const struct of used) {
    for (const { type } of types.get(struct) ?? []) {
      const inner = innermost(type)
      if (inner.kind === 'struct') used.add(inner.name)
    }
  }
  return used
}

const domainType = 'EIP712Domain'
const documentKeys: ReadonlySet<string> = new Set(['types', 'primaryType', 'domain', 'message'])
const domainMembers = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
] as const

function standardDomainMembers(domain: JsonRecord) {
  return domainMembers.filter(({ name }) => Object.hasOwn(domain, name))
}

function innermost(type: MemberType): MemberType {
  return type.kind === 'array' ? innermost(type.element) : type
}

function structText(name: string, members: readonly Member[]): string {
  return `${name}(${members.map((member) => `${member.typeText} ${member.name}`).join(',')})`
}

type Context = {
  readonly types: StructTypes
  /** A cache: an array of a thousand structs hashes its type once. */
  readonly typeHashes: Map<string, Uint8Array>
  readonly fieldPath: string
  readonly count: HashCount
}

/** A value and its place in the document, which a refusal names. */
type Placed = { readonly value: unknown; readonly path: string; readonly depth: number }

function* hashStruct(
  { name, value, path, depth }: Placed & { readonly name: string },
  context: Context,
): Steps<Uint8Array> {
  const members = context.types.get(name) ?? []
  if (!isRecord(value)) throw refusal(path, 'an object', context)
  const parts = [typeHash(name, context)]
  for (const { name: member, type } of members) {
    const memberPath = `${path}.${member}`
    if (!Object.hasOwn(value, member)) throw refusal(memberPath, 'present', context)
    parts.push(yield* encodeValue({ type, value: value[member], path: memberPath, depth: depth + 1 }, context))
  }
  return keccak256(Buffer.concat(parts))
}

function typeHash(name: string, { types, typeHashes, fieldPath, count }: Context): Uint8Array {
  const known = typeHashes.get(name)
  if (known !== undefined) return known
  const text = encodeType(name, types)
  count.typeCharacters += text.length
  if (count.typeCharacters > typeCharactersMax) {
    const reason = `types, each written out with all that it uses, have more than ${typeCharactersMax} characters`
    throw fieldRefused(fieldPath, reason)
  }
  const hash = keccak256(new TextEncoder().encode(text))
  typeHashes.set(name, hash)
  return hash
}

/** The 32 bytes that stand for a value within its struct or array: EIP-712, "Definition of encodeData". */
function* encodeValue(
  { type, ...placed }: Placed & { readonly type: MemberType },
  context: Context,
): Steps<Uint8Array> {
  const { value, path, depth } = placed
  if (depth > typedDataDepthMax) throw refusal(path, `nested at most ${typedDataDepthMax} deep`, context)
  context.count.values += 1
  if (context.count.values > typedDataValuesMax) {
    const reason = `typed data has more than ${typedDataValuesMax} values`
    throw fieldRefused(context.fieldPath, reason)
  }
  if (context.count.values % valuesInARow === 0) yield
  switch (type.kind) {
    case 'struct':
      return yield* hashStruct({ ...placed, name: type.name }, context)
    case 'array':
      return yield* hashArray({ ...placed, type }, context)
    case 'string': {
      // A lone surrogate has no UTF-8 form; the encoder would put U+FFFD in its place and sign another text.
      if (typeof value !== 'string' || !value.isWellFormed()) throw refusal(path, 'a string', context)
      return keccak256(new TextEncoder().encode(value))
    }
    case 'bytes': {
      const bytes = readHex(value)
      if (bytes === undefined) throw refusal(path, '0x and an even number of hex digits', context)
      return keccak256(bytes)
    }
    case 'fixedBytes': {
      const bytes = readHex(value)
      if (bytes?.length !== type.length) throw refusal(path, `0x and ${2 * type.length} hex digits`, context)
      return padded(bytes, 0)
    }
    case 'address': {
      const address = readAddress(value)
      if (address === undefined) throw refusal(path, addressExpected, context)
      return padded(address, 12)
    }
    case 'bool':
      if (typeof value !== 'boolean') throw refusal(path, 'true or false', context)
      return word(value ? 1n : 0n)
    case 'integer':
      return encodeInteger({ ...placed, type }, context)
  }
}

type PlacedAs<K extends MemberType['kind']> = Placed & { readonly type: Extract<MemberType, { readonly kind: K }> }

function* hashArray({ value, path, depth, type }: PlacedAs<'array'>, context: Context): Steps<Uint8Array> {
  const { element, length } = type
  if (!Array.isArray(value)) throw refusal(path, 'a list', context)
  if (length !== undefined && value.length !== length) throw refusal(path, `a list of ${length}`, context)
  const parts: Uint8Array[] = []
  const items: readonly unknown[] = value
  for (const [index, item] of items.entries()) {
    parts.push(yield* encodeValue({ type: element, value: item, path: `${path}[${index}]`, depth: depth + 1 }, context))
  }
  return keccak256(Buffer.concat(parts))
}

function encodeInteger({ value, path, type }: PlacedAs<'integer'>, context: Context): Uint8Array {
  const { signed, bits } = type
  const integer = readInteger(value)
  const fits =
    integer !== undefined && (signed ? BigInt.asIntN(bits, integer) : BigInt.asUintN(bits, integer)) === integer
  if (!fits) {
    const name = `${signed ? 'int' : 'uint'}${bits}`
    throw refusal(path, `within ${name}, a number below 2^53 or decimal or 0x text`, context)
  }
  return word(BigInt.asUintN(256, integer))
}

function word(value: bigint): Uint8Array {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
}

function padded(bytes: Uint8Array, at: number): Uint8Array {
  const word = new Uint8Array(32)
  word.set(bytes, at)
  return word
}

function refusal(path: string, expected: string, { fieldPath }: Context): Failure {
  return fieldRefused(fieldPath, `${path} must be ${expected}`)
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
