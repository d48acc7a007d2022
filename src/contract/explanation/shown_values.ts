import { checksummed, readAddress } from '../../protocol/chains/ethereum_values.ts'
import type { NoteCode } from './codes/note_codes.ts'
import type { SectionKind } from './codes/section_kinds.ts'
import type { Explanation, Note, Row, Section, Title, Value } from './explanation.ts'
import { saysOf, warned } from './warnings.ts'

/** Makes the values of an explanation, each within its maximum. */

/** The recipients, outputs, calls or items of one list that are shown. */
export const listedMax = 1_000
/** The characters of one text that are shown. */
export const textCharactersMax = 1_000
/** The characters of one parameter in which each may decide: an expression, the value of a feature, an address. */
export const wholeTextCharactersMax = 10_000
/** The characters of a name that somebody set, where it must not push the rest out of a title. */
const titleNameCharactersMax = 80
/** The characters of a name or an address. */
const nameCharactersMax = 256
/** The bytes of one value that are shown in hex. */
export const hexBytesMax = 256
/** The values of one explanation. */
export const valuesMax = 10_000
/** How deep trees and lists may nest. */
export const treeDepthMax = 20

/** A text that somebody set. Cut between two characters, never inside one. */
export function text(given: string): Value {
  return textUpTo(textCharactersMax, given)
}

/** A name in a title, which says how long it is if it is cut. */
export function shortName(given: string): Value {
  return textUpTo(titleNameCharactersMax, given)
}

/** A parameter that is shown whole, because its end may change what its beginning says. */
export function wholeText(given: string): Value {
  return textUpTo(wholeTextCharactersMax, given)
}

function textUpTo(charactersMax: number, given: string): Value {
  if (given.length <= charactersMax) return { kind: 'text', text: given.toWellFormed() }
  const cut = given.slice(0, charactersMax).replace(/[\ud800-\udbff]$/, '')
  return { kind: 'text', text: cut.toWellFormed(), characters: given.length }
}

export const code = (word: string): Value => ({ kind: 'code', code: word })
export const none = code('none')
export const flag = (isSet: unknown): Value => code(isSet === true ? 'yes' : 'no')

export function number(given: bigint | number): Value {
  return { kind: 'number', number: String(given) }
}

export function time(timeMs: number): Value {
  return { kind: 'time', at: Temporal.Instant.fromEpochMilliseconds(timeMs).toString() }
}

/** `seconds`: whole seconds in decimals, as requests have them. */
export function duration(seconds: string | number): Value {
  return { kind: 'duration', seconds: Number(seconds) }
}

/** The organization's names for an address of its own. */
type AddressNames = { readonly name?: string | undefined; readonly account?: string | undefined }

export function address(given: string, { name, account }: AddressNames = {}): Value {
  return {
    kind: 'address',
    address: cutAt(given, nameCharactersMax),
    ...(name === undefined ? {} : { name: cutAt(name, nameCharactersMax) }),
    ...(account === undefined ? {} : { account: cutAt(account, nameCharactersMax) }),
  }
}

/** An address of Ethereum in any case, shown with its checksum (EIP-55). */
export function ethereumAddress(given: string, names?: AddressNames): Value {
  const bytes = readAddress(given.toLowerCase())
  return address(bytes === undefined ? given : `0x${checksummed(bytes)}`, names)
}

/** `digits`: hex, with or without `0x`. */
export function hex(digits: string): Value {
  const plain = digits.replace(/^0x/, '').toLowerCase()
  const shown = `0x${plain.slice(0, 2 * hexBytesMax)}`
  const bytes = plain.length / 2
  return { kind: 'hex', hex: shown, bytes, ...(bytes > hexBytesMax ? { isCut: true } : {}) }
}

export function note(noteCode: NoteCode, detail?: string): Note {
  return { kind: 'note', code: noteCode, ...(detail === undefined ? {} : { detail: cutAt(detail, textCharactersMax) }) }
}

/** A note with values in its sentence. */
export function noteOf(noteCode: NoteCode, ...values: readonly Value[]): Note {
  return { kind: 'note', code: noteCode, values }
}

export function change(from: Value, to: Value): Value {
  return { kind: 'change', from, to }
}

export function row(label: string, value: Value): Row {
  return { label, value }
}

/** A row with a name that others set. */
export function namedRow(name: string, value: Value): Row {
  return { name: cutAt(name, nameCharactersMax), value }
}

/** Rows for those values that are there. */
export function rowsOf(values: Readonly<Record<string, Value | undefined>>): readonly Row[] {
  return Object.entries(values).flatMap(([label, value]) => (value === undefined ? [] : [row(label, value)]))
}

export function tree(values: Readonly<Record<string, Value | undefined>>): Value {
  return { kind: 'tree', rows: rowsOf(values) }
}

export function section(kind: SectionKind, rows: readonly Row[]): readonly Section[] {
  return rows.length === 0 ? [] : [{ kind, rows }]
}

