import { Failure } from './failures.ts'

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject
export type JsonObject = { readonly [member: string]: JsonValue }

export const bodyDepthMax = 32

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The one JSON object that a body must be (RFC 8259, UTF-8, no byte order mark): no key twice in an object, at most
 * `bodyDepthMax` levels, nothing behind it. `JSON.parse` reads the values; a scan over the text sees what it hides.
 */
export function parseBody(bytes: Uint8Array): JsonObject {
  const text = decode(bytes)
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('it must be one JSON object')
  refuseDuplicateKeys(text)
  return value as JsonObject
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw invalid('it must be UTF-8', cause)
  }
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalid('it is not valid JSON', cause)
  }
}

function invalid(reason: string, cause?: unknown): Failure {
  return new Failure('BODY_INVALID', { reason, cause })
}

type Level = { readonly keys: Set<string> | undefined; readonly path: string }

/** Walks over text that is known to be valid JSON, looking at strings and brackets only. */
function refuseDuplicateKeys(text: string): void {
  const levels: Level[] = []
  let key = ''
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '{' || character === '[') {
      if (levels.length === bodyDepthMax) throw invalid(`it is nested deeper than ${bodyDepthMax} levels`)
      levels.push({ keys: character === '{' ? new Set() : undefined, path: pathTo(levels, key) })
    } else if (character === '}' || character === ']') {
      levels.pop()
    } else if (character === '"') {
      const end = endOfString(text, at)
      const keys = levels.at(-1)?.keys
      if (keys !== undefined && isKey(text, end)) {
        key = JSON.parse(text.slice(at, end))
        if (keys.has(key)) throw invalid(`the field ${pathTo(levels, key)} stands there twice`)
        keys.add(key)
      }
      at = end - 1
    }
  }
}

function pathTo(levels: readonly Level[], key: string): string {
  const level = levels.at(-1)
  if (level === undefined) return ''
  const name = level.keys === undefined ? '[]' : key
  return level.path === '' ? name : `${level.path}.${name}`
}

/** The index behind the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return quote + 1
  }
}

function isKey(text: string, end: number): boolean {
  let at = end
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1
  return text[at] === ':'
}

export function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
