import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { exportLineBytesMax } from '../../protocol/log/exports/export_lines.ts'
import { CommandError, exitCodes } from '../shared/exit_codes.ts'

/**
 * A line of a file with its place: `start` is its first byte, and `end` the one behind its line feed. A line that is no
 * UTF-8 has an empty text, which no export has.
 */
export type PlacedLine = { readonly text: string; readonly start: number; readonly end: number }

const chunkBytes = 65_536
const lineFeed = 0x0a

/** Ends a command that does not expect one. */
export class LongLine extends CommandError {
  constructor(start: number) {
    super(`the line at byte ${start} of the file has more than ${exportLineBytesMax} bytes`, exitCodes.usage)
  }
}

/**
 * The lines of a file from a byte on, each of which ends with a line feed. The rest behind the last one is left out.
 * Throws a `LongLine` for one that is longer than any of an export.
 */
export async function* linesFrom(file: FileHandle, from: number): AsyncGenerator<PlacedLine, void, undefined> {
  let parts: Buffer[] = []
  let start = from
  for (let at = from; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at)
    if (bytesRead === 0) return
    at += bytesRead
    let rest = buffer.subarray(0, bytesRead)
    for (let end = rest.indexOf(lineFeed); end !== -1; end = rest.indexOf(lineFeed)) {
      const last = rest.subarray(0, end)
      const line = parts.length === 0 ? last : Buffer.concat([...parts, last])
      parts = []
      yield { text: textOf(line), start, end: start + line.length + 1 }
      start += line.length + 1
      rest = rest.subarray(end + 1)
    }
    parts.push(rest)
    if (at - start > exportLineBytesMax) throw new LongLine(start)
  }
}

/** The last line of a file. Undefined if it has no end, or is longer than any of an export. */
export async function lastLine(file: FileHandle): Promise<PlacedLine | undefined> {
  const { size } = await file.stat()
  for (let bytes = chunkBytes; ; bytes *= 4) {
    const from = Math.max(0, size - bytes)
    const tail = Buffer.alloc(size - from)
    await file.read(tail, 0, tail.length, from)
    if (tail.at(-1) !== lineFeed) return undefined
    const before = tail.subarray(0, -1).lastIndexOf(lineFeed)
    if (before !== -1 || from === 0) {
      return { text: textOf(tail.subarray(before + 1, -1)), start: from + before + 1, end: size }
    }
    if (bytes > exportLineBytesMax) return undefined
  }
}

function textOf(line: Buffer): string {
  return isUtf8(line) ? line.toString('utf8') : ''
}