/** The first section of an explanation: each warning of its title in full. */
export function warningsSection({ warnings = [] }: Title): readonly Section[] {
  const shown = listed(warnings, (warning) => warning)
  return section(
    'warnings',
    shown.map((warning) => row('warning', warning)),
  )
}

/** Shows the first items of a list, and says how many follow. `sumOf` adds the items that are left out. */
export function listed<T>(
  items: readonly T[],
  show: (item: T) => Value,
  sumOf?: (leftOut: readonly T[]) => Value,
): readonly Value[] {
  const leftOut = items.slice(listedMax)
  const sum = leftOut.length === 0 ? undefined : sumOf?.(leftOut)
  return [
    ...items.slice(0, listedMax).map(show),
    ...(leftOut.length === 0
      ? []
      : [{ kind: 'leftOut', count: leftOut.length, ...(sum === undefined ? {} : { sum }) } as const]),
  ]
}

/** A row for each shown item of a list, and one with a label of its own that says how many follow. */
export function itemRows(label: string, items: readonly Value[]): readonly Row[] {
  return items.map((item) => row(item.kind === 'leftOut' ? `${label}sLeftOut` : label, item))
}

export function list(items: readonly Value[]): Value {
  return items.length === 0 ? none : { kind: 'list', items }
}

const namedInTitleMax = 3

/** The first things that a title names, and how many more there are. */
export function namedInTitle(values: readonly Value[]): readonly Value[] {
  const others = countOf(values.slice(namedInTitleMax))
  return [...values.slice(0, namedInTitleMax), ...(others === 0 ? [] : [noteOf('andMore', number(others))])]
}

/** How many things these stand for. */
function countOf(items: readonly Value[]): number {
  return items.reduce((sum, item) => sum + (item.kind === 'leftOut' ? item.count : 1), 0)
}

function cutAt(given: string, charactersMax: number): string {
  const wellFormed = given.toWellFormed()
  return wellFormed.length <= charactersMax
    ? wellFormed
    : `${wellFormed.slice(0, charactersMax).replace(/[\ud800-\udbff]$/, '')}…`
}

/**
 * Returns the explanation with at most `valuesMax` values and without what nests too deep. A note stands in the place of
 * the rest. An explanation that leaves something out says so in its title.
 */
export function bounded(explanation: Explanation): Explanation {
  const { title } = explanation
  const room = { values: valuesMax, isShort: false, hasCutText: false }
  const sections = explanation.sections.map(({ kind, rows }) => {
    const { isShort, hasCutText } = room
    const shown = boundedRows(rows, { room, depth: 0 })
    // Many may vote: that changes nothing about what is asked for.
    if (aroundContent.includes(kind)) Object.assign(room, { isShort, hasCutText })
    return { kind, rows: shown }
  })
  const isCut = room.hasCutText && !saysOf(title).has('cutText')
  const warnings = [...(room.isShort ? [note('tooMuch')] : []), ...(isCut ? [note('cutText')] : [])]
  return { ...explanation, title: warned(title, warnings), sections }
}

const aroundContent: readonly SectionKind[] = ['request', 'rule']

/** `isShort`: something is left out. `hasCutText`: a text is not shown to its end. */
type Bounds = { readonly room: { values: number; isShort: boolean; hasCutText: boolean }; readonly depth: number }

function boundedRows(rows: readonly Row[], bounds: Bounds): readonly Row[] {
  const kept: Row[] = []
  for (const one of rows) {
    if (bounds.room.values <= 0) return [...kept, row('more', tooMuch(bounds))]
    kept.push({ ...one, value: boundedValue(one.value, bounds) })
  }
  return kept
}

function tooMuch({ room }: Bounds): Note {
  room.isShort = true
  return note('tooMuch')
}

function boundedValue(value: Value, { room, depth }: Bounds): Value {
  room.values -= 1
  const bounds = { room, depth: depth + 1 }
  if (depth > treeDepthMax && (value.kind === 'tree' || value.kind === 'list')) return tooMuch(bounds)
  switch (value.kind) {
    case 'tree':
      return { ...value, rows: boundedRows(value.rows, bounds) }
    case 'list':
      return { ...value, items: boundedItems(value.items, bounds) }
    case 'change':
      return { ...value, from: boundedValue(value.from, bounds), to: boundedValue(value.to, bounds) }
    case 'leftOut':
      room.isShort = true
      return value
    case 'text':
      if (value.characters !== undefined) room.hasCutText = true
      return value
    default:
      return value
  }
}

function boundedItems(items: readonly Value[], bounds: Bounds): readonly Value[] {
  const kept: Value[] = []
  for (const [index, item] of items.entries()) {
    if (bounds.room.values <= 0) {
      bounds.room.isShort = true
      return [...kept, { kind: 'leftOut', count: countOf(items.slice(index)) }]
    }
    kept.push(boundedValue(item, bounds))
  }
  return kept
}
