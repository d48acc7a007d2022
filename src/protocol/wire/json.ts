import { finished, type Steps } from '../tools/steps.ts'
import { Failure } from './failures.ts'

/** Any JSON value, with numbers as `JSON.parse` reads them. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject
/** A JSON object with own members only. Look up a name from outside with `Object.hasOwn` or in a Map. */
export type JsonObject = { readonly [member: string]: JsonValue }

/** Levels of objects and lists, the body included. */
export const bodyDepthMax = 32

/**
 * Members of all objects of a body together. The largest request of the interface has 18,000. To read more takes long,
 * and nobody has verified the stamp before.
 */
export const bodyMembersMax = 20_000

/**
 * Members of all objects and items of all lists of a body together. An empty object or list counts twice. The largest
 * request of the interface has some 35,000. A value of two bytes may take seventy in memory.
 */
export const bodyValuesMax = 50_000

const pathCharactersMax = 200
const byteOrderMark = '\u{feff}'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads a body, which must be one JSON object (RFC 8259, UTF-8, no byte order mark): no key twice in an object, at most
 * `bodyDepthMax` levels, at most `bodyMembersMax` members and `bodyValuesMax` values, no escape for half of a surrogate
 * pair (RFC 7493, 2.1), nothing after the object. `JSON.parse` reads the values, and a `__proto__` becomes a member like
 * any other. A scan over the text then finds what `JSON.parse` hides. Throws BODY_INVALID with a message that names the
 * problem.
 */
export function parseBody(bytes: Uint8Array): JsonObject {
  return finished(parseBodyInSteps(bytes))
}

/** The same for a large body. */
export function* parseBodyInSteps(bytes: Uint8Array): Steps<JsonObject> {
  const text = decode(bytes)
  refuseTooManyValues(text)
  const value = parse(text)
  if (!isJsonObject(value)) throw invalid('it must be one JSON object')
  yield
  refuseWhatParsingHides(text)
  return value
}

/** Like `parseBody`, but returns undefined where `parseBody` throws. */
export function jsonObjectIn(bytes: Uint8Array): JsonObject | undefined {
  try {
    return parseBody(bytes)
  } catch {
    return undefined
  }
}

/** Any JSON value in a text, read as strictly as a body. Throws BODY_INVALID. */
export function* parseJsonText(text: string): Steps<JsonValue> {
  const value = parse(text)
  yield
  refuseWhatParsingHides(text)
  return value
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw invalid('it must be UTF-8', cause)
  }
}

function parse(text: string): JsonValue {
  if (text === '') throw invalid('it is empty')
  if (text.startsWith(byteOrderMark)) throw invalid('it starts with a byte order mark')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalid('it is not valid JSON', cause)
  }
}

/** Throws BODY_INVALID before the text is parsed, so it need not be valid JSON. */
function refuseTooManyValues(text: string): void {
  // Nearly every text is short, and needs no look: a value takes a character at least, and a member five.
  if (text.length <= Math.min(bodyValuesMax, 5 * bodyMembersMax)) return
  let members = 0
  let values = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at) - 1
    else if (code === colon) members += 1
    else if (code === comma || code === objectStart || code === arrayStart) values += 1
    if (members > bodyMembersMax) throw invalid(`it has more than ${bodyMembersMax} members`)
    if (values > bodyValuesMax) throw invalid(`it has more than ${bodyValuesMax} values`)
  }
}

function invalid(reason: string, cause?: unknown): Failure {
  return new Failure('BODY_INVALID', { reason, cause })
}

/** An open bracket, the keys seen inside it, and the position of the scan in it. */
type Level = { readonly isObject: boolean; keys: Set<string> | undefined; key: string; index: number }

const surrogateEscape = /\\u[dD][89a-fA-F]/
const [quote, comma, colon, backslash] = [0x22, 0x2c, 0x3a, 0x5c]
const [objectStart, objectEnd, arrayStart, arrayEnd] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Scans text that is known to be valid JSON, looking at strings, commas and brackets only. Throws BODY_INVALID. */
function refuseWhatParsingHides(text: string): void {
  const hasSurrogateEscape = surrogateEscape.test(text)
  const levels: Level[] = []
  let level: Level | undefined
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (level?.isObject && isKey(text, end)) {
        level.key = keyAt(text, at, end)
        level.keys ??= new Set()
        if (level.keys.has(level.key)) throw invalid(`the field ${shown(pathOf(levels))} occurs twice`)
        level.keys.add(level.key)
      }
      if (hasSurrogateEscape && hasHalfPair(text.slice(at, end))) {
        throw new Failure('BODY_INVALID', { fieldPath: shown(pathOf(levels)), expected: 'well-formed Unicode text' })
      }
      at = end - 1
    } else if (code === objectStart || code === arrayStart) {
      if (levels.length === bodyDepthMax) throw invalid(`it is nested deeper than ${bodyDepthMax} levels`)
      level = { isObject: code === objectStart, keys: undefined, key: '', index: 0 }
      levels.push(level)
    } else if (code === objectEnd || code === arrayEnd) {
      levels.pop()
      level = levels.at(-1)
    } else if (code === comma && level !== undefined) {
      level.index += 1
    }
  }
}

function keyAt(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1)
  return raw.includes('\\') ? JSON.parse(text.slice(start, end)) : raw
}

/**
 * Whether a string escapes half of a surrogate pair. UTF-8 has no form for it, so the database and the answers would
 * hold another text than the signed one.
 */
function hasHalfPair(string: string): boolean {
  return surrogateEscape.test(string) && !JSON.parse(string).isWellFormed()
}

/** The path at which the scan stands, such as `parameters.accounts[2].path`. */
function pathOf(levels: readonly Level[]): string {
  const steps = levels.map(({ isObject, key, index }) => (isObject ? `.${key}` : `[${index}]`))
  return steps.join('').replace(/^\./, '')
}

/** Shortens a path for a message, because the caller chose the keys in it. */
function shown(path: string): string {
  return (path.length > pathCharactersMax ? `${path.slice(0, pathCharactersMax)}…` : path).toWellFormed()
}

/** The index after the closing quote of the string that opens at `start`. The end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes += 1
    if (backslashes % 2 === 0) return end + 1
  }
  return text.length
}

function isKey(text: string, end: number): boolean {
  let at = end
  // In valid JSON, characters up to 0x20 between a string and the next token are white space.
  while (text.charCodeAt(at) <= 0x20) at += 1
  return text.charCodeAt(at) === colon
}

/** Narrows a value of a body to an object: neither null nor a list. */
export function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The UTF-8 bytes of an answer. */
export function jsonBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

/** The same for a large object: each item of its lists is a step. */
export function* jsonBytesInSteps(value: object): Steps<Uint8Array> {
  // Bytes, not texts: to make bytes of one long text would be one long step.
  const parts: Uint8Array[] = []
  const add = (text: string) => parts.push(Buffer.from(text))
  let separator = '{'
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    add(`${separator}${JSON.stringify(name)}:`)
    if (Array.isArray(member)) yield* addList(member, add)
    else add(JSON.stringify(member))
    separator = ','
  }
  add(separator === '{' ? '{}' : '}')
  return Buffer.concat(parts)
}

function* addList(list: readonly unknown[], add: (text: string) => void): Steps<void> {
  add('[')
  for (const [index, item] of list.entries()) {
    yield
    add(`${index === 0 ? '' : ','}${JSON.stringify(item) ?? 'null'}`)
  }
  add(']')
}
