import type { JsonObject, JsonValue } from '../wire/json.ts'

/**
 * Returns the canonical JSON that QuorumOS hashes and signs. It is RFC 8785 with three differences: integers are
 * decimal texts, other numbers are refused (RangeError), and null members are left out. A null in a list stays.
 */
export function qosJson(value: JsonValue): string {
  if (typeof value === 'number') return JSON.stringify(decimal(value))
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isList(value)) return `[${value.map(qosJson).join(',')}]`
  return qosObject(value)
}

function qosObject(value: JsonObject): string {
  const members = Object.entries(value).filter(([, member]) => member !== null)
  // `sort` without a comparison goes by UTF-16 code units, as RFC 8785, 3.2.3, requires.
  const names = new Map(members)
  const sorted = [...names.keys()].sort()
  return `{${sorted.map((name) => `${JSON.stringify(name)}:${qosJson(names.get(name) ?? null)}`).join(',')}}`
}

function decimal(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no integer that JSON carries exactly`)
  return String(value)
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
