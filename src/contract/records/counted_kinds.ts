import type { Amount } from '../../policy/spending.ts'
import type { RecordKind, RecordTypes } from './record_types.ts'

/**
 * The unlisted kinds whose records would grant something if they were lost or older. The books count what their changes
 * use up, and the count holds whatever the database shows.
 */
export type CountedKind = 'import_target' | 'passcode_flow' | 'passcode_starts' | 'used_token'

/**
 * `countsEachTime`: each decision makes something new, a passcode or a token, so the same bytes decided again count
 * again. Other counts are by request: a decision that lost a race and is made again counts once.
 */
type Added = { readonly part: string; readonly amount: bigint; readonly countsEachTime?: true }

type Counting<T> = {
  /**
   * Each opening of the record's secret is an attempt at it. It counts one under this part at once, whatever becomes of
   * the decision. Otherwise a service that can compare with the secret could keep an attempt from being counted.
   */
  readonly attempts?: string
  /** The amounts that a change of a record counts, each under a part of the count's name. */
  readonly added: (before: T | undefined, after: T) => readonly Added[]
  /** The record, corrected to what it is at least by the counts. */
  readonly atLeast: (
    record: T | undefined,
    seen: {
      readonly recordId: string
      readonly counted: (part: string) => readonly Amount[]
      readonly nowMs: number
    },
  ) => T | undefined
  /** How long a count is kept. */
  readonly keptMs: number
}

export const passcodeAttemptsMax = 3

/** The passcodes or recoveries that may be started within the window. */
export const startsMax = 3
export const startsWindowMs = 3 * 60 * 1_000

/** A token, and so its flow and its use, lives at most a day. The hour is for the request itself. */
const dayAndHourMs = 25 * 60 * 60 * 1_000

export const countedKinds: { readonly [K in CountedKind]: Counting<RecordTypes[K]> } = {
  import_target: {
    added: (before, after) => (before?.isOpen === true && !after.isOpen ? [{ part: 'use', amount: 1n }] : []),
    atLeast: (target, { counted }) =>
      target?.isOpen === true && counted('use').length > 0 ? { ...target, isOpen: false } : target,
    keptMs: dayAndHourMs,
  },
  passcode_flow: {
    attempts: 'attempts',
    added: (before, after) =>
      before?.isUsed !== true && after.isUsed ? [{ part: 'use', amount: 1n, countsEachTime: true }] : [],
    atLeast(flow, { counted }) {
      if (flow === undefined) return undefined
      const attempts = counted('attempts').reduce((sum, { amount }) => sum + Number(amount), 0)
      const attemptsLeft = Math.min(flow.attemptsLeft, Math.max(0, passcodeAttemptsMax - attempts))
      return { ...flow, attemptsLeft, isUsed: flow.isUsed || counted('use').length > 0 }
    },
    keptMs: dayAndHourMs,
  },
  passcode_starts: {
    added: () => [{ part: 'starts', amount: 1n, countsEachTime: true }],
    atLeast(starts, { recordId, counted, nowMs }) {
      const counts = timesIn(counted('starts'))
      const lately = (timesMs: readonly number[]) => timesMs.filter((atMs) => nowMs < atMs + startsWindowMs)
      // The record has the starts of other nodes; the books have the starts that the database lost.
      if (lately(counts).length <= lately(starts?.startsMs ?? []).length) return starts
      return { bucketId: recordId, startsMs: counts }
    },
    keptMs: dayAndHourMs,
  },
  used_token: {
    added: (before) => (before === undefined ? [{ part: 'use', amount: 1n }] : []),
    atLeast(token, { recordId, counted }) {
      const [use] = counted('use')
      return token ?? (use && { tokenId: recordId, usedAtMs: use.atMs })
    },
    keptMs: dayAndHourMs,
  },
}

/**
 * The times of the counted starts. An amount may stand for several starts, at the time of the latest. A negative amount
 * takes back the starts at its time, or the soonest after it.
 */
function timesIn(amounts: readonly Amount[]): readonly number[] {
  const times = amounts.flatMap(({ atMs, amount }) => Array<number>(amount > 0n ? Number(amount) : 0).fill(atMs))
  times.sort((one, other) => one - other)
  for (const { atMs, amount } of amounts) {
    const first = times.findIndex((timeMs) => timeMs >= atMs)
    if (amount < 0n && first !== -1) times.splice(first, -Number(amount))
  }
  return times
}

/** Returns how records of a kind are counted, or undefined. Its functions take the records of this kind. */
export function countingOf<K extends RecordKind>(kind: K): Counting<RecordTypes[K]> | undefined {
  const countings: { readonly [C in RecordKind]?: Counting<RecordTypes[C]> } = countedKinds
  return countings[kind]
}
