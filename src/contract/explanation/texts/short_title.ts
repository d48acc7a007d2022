import type { Title, Value } from '../explanation.ts'
import { shownWarnings } from '../warnings.ts'
import { englishTexts, noteParts, sentenceParts, type TextParts } from './label_texts.ts'
import { inline } from './plain_lines.ts'
import { openedIn, withShortAddresses, withShortNumbers, withShortTexts } from './short_words.ts'

/**
 * The title as one line for a mail, with at most so many characters. Long texts in quotes lose their middle first, then
 * long numbers, then an amount loses what repeats it in its smallest unit, and then addresses lose their middle, those of
 * the worst warning first: a name or a number that somebody chose must not push our words and an amount out of the line.
 * Then the end of the sentence is cut, then the ends of the longest warnings, and then warnings beside the worst one are
 * left out: how many more there are counts them. Nothing is cut inside a number or an address.
 */
export function shortTitle(title: Title, charactersMax: number): string {
  for (const shape of shapes) {
    const pieces = joined(lineOf(title, shape))
    if (lengthOf(pieces) <= charactersMax) return textOf(pieces)
  }
  const line = lineOf(title, shortestShape)
  // As many warnings beside the worst one as have room.
  const [shortened = line] = line.notes.flatMap((_, index) => {
    const notes = line.notes.slice(0, line.notes.length - index)
    return cutNotes({ ...line, notes, leftOut: line.leftOut + index }, charactersMax)
  })
  return cut(joined(shortened), charactersMax)
}

/** The parts that are shortened: texts to so many characters, numbers, amounts, and the addresses of these. */
type Shape = {
  readonly textMax?: number
  readonly hasShortNumbers?: true
  readonly hasShortAmounts?: true
  readonly withShortAddresses?: 'worst' | 'warnings' | 'all'
}

const short = { textMax: 24, hasShortNumbers: true, hasShortAmounts: true } as const

const shortestShape: Shape = { ...short, withShortAddresses: 'all' }

/** From the longest to the shortest. */
const shapes: readonly Shape[] = [
  {},
  { textMax: 60 },
  { textMax: 40 },
  { textMax: 24 },
  { textMax: 24, hasShortNumbers: true },
  short,
  { ...short, withShortAddresses: 'worst' },
  { ...short, withShortAddresses: 'warnings' },
  shortestShape,
]

/** A part of a line. One that is whole is there or not. */
type Piece = { readonly text: string; readonly isWhole: boolean }

/** `notes`: the warnings that are shown. `leftOut`: how many more there are. */
type Line = {
  readonly notes: readonly (readonly Piece[])[]
  readonly leftOut: number
  readonly sentence: readonly Piece[]
}

function lineOf(title: Title, shape: Shape): Line {
  const { withShortAddresses: those } = shape
  const shown = shownWarnings(title)
  return {
    notes: shown.map((warning, index) => {
      const isShort = those === 'all' || those === 'warnings' || (those === 'worst' && index === 0)
      return piecesOf(noteParts(warning), shape, { isShort })
    }),
    leftOut: (title.warnings ?? []).length - shown.length,
    sentence: piecesOf(sentenceParts(title, englishTexts), shape, { isShort: those === 'all' }),
  }
}

function joined({ notes, leftOut, sentence }: Line): readonly Piece[] {
  if (notes.length === 0) return sentence
  const [start, end] = framesOf(leftOut)
  return [start, ...notes.flatMap((note, index) => (index === 0 ? note : [separator, ...note])), end, ...sentence]
}

const separator: Piece = { text: '; ', isWhole: true }

/** The words before and behind the warnings. */
function framesOf(leftOut: number): readonly [Piece, Piece] {
  const { one, several } = englishTexts.warned
  const [start = '', end = ''] = (leftOut === 0 ? one : several).replace('{1}', String(leftOut)).split('{0}')
  return [
    { text: start, isWhole: true },
    { text: end, isWhole: true },
  ]
}

/** The least that is left of the sentence of a title, and of a warning. */
const sentenceCharactersMin = 30
const noteCharactersMin = 60

