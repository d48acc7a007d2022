import { longestGapIn, withoutGaps } from '../../protocol/tools/visible_text.ts'
import type { Explanation, Note, Row, Value } from './explanation.ts'
import { noteOf, number } from './values.ts'
import { warned } from './warnings.ts'

/**
 * Warns in the title of texts whose end may be out of sight while the button that approves it is not: one with a gap
 * (`visibleParts`), and texts so long that their reader must scroll. The rules and the voters say nothing of what is asked for.
 */
export function warnedOfUnseenEnds(explanation: Explanation): Explanation {
  const { title, sections } = explanation
  const rows = sections.flatMap(({ kind, rows: own }) => (kind === 'rule' ? [] : own))
  const texts = [...title.values.flatMap(textsIn), ...textsInRows(rows)]
  return { ...explanation, title: warned(title, [...gapNotes(texts), ...lengthNotes(texts)]) }
}

/** `isCut`: the title says already that its end is not shown. */
type Text = { readonly text: string; readonly isCut: boolean }

function gapNotes(texts: readonly Text[]): readonly Note[] {
  const gap = longestGapIn(texts.map(({ text }) => text))
  return gap === undefined ? [] : [noteOf('textGap', number(gap.lineBreaks), number(gap.blanks))]
}

/** About two screens of a phone or of a window. */
const rowsMax = 60
const columnsOfRow = 60
/** Those of a name: the console folds lists of them. */
const rowsOfNameMax = 5

/** Several texts push one another down as one does. */
function lengthNotes(texts: readonly Text[]): readonly Note[] {
  const long = texts
    .flatMap(({ text, isCut }) => (isCut ? [] : [{ text, rows: rowsOf(text) }]))
    .filter(({ rows }) => rows > rowsOfNameMax)
  if (sumOf(long.map(({ rows }) => rows)) <= rowsMax) return []
  const characters = sumOf(long.map(({ text }) => text.length))
  const lines = sumOf(long.map(({ text }) => text.split('\n').length))
  return [noteOf('longText', number(characters), number(lines))]
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

/** About how many rows of a screen a text takes, in which a gap takes none. */
function rowsOf(text: string): number {
  if (text.length <= rowsOfNameMax) return 0
  return withoutGaps(text)
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(columnsOf(line) / columnsOfRow)), 0)
}

function columnsOf(line: string): number {
  return line.length + (line.match(wide)?.length ?? 0)
}

/** A character that is twice as wide as a letter of ASCII, or that is shown by its code point. */
const wide = /[\u1100-\uffff]/g

function textsInRows(rows: readonly Row[]): readonly Text[] {
  return rows.flatMap((row) => [...('name' in row ? whole(row.name) : []), ...textsIn(row.value)])
}

function textsIn(value: Value): readonly Text[] {
  switch (value.kind) {
    case 'text':
      return [{ text: value.text, isCut: value.characters !== undefined }]
    case 'address':
      return whole(value.name, value.account, value.address)
    case 'id':
      return whole(value.name)
    case 'note':
      return [...whole(value.detail), ...(value.values ?? []).flatMap(textsIn)]
    case 'tree':
      return textsInRows(value.rows)
    case 'list':
      return value.items.flatMap(textsIn)
    case 'change':
      return [...textsIn(value.from), ...textsIn(value.to)]
    default:
      return []
  }
}

function whole(...texts: readonly (string | undefined)[]): readonly Text[] {
  return texts.flatMap((text) => (text === undefined ? [] : [{ text, isCut: false }]))
}
