import { codePointOf } from '../../protocol/tools/visible_text.ts'
import { marksOf, type QuotedPart, quotedParts } from './texts/quoted.ts'

/** About as many columns as a row of a window has. */
export const columnsOfRow = 60

const tabColumns = 8
const gapColumns = 20

/** About how many rows of a screen a text takes in the console, with its tabs, its wide characters and its marks. */
export function rowsOfText(text: string): number {
  let [rows, columns] = [0, 0]
  const endLine = () => {
    rows += Math.max(1, Math.ceil(columns / columnsOfRow))
    columns = 0
  }
  for (const part of quotedParts(text)) {
    const marked = columnsOfMark(part)
    if (marked !== undefined) columns += marked
    else
      for (const character of part.text) {
        if (character === '\n') endLine()
        else if (character === '\t') columns += tabColumns - (columns % tabColumns)
        else columns += columnsOf(character)
      }
  }
  endLine()
  return rows
}

/** The columns of a part that is shown by a mark in its place. */
function columnsOfMark(part: QuotedPart): number | undefined {
  switch (part.kind) {
    case 'gap':
      return gapColumns
    case 'hidden':
      return codePointOf(part.text).length + 1
    case 'quote':
      return marksOf(part.text).length + 1
    default:
      return undefined
  }
}

/** Signs that fonts make as wide as a word: ligatures of Arabic, dashes of two and three em, and cuneiform. */
const veryWide = /[\ufdf0-\ufdff\u2e3a\u2e3b\u{12000}-\u{1254f}]/u
/** A character that may be twice as wide as a letter of ASCII. */
const wide = /[\u0900-\u0dff\u1100-\u{10ffff}]/u

function columnsOf(character: string): number {
  if (veryWide.test(character)) return 12
  return wide.test(character) ? 2 : 1
}
