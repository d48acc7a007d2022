import type { Amount } from '../../policy/spending.ts'
import type { RecordKind, RecordTypes } from './record_types.ts'

/**
 * Kinds of records whose absence, or an older version, would grant something, and that no head lists. What changes of
 * them grant is counted on the vault's own books, and holds whatever the database shows.
 */
export type CountedKind = 'import_target' | 'passcode_flow' | 'passcode_starts' | 'used_token'

/**
 * `countsEachTime`: the change makes something new whenever it is decided, a passcode or a token. Then the same bytes,
 * decided again, count again. Other counts are by request, so that a decision that has lost a race counts once.
 */
type Added = { readonly part: string; readonly amount: bigint; readonly countsEachTime?: true }

type Counting<T> = {
  /**
   * Opening the record's secret counts one under this part, at once and whatever becomes of the decision: whoever can
   * compare with the secret must not be able to keep the attempt from being counted.
   */
  readonly opening?: string
  /** What the change of a record counts, under a part of its name. */
  readonly added: (before: T | undefined, after: T) => readonly Added[]
  /** The record as it is at least, by what was counted. */
  readonly atLeast: (
    record: T | undefined,
    seen: {
      readonly recordId: string
      readonly counted: (part: string) => readonly Amount[]
      readonly nowMs: number
    },
  ) => T | undefined
  /** For how long that may matter. */
  readonly keptMs: number
}

/** How often a passcode may be tried. */
export const passcodeAttemptsMax = 3

/** How many passcodes or recoveries may be started within how long. */
export const startsMax = 3
export const startsWindowMs = 3 * 60 * 1_000

/** The longest that a token lives, and with it a flow or its use: a day, and an hour for the request itself. */
const dayAndHourMs = 25 * 60 * 60 * 1_000

export const countedKinds: { readonly [K in CountedKind]: Counting<RecordTypes[K]> } = {
  import_target: {
    added: (before, after) => (before?.isOpen === true && !after.isOpen ? [{ part: 'use', amount: 1n }] : []),
    atLeast: (target, { counted }) =>
      target?.isOpen === true && counted('use').length > 0 ? { ...target, isOpen: false } : target,
    keptMs: dayAndHourMs,
  },
  passcode_flow: {
    opening: 'attempts',
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
      // Those of other nodes are in the record, and those that the database lost on the books.
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
 * A time for each that was counted. An amount may stand for several, at the time of the latest; one below zero takes back
 * what stands at its time or soonest after.
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

export function isCounted(kind: RecordKind): kind is CountedKind {
  return Object.hasOwn(countedKinds, kind)
}
