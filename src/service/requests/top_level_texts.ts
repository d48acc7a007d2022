/** Bytes that delimit strings and values in JSON, and white space. No longer character of UTF-8 contains them. */
const [quote, colon, backslash, letterU, blank] = [0x22, 0x3a, 0x5c, 0x75, 0x20]
const [objectStart, objectEnd, arrayStart, arrayEnd] = [0x7b, 0x7d, 0x5b, 0x5d]

/**
 * The texts that an object has under these names, found without reading the rest into values: a megabyte of values takes
 * 23 MB and up to 60 ms. No text is made of any other key, because nobody has verified yet who sends them. The bytes need
 * not be JSON. In those that are, it finds what `JSON.parse` finds, apart from names that occur twice: the first counts.
 *
 * `names`: of letters and digits, so that their only other spelling in JSON is by the numbers of the characters.
 */
export function topLevelTexts<Name extends string>(
  bytes: Uint8Array,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const found: Partial<Record<Name, string>> = {}
  const missing = new Set(names)
  let depth = 0
  for (let at = behindBlanks(bytes, 0); at < bytes.length && missing.size > 0; at += 1) {
    const byte = bytes[at]
    if (depth === 0 && byte !== objectStart) break
    if (byte === objectStart || byte === arrayStart) depth += 1
    else if (byte === objectEnd || byte === arrayEnd) depth -= 1
    else if (byte === quote) {
      const end = endOfString(bytes, at)
      const name = depth === 1 ? nameAt(bytes, at + 1, missing) : undefined
      const next = name === undefined ? end : behindBlanks(bytes, end)
      if (name !== undefined && bytes[next] === colon) {
        missing.delete(name)
        const value = stringAt(bytes, behindBlanks(bytes, next + 1))
        if (value !== undefined) found[name] = value
      }
      at = end - 1
    }
  }
  return found
}

/** The name that the string whose content begins here spells. */
function nameAt<Name extends string>(bytes: Uint8Array, start: number, names: Iterable<Name>): Name | undefined {
  for (const name of names) if (isSpelledAt(bytes, start, name)) return name
  return undefined
}

function isSpelledAt(bytes: Uint8Array, start: number, name: string): boolean {
  let at = start
  for (let index = 0; index < name.length; index += 1) {
    const code = name.charCodeAt(index)
    if (bytes[at] === code) at += 1
    else if (isNumberAt(bytes, at, code)) at += escapeLength
    else return false
  }
  return bytes[at] === quote
}

const escapeLength = 6

/** Whether the character stands here by its number, `\u0061`. */
function isNumberAt(bytes: Uint8Array, at: number, code: number): boolean {
  if (bytes[at] !== backslash || bytes[at + 1] !== letterU) return false
  for (let index = 0; index < 4; index += 1) {
    if (hexDigitOf(bytes[at + 2 + index]) !== ((code >> (12 - 4 * index)) & 0xf)) return false
  }
  return true
}

function hexDigitOf(byte: number | undefined): number | undefined {
  if (byte === undefined) return undefined
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined
}

function behindBlanks(bytes: Uint8Array, start: number): number {
  let at = start
  while ((bytes[at] ?? quote) <= blank) at += 1
  return at
}

/** The index after the closing quote of the string that opens at `start`. The end of the bytes if there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === quote) return at + 1
    if (bytes[at] === backslash) at += 1
  }
  return bytes.length
}

/** A text of its own, not a part of a longer one that it would keep. */
function stringAt(bytes: Uint8Array, start: number): string | undefined {
  if (bytes[start] !== quote) return undefined
  const end = endOfString(bytes, start)
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8'))
  } catch {
    return undefined
  }
}
