import type { NoteCode } from './codes/note_codes.ts'
import { decimalSum } from './decimals.ts'
import type { Note, Value } from './explanation.ts'

/** Notes that hold as often as they are said, and whose amounts add up. */
const adding: ReadonlySet<NoteCode> = new Set<NoteCode>([
  'goesTo',
  'lostOrOwn',
  'goesToScript',
  'makesDebt',
  'paysDebt',
  'makesTokens',
  'destroysTokens',
  'feeWithheld',
])

/** Notes that hold as often as they are said. An allowance has no sum: it may replace another or come to it. */
const counted: ReadonlySet<NoteCode> = new Set<NoteCode>([
  ...adding,
  'letsSpend',
  'refundsFee',
  'createsContract',
  'callsInside',
])

/**
 * Returns each note once. Amounts of the same coin for the same recipient are one sum. Other repeated events say how
 * often. Every other note is a fact, which holds once.
 */
export function together(notes: readonly Note[]): readonly Note[] {
  const all = new Map<string, { note: Note; times: number }>()
  for (const given of notes) {
    const { note, times } = countedOf(given)
    const key = keyOf(note)
    const known = all.get(key)
    if (known === undefined) all.set(key, { note, times })
    else if (key !== JSON.stringify(note)) known.note = sumOf(known.note, note)
    else if (counted.has(note.code)) known.times += times
  }
  return [...all.values()].map(({ note, times }) => (times === 1 ? note : timesOf(note, times)))
}

function timesOf(note: Note, times: number): Note {
  return { kind: 'note', code: 'severalTimes', values: [{ kind: 'number', number: String(times) }, note] }
}

function countedOf(note: Note): { readonly note: Note; readonly times: number } {
  const [count, inner] = note.values ?? []
  if (note.code !== 'severalTimes' || count?.kind !== 'number' || inner?.kind !== 'note') return { note, times: 1 }
  return { note: inner, times: Number(count.number) }
}

type Amount = Extract<Value, { readonly kind: 'amount' }>

/** Amounts that are not said of what may be of different things. */
function isOfKnown({ smallestUnit, token }: Amount): boolean {
  return smallestUnit !== undefined || token !== undefined
}

/** The place of an amount that adds up. -1: none. */
function placeOfAmount({ code, values = [] }: Note): number {
  return adding.has(code) ? values.findIndex((value) => value.kind === 'amount' && isOfKnown(value)) : -1
}

/** Two notes have the same key if their amounts add up, or if they are the same note. */
function keyOf(note: Note): string {
  const place = placeOfAmount(note)
  const values = note.values?.map((value, index) =>
    index === place && value.kind === 'amount' ? { ...value, smallest: '', units: '' } : value,
  )
  return JSON.stringify(place === -1 ? note : { ...note, values })
}

function sumOf(one: Note, other: Note): Note {
  const place = placeOfAmount(one)
  const more = other.values?.[place]
  return {
    ...one,
    values: (one.values ?? []).map((value, index) =>
      index === place && value.kind === 'amount' && more?.kind === 'amount' ? amountSum(value, more) : value,
    ),
  }
}

function amountSum(one: Amount, other: Amount): Amount {
  const units = one.units !== undefined && other.units !== undefined ? decimalSum(one.units, other.units) : undefined
  const smallest = String(BigInt(one.smallest) + BigInt(other.smallest))
  return { ...one, smallest, ...(units === undefined ? {} : { units }) }
}
