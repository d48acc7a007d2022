import { longestGapIn } from '../../protocol/tools/visible_text.ts'
import type { Explanation, Note, Row, Value } from './explanation.ts'
import { noteOf, number } from './shown_values.ts'
import { columnsOfRow, rowsOfText } from './text_rows.ts'
import { firstOf, runsOf, shownAtFirst } from './texts/runs.ts'
import { warned } from './warnings.ts'

/**
 * Warns in the title of texts whose end may be out of sight while the button that approves it is not: one with a gap
 * (`visibleParts`), and texts so long that their reader must scroll. The rules and the voters say nothing of what is asked for.
 */
export function warnedOfUnseenEnds(explanation: Explanation): Explanation {
  const { title, sections } = explanation
  const asked = sections.filter(({ kind }) => kind !== 'rule')
  const texts = [
    ...title.values.flatMap((value) => textsIn(value, atFirst)),
    ...asked.flatMap(({ kind, rows }) => {
      // Who asks, by which credential.
      const isAround = kind === 'request'
      return textsInRows(rows, atFirst).map((one) => (isAround ? { ...one, isName: true } : one))
    }),
  ]
  return { ...explanation, title: warned(title, [...gapNotes(texts), ...lengthNotes(texts)]) }
}

/**
 * `isCut`: the title says already that its end is not shown. `isFolded`: the console shows it only when its reader asks
 * for more of the list. `isName`: it stands beside its value, or is an address or a name of something here.
 */
type Text = { readonly text: string; readonly isCut: boolean; readonly isFolded: boolean; readonly isName: boolean }

type Place = Pick<Text, 'isFolded'>
const atFirst: Place = { isFolded: false }

function gapNotes(texts: readonly Text[]): readonly Note[] {
  const gap = longestGapIn(texts.map(({ text }) => text))
  return gap === undefined ? [] : [noteOf('textGap', number(gap.lineBreaks), number(gap.blanks))]
}

/** About two screens of a phone or of a window. */
const rowsMax = 60
/** Those of a name. A longer text counts also where the console folds it. */
const rowsOfNameMax = 5

/** Several texts push one another down as one does, however short each is. */
function lengthNotes(texts: readonly Text[]): readonly Note[] {
  const counted = texts.filter(
    ({ text, isCut, isFolded }) => !isCut && (!isFolded || leastRowsOf(text) > rowsOfNameMax),
  )
  if (!takeMoreThan(rowsMax, counted)) return []
  const long = counted.filter(({ text }) => leastRowsOf(text) > rowsOfNameMax)
  const shown = takeMoreThan(rowsMax, long) ? long : counted
  const characters = sumOf(shown.map(({ text }) => text.length))
  const lines = sumOf(shown.map(({ text }) => text.split('\n').length))
  return [noteOf('longText', number(characters), number(lines))]
}

/**
 * A name of one row is no text to read: documents have many, and nobody looks for the end of one. Stops where it is sure:
 * to count the columns of a text takes far longer than its length.
 */
function takeMoreThan(most: number, texts: readonly Text[]): boolean {
  let rows = 0
  return texts.some(({ text, isName }) => {
    rows += rowsOfText(text) - (isName ? 1 : 0)
    return rows > most
  })
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

/** The rows of a text by its length alone. */
function leastRowsOf(text: string): number {
  return sumOf(text.split('\n').map((line) => Math.max(1, Math.ceil(line.length / columnsOfRow))))
}

function textsInRows(rows: readonly Row[], { isFolded }: Place): readonly Text[] {
  const runs = runsOf(rows)
  const first = new Set(firstOf(runs, shownAtFirst.runs).flatMap((run) => firstOf(run, shownAtFirst.rows)))
  return rows.flatMap((row) => {
    const place = { isFolded: isFolded || !first.has(row) }
    return [...('name' in row ? whole(place, row.name) : []), ...textsIn(row.value, place)]
  })
}

function textsIn(value: Value, { isFolded }: Place): readonly Text[] {
  switch (value.kind) {
    case 'text':
      return [{ text: value.text, isCut: value.characters !== undefined, isFolded, isName: false }]
    case 'address':
      return whole({ isFolded }, value.name, value.account, value.address)
    case 'id':
      return whole({ isFolded }, value.name)
    case 'note':
      return [
        ...whole({ isFolded }, value.detail),
        ...(value.values ?? []).flatMap((one) => textsIn(one, { isFolded })),
      ]
    case 'tree':
      return textsInRows(value.rows, { isFolded })
    case 'list': {
      const { length } = firstOf(value.items, shownAtFirst.items)
      return value.items.flatMap((item, index) => textsIn(item, { isFolded: isFolded || index >= length }))
    }
    case 'change':
      return [...textsIn(value.from, { isFolded }), ...textsIn(value.to, { isFolded })]
    default:
      return []
  }
}

function whole({ isFolded }: Place, ...texts: readonly (string | undefined)[]): readonly Text[] {
  return texts.flatMap((text) => (text === undefined ? [] : [{ text, isCut: false, isFolded, isName: true }]))
}