/** The line with the ends of its longest warnings cut. None if warnings beside the worst one have no room. */
function cutNotes(line: Line, charactersMax: number): readonly Line[] {
  const { notes, leftOut, sentence } = line
  const frames = lengthOf([...framesOf(leftOut), ...notes.slice(1).map(() => separator)])
  const room = charactersMax - frames - Math.min(lengthOf(sentence), sentenceCharactersMin)
  const noteMax = shareOf(notes.map(lengthOf), room)
  if (noteMax < noteCharactersMin && notes.length > 1) return []
  const short = notes.map((note) => (lengthOf(note) <= noteMax ? note : [{ text: cut(note, noteMax), isWhole: true }]))
  return [{ ...line, notes: short }]
}

/** The most that each may have of the room, where shorter ones leave theirs to the others. */
function shareOf(lengths: readonly number[], room: number): number {
  let rest = room
  for (const [index, length] of lengths.toSorted((one, other) => one - other).entries()) {
    const share = Math.floor(rest / (lengths.length - index))
    if (length > share) return Math.max(0, share)
    rest -= length
  }
  return Number.POSITIVE_INFINITY
}

/** As many of the pieces as have room, with a mark where the others are left out. */
function cut(pieces: readonly Piece[], charactersMax: number): string {
  if (lengthOf(pieces) <= charactersMax) return textOf(pieces)
  let room = charactersMax - 1
  const at = pieces.findIndex((piece) => {
    room -= lengthOf([piece])
    return room < 0
  })
  const last = pieces[at]
  const words = last === undefined || last.isWhole ? '' : beginningOf(last.text, room + lengthOf([last]))
  return `${textOf(pieces.slice(0, at))}${words}`.trimEnd().concat('…')
}

/** The ends of an isolate and of a quote. */
const closingCharactersMax = 2

/** The whole words at the beginning. A text in quotes is cut between two characters, if they are not both digits. */
function beginningOf(text: string, charactersMax: number): string {
  const characters = [...text]
  const isQuoted = (end: number) => openedIn(characters.slice(0, end).join('')).closing !== ''
  let end = Math.max(0, charactersMax - closingCharactersMax)
  const isInside = () => {
    const [before = ' ', after = ' '] = [characters[end - 1], characters[end]]
    return isQuoted(end) ? isDigit(before) && isDigit(after) : before !== ' ' && after !== ' '
  }
  while (end > 0 && isInside()) end -= 1
  const beginning = characters.slice(0, end).join('')
  return `${beginning}${openedIn(beginning).closing}`
}

function isDigit(character: string): boolean {
  return /^[\p{Nd}.,\u00a0]$/u.test(character)
}

function piecesOf(parts: TextParts, shape: Shape, addresses: { readonly isShort: boolean }): readonly Piece[] {
  const toPiece = (text: string, { isWhole }: { readonly isWhole: boolean }): Piece => {
    const texts = shape.textMax === undefined ? text : withShortTexts(text, shape.textMax)
    const numbers = shape.hasShortNumbers === true ? withShortNumbers(texts) : texts
    return { text: addresses.isShort ? withShortAddresses(numbers) : numbers, isWhole }
  }
  return parts.flatMap((part): readonly Piece[] => {
    if (typeof part === 'string') return [{ text: part, isWhole: false }]
    if (part.kind === 'list') return piecesOf(withSeparators(part.items), shape, addresses)
    if (part.kind === 'note' && part.detail === undefined)
      return piecesOf(['[', ...noteParts(part), ']'], shape, addresses)
    if (part.kind === 'amount' && shape.hasShortAmounts === true && part.units !== undefined && part.unit !== undefined)
      return [toPiece(`${part.units} ${part.unit}`, { isWhole: true })]
    return [toPiece(inline(part), { isWhole: !inWords.has(part.kind) })]
  })
}

/** Values that are words, of which some may be left out. */
const inWords: ReadonlySet<Value['kind']> = new Set(['text', 'note', 'tree', 'change', 'leftOut'])

function withSeparators(items: readonly Value[]): TextParts {
  return items.flatMap((item, index) => (index === 0 ? [item] : [', ', item]))
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('')
}

function lengthOf(pieces: readonly Piece[]): number {
  return [...textOf(pieces)].length
}
