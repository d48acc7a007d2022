/** The headers of a request end with a blank line, and so does a body in chunks. Node's parser takes no bare line feeds. */
const lineEnd = Buffer.from('\r\n')
const blankLine = Buffer.from('\r\n\r\n')
/** So much of a blank line may stand before a piece. */
const seamBytes = blankLine.length - 1

/** `bytes`: its length. `isEnd`: it ends with a blank line. */
export type Piece = { readonly bytes: number; readonly lines: number; readonly isEnd: boolean }

/**
 * The beginning of what has `arrived`: to the first blank line, which may begin in what was `before`, or so many lines.
 * Each chunk of a body in chunks is a line or two, and an event of Node's parser.
 */
export function nextPiece(before: Buffer, arrived: Buffer, linesMax: number): Piece {
  const seam = before.length === 0 ? -1 : Buffer.concat([before, arrived.subarray(0, seamBytes)]).indexOf(blankLine)
  if (seam !== -1) return { bytes: seam + blankLine.length - before.length, lines: 1, isEnd: true }
  let bytes = 0
  for (let lines = 1; lines <= linesMax; lines += 1) {
    const found = arrived.indexOf(lineEnd, bytes)
    if (found === -1) return { bytes: arrived.length, lines, isEnd: false }
    const isEnd = lines > 1 && found === bytes
    bytes = found + lineEnd.length
    if (isEnd) return { bytes, lines, isEnd }
  }
  return { bytes, lines: linesMax, isEnd: false }
}

/** The end of what was handed on, as far as a blank line may begin in it. */
export function seamAfter(before: Buffer, piece: Buffer): Buffer {
  return Buffer.concat([before, piece.subarray(-seamBytes)]).subarray(-seamBytes)
}
