/**
 * A value in the evaluation of an expression. Integers are exact; a timestamp is milliseconds since 1970. A field of a
 * struct is missing if it is undefined or inherited.
 */
export type Value = boolean | bigint | string | readonly Value[] | ReadonlyMap<string, Value> | Struct

type Scalar = boolean | bigint | string

export type Struct = { readonly [field: string]: Value | undefined }

/** The range of written integers: from the smallest int (128 bits with a sign) to the largest uint (256 bits). */
const integerMin = -(2n ** 127n)
const integerMax = 2n ** 256n - 1n

export function isIntegerInRange(value: bigint): boolean {
  return integerMin <= value && value <= integerMax
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

export function isMap(value: Value): value is ReadonlyMap<string, Value> {
  return value instanceof Map
}

export function isStruct(value: Value): value is Struct {
  return typeof value === 'object' && !isList(value) && !isMap(value)
}

/** The structs of a list. None if the value is no list. */
export function structsIn(value: Value | undefined): readonly Struct[] {
  return value !== undefined && isList(value) ? value.filter(isStruct) : []
}

/** Follows own fields from struct to struct. Undefined if a field is missing or its parent is no struct. */
export function valueAt(struct: Struct, path: readonly string[]): Value | undefined {
  let value: Value | undefined = struct
  for (const name of path) {
    if (value === undefined || !isStruct(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

/** Returns the kind of a value for messages: `a string`. */
export function kindOf(value: Value): string {
  if (typeof value === 'boolean') return 'a boolean'
  if (typeof value === 'bigint') return 'an integer'
  if (typeof value === 'string') return 'a string'
  if (isList(value)) return 'a list'
  return isMap(value) ? 'a map' : 'a struct'
}

/**
 * Whether two scalars of one kind are equal. Two texts that are both `0x` and hex digits are compared without regard to
 * case: an address with the capitals of its checksum (EIP-55) equals the one without.
 */
export function areEqual(left: Scalar, right: Scalar): boolean {
  if (left === right) return true
  return typeof left === 'string' && typeof right === 'string' && areSameHex(left, right)
}

/** Stops at the first digit that differs: rules have long lists of addresses, most of which differ. */
function areSameHex(left: string, right: string): boolean {
  if (left.length !== right.length || !left.startsWith('0x') || !right.startsWith('0x')) return false
  for (let index = 2; index < left.length; index++) {
    const [one, other] = [left.charCodeAt(index), right.charCodeAt(index)]
    if (!isHexDigit(one) || !isHexDigit(other) || (one | lowerCaseBit) !== (other | lowerCaseBit)) return false
  }
  return true
}

/** Setting this bit turns an ASCII letter into lower case and leaves a digit as it is. */
const lowerCaseBit = 0x20

function isHexDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
}
