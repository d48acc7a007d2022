import { bodyMembersMax, bodyValuesMax } from '../../protocol/wire/json.ts'

/** Bytes that delimit strings and values in JSON, and white space. No longer character of UTF-8 contains them. */
const [quote, comma, colon, backslash, blank] = [0x22, 0x2c, 0x3a, 0x5c, 0x20]
const [objectStart, objectEnd, arrayStart, arrayEnd] = [0x7b, 0x7d, 0x5b, 0x5d]
/** A character of a text has at most so many bytes of ASCII: `\u0061`. */
const escapeBytes = 6
/** An id of 36 characters and a time of 13 are shorter, also if all of their characters are escaped. */
export const textBytesMax = 512
/** Each text of a body is the name of a member, or a value. */
const textsMax = bodyMembersMax + bodyValuesMax

/**
 * The texts that an object has under these names, found without reading the rest into values: a megabyte of values takes
 * 23 MB and up to 60 ms. Nobody has verified a stamp over the bytes, so they need not be JSON, and each is looked at a few
 * times at most. The search ends at the first of these names whose value is no text, or one above `textBytesMax`, and
 * behind as many members, values or texts as a body may have. In a body that `parseBody` takes, it finds what is there up
 * to then.
 */
export function topLevelTexts<Name extends string>(
  bytes: Uint8Array,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const found: Partial<Record<Name, string>> = {}
  const start = behindBlanks(bytes, 0)
  if (bytes[start] !== objectStart) return found
  let [missing, depth, members, values, texts] = [names.length, 1, 0, 0, 0]
  for (let at = start + 1; at < bytes.length && missing > 0 && depth > 0; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte <= blank) at = behindBlanks(bytes, at) - 1
    else if (byte === quote) {
      const end = endOfString(bytes, at)
      const name = depth === 1 ? nameAt(bytes, at, end, names) : undefined
      const next = name === undefined ? end : behindBlanks(bytes, end)
      if (name !== undefined && bytes[next] === colon && found[name] === undefined) {
        const text = textAt(bytes, behindBlanks(bytes, next + 1))
        if (text === undefined) return found
        found[name] = text
        missing -= 1
      }
      at = end - 1
      texts += 1
      if (texts > textsMax) return found
    } else if (byte === colon) {
      members += 1
      if (members > bodyMembersMax) return found
    } else if (byte === objectEnd || byte === arrayEnd) depth -= 1
    else if (byte === comma || byte === objectStart || byte === arrayStart) {
      if (byte !== comma) depth += 1
      values += 1
      if (values > bodyValuesMax) return found
    }
  }
  return found
}

function behindBlanks(bytes: Uint8Array, start: number): number {
  let at = start
  while (at < bytes.length && (bytes[at] ?? quote) <= blank) at += 1
  return at
}

/** The index after the closing quote of the string that opens at `start`. The end of the bytes if there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) return at + 1
    if (byte === backslash) at += 1
  }
  return bytes.length
}

/** The one of these names that stands between the quotes. No text is made of any other. */
function nameAt<Name extends string>(
  bytes: Uint8Array,
  start: number,
  end: number,
  names: readonly Name[],
): Name | undefined {
  for (const name of names) if (isText(bytes, start + 1, end - 1, name)) return name
  return undefined
}

/** Whether these bytes are a text of ASCII, as it is or with characters escaped. */
function isText(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  if (end - start < text.length || end - start > escapeBytes * text.length) return false
  let at = start
  for (let index = 0; index < text.length; index += 1) {
    const isEscape = bytes[at] === backslash
    if ((isEscape ? escapedAt(bytes, at) : bytes[at]) !== text.charCodeAt(index)) return false
    at += isEscape ? escapeBytes : 1
  }
  return at === end
}

/** The code in an escape of the form `\u0061`; NaN for any other. Letters have no shorter one. */
function escapedAt(bytes: Uint8Array, at: number): number {
  if (bytes[at + 1] !== 0x75) return Number.NaN
  let code = 0
  for (let index = at + 2; index < at + escapeBytes; index += 1) code = code * 16 + hexDigit(bytes[index] ?? 0)
  return code
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}

/** A text of its own, not a part of a longer one that it would keep. */
function textAt(bytes: Uint8Array, start: number): string | undefined {
  if (bytes[start] !== quote) return undefined
  const end = endOfString(bytes, start)
  if (end - start - 2 > textBytesMax) return undefined
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8'))
  } catch {
    return undefined
  }
}
