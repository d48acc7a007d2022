import { Failure } from './failures.ts'

/** What JSON can say; numbers are those of `JSON.parse`. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject
/** An object of JSON, its members being its own. Names from outside: look them up with `Object.hasOwn` or a Map. */
export type JsonObject = { readonly [member: string]: JsonValue }

/** Objects and lists inside one another, the body itself counted. */
export const bodyDepthMax = 32

const pathCharactersMax = 200
const byteOrderMark = '\u{feff}'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The one JSON object that a body must be (RFC 8259, UTF-8, no byte order mark): no key twice in an object, at most
 * `bodyDepthMax` levels, no escape for half of a surrogate pair (RFC 7493, 2.1), nothing behind it. `JSON.parse` reads
 * the values (a `__proto__` becomes a member like any other); a scan over the text sees what it hides. Throws
 * BODY_INVALID, whose message says which of these it is.
 */
export function parseBody(bytes: Uint8Array): JsonObject {
  const text = decode(bytes)
  const value = parse(text)
  if (!isJsonObject(value)) throw invalid('it must be one JSON object')
  refuseWhatParsingHides(text)
  return value
}

/** The same; undefined for whatever `parseBody` refuses. */
export function jsonObjectIn(bytes: Uint8Array): JsonObject | undefined {
  try {
    return parseBody(bytes)
  } catch {
    return undefined
  }
}

/** Any JSON value in a text, read as strictly as a body. Throws BODY_INVALID. */
export function parseJsonText(text: string): JsonValue {
  const value = parse(text)
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

function invalid(reason: string, cause?: unknown): Failure {
  return new Failure('BODY_INVALID', { reason, cause })
}

/** An open bracket: what was seen in it, and where in it the scan stands. */
type Level = { readonly isObject: boolean; keys: Set<string> | undefined; key: string; index: number }

const surrogateEscape = /\\u[dD][89a-fA-F]/
const [quote, comma, colon, backslash] = [0x22, 0x2c, 0x3a, 0x5c]
const [objectStart, objectEnd, arrayStart, arrayEnd] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Walks over text that is known to be valid JSON, looking at strings, commas and brackets only. */
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
        if (level.keys.has(level.key)) throw invalid(`the field ${shown(pathOf(levels))} stands there twice`)
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
 * Half of a surrogate pair has no form in UTF-8: in the database, or in an answer that a strict client reads, such a text
 * would not be the one that was signed.
 */
function hasHalfPair(string: string): boolean {
  return surrogateEscape.test(string) && !JSON.parse(string).isWellFormed()
}

/** `parameters.accounts[2].path`: where the scan stands. */
function pathOf(levels: readonly Level[]): string {
  const steps = levels.map(({ isObject, key, index }) => (isObject ? `.${key}` : `[${index}]`))
  return steps.join('').replace(/^\./, '')
}

/** The caller chose the keys: a refusal does not repeat a megabyte of them. */
function shown(path: string): string {
  return (path.length > pathCharactersMax ? `${path.slice(0, pathCharactersMax)}…` : path).toWellFormed()
}

/** The index behind the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes += 1
    if (backslashes % 2 === 0) return end + 1
  }
}

function isKey(text: string, end: number): boolean {
  let at = end
  // In valid JSON nothing below or at 0x20 stands between a string and what follows but white space.
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
