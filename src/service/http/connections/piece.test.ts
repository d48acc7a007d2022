import { expect, test } from 'vitest'
import { nextPiece, seamAfter } from './piece.ts'

/** The pieces of a text that arrives in two parts. */
function piecesOf(text: string, cut: number, linesMax: number): readonly string[] {
  const pieces: string[] = []
  let before = Buffer.alloc(0)
  for (const part of [text.slice(0, cut), text.slice(cut)]) {
    let left = Buffer.from(part)
    while (left.length > 0) {
      const { bytes, isEnd } = nextPiece(before, left, linesMax)
      const piece = left.subarray(0, bytes)
      before = isEnd ? Buffer.alloc(0) : Buffer.from(seamAfter(before, piece))
      pieces.push(piece.toString() + (isEnd ? '|' : ''))
      left = left.subarray(bytes)
    }
  }
  return pieces
}

test('a piece ends with a blank line, wherever what arrives is cut', () => {
  const text = 'a\r\nbc\r\n\r\nd\r\n\r\n'
  for (let cut = 0; cut <= text.length; cut += 1) {
    for (const linesMax of [1, 2, 100]) {
      expect(piecesOf(text, cut, linesMax).join('')).toBe('a\r\nbc\r\n\r\n|d\r\n\r\n|')
    }
  }
})

test('a piece has so many lines at most', () => {
  expect(piecesOf('1\r\n \r\n'.repeat(4), 0, 4)).toEqual(['1\r\n \r\n1\r\n \r\n', '1\r\n \r\n1\r\n \r\n'])
})
