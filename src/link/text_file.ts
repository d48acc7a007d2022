import { codeIn } from '../protocol/tools/error_codes.ts'
import { readRegular } from './regular_file.ts'

/** A file of text is in UTF-16, as its byte order mark says. */
export class Utf16Text extends Error {
  override readonly name = 'Utf16Text'
  /** For messages that show the code of an error of the system. */
  readonly code = 'it begins with a byte order mark of UTF-16: save it as UTF-8'

  constructor() {
    super('it begins with a byte order mark of UTF-16: save it as UTF-8')
  }
}

const utf8Mark = [0xef, 0xbb, 0xbf]
const utf16Marks = [
  [0xff, 0xfe],
  [0xfe, 0xff],
]

/** Whether these bytes begin with a byte order mark of UTF-8 or UTF-16, which editors write and nobody sees. */
export function hasByteOrderMark(bytes: Uint8Array): boolean {
  return [utf8Mark, ...utf16Marks].some((mark) => beginsWith(bytes, mark))
}

/** Returns the bytes of a file of text, without a byte order mark of UTF-8. Throws `Utf16Text`. */
export function markless(bytes: Uint8Array): Uint8Array {
  if (utf16Marks.some((mark) => beginsWith(bytes, mark))) throw new Utf16Text()
  return beginsWith(bytes, utf8Mark) ? bytes.subarray(utf8Mark.length) : bytes
}

/** Returns the text of a file in UTF-8, without a byte order mark. Throws `Utf16Text`. */
export function textIn(bytes: Uint8Array): string {
  return Buffer.from(markless(bytes)).toString('utf8')
}

/** Reads a whole file of text. Throws `Utf16Text`, `IrregularFile`, or the error of the system. */
export function readText(path: string): string {
  return textIn(readRegular(path))
}

/** The same. Throws the error that `refused` makes of the reason. */
export function readTextOr(path: string, refused: (reason: string, cause: unknown) => Error): string {
  try {
    return readText(path)
  } catch (cause) {
    throw refused(`it cannot be read${codeIn(cause)}`, cause)
  }
}

function beginsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte)
}
