import type { Commit, Found, FoundActivity, FoundHead, FoundRecord, Read } from '../../../src/protocol/reads.ts'
import type { Store } from '../../../src/service/store/store.ts'
import type { Chance, Life, Schedule } from './schedule.ts'

type Rows = {
  head: FoundHead | undefined
  readonly requests: Map<string, FoundActivity>
  record: FoundRecord | undefined
}

/**
 * A database with one organization and one unlisted record.
 *
 * - `honest`: it does what it answers. It may answer a commit with an error, whose outcome is not known, and carry it
 *   out later.
 * - `hostile`: it shows any row that it ever saw, or none, and its answer to a commit need not be true. It has no key,
 *   so it makes no row of its own.
 */
export type HistoryDatabase = {
  storeOf(life: Life): Pick<Store, 'find' | 'activityBytes' | 'commit'>
  /** Carries out one of the commits in flight. */
  land(): void
  /** From now on every outcome is known at once. */
  calm(): void
}

export function createHistoryDatabase(
  first: FoundHead,
  {
    isHostile,
    schedule,
    chance,
  }: { readonly isHostile: boolean; readonly schedule: Schedule; readonly chance: Chance },
): HistoryDatabase {
  const rows: Rows = { head: first, requests: new Map(), record: undefined }
  const seen = { heads: [first], requests: new Map<string, FoundActivity[]>(), records: [] as FoundRecord[] }
  const inFlight: Commit[] = []
  let shownHead: FoundHead | undefined
  let isCalm = false
  /** The probabilities of a commit whose outcome is unknown, of a false conflict, and of a false row. */
  const mood = {
    forgets: chance.pick([0.05, 0.2, 0.6]),
    denies: chance.pick([0, 0.2, 0.5]),
    lies: chance.pick([0.05, 0.3, 0.6]),
  }

  function note({ heads, activities, records }: Commit): void {
    seen.heads.push(...heads)
    for (const { requestKey, ...row } of activities) {
      seen.requests.set(requestKey, [...(seen.requests.get(requestKey) ?? []), row])
    }
    for (const { sealed, ...row } of records) if (sealed !== undefined) seen.records.push({ ...row, sealed })
  }

  function write({ heads, activities, records }: Commit): void {
    rows.head = heads[0] ?? rows.head
    for (const { requestKey, ...row } of activities) rows.requests.set(requestKey, row)
    for (const { sealed, ...row } of records) if (sealed !== undefined) rows.record = { ...row, sealed }
  }

  function holds({ readSet }: Commit): boolean {
    return readSet.every((entry) => {
      switch (entry.of) {
        case 'head':
          return rows.head?.tag === entry.tag
        case 'request':
          return rows.requests.get(entry.requestKey)?.version === entry.version
        case 'record':
          return rows.record?.version === entry.version
        default:
          return false
      }
    })
  }

  function commitHonestly(commit: Commit): 'committed' | 'conflict' {
    if (!holds(commit)) return 'conflict'
    write(commit)
    return 'committed'
  }

  function commit(asked: Commit): 'committed' | 'conflict' {
    note(asked)
    if (isHostile) {
      if (chance.happens(0.5)) write(asked)
      if (chance.happens(mood.forgets)) throw new Error('the outcome is not known')
      return chance.happens(mood.denies) ? 'conflict' : 'committed'
    }
    if (isCalm || chance.happens(0.9)) return commitHonestly(asked)
    if (chance.happens(0.5)) commitHonestly(asked)
    else inFlight.push(asked)
    throw new Error('the outcome is not known')
  }

  function found(read: Read): Found {
    switch (read.read) {
      case 'headTag':
        return { read: 'headTag', row: rows.head }
      case 'head':
        return { read: 'head', row: rows.head }
      case 'request':
        return { read: 'request', row: rows.requests.get(read.requestKey) }
      case 'record':
        return { read: 'record', row: rows.record }
      default:
        throw new Error(`no ${read.read} in these histories`)
    }
  }

  function invented(read: Read): Found {
    switch (read.read) {
      case 'headTag':
        shownHead = chance.happens(0.05) ? undefined : chance.pick(seen.heads)
        return { read: 'headTag', row: shownHead }
      case 'head':
        return { read: 'head', row: chance.happens(0.95) ? shownHead : chance.pick(seen.heads) }
      case 'request':
        return { read: 'request', row: chance.pick([undefined, ...(seen.requests.get(read.requestKey) ?? [])]) }
      case 'record':
        return { read: 'record', row: chance.pick([undefined, ...seen.records]) }
      default:
        throw new Error(`no ${read.read} in these histories`)
    }
  }

  function show(read: Read): Found {
    const shown = isHostile && chance.happens(mood.lies) ? invented(read) : found(read)
    // The vault may ask for the head of the tag that it was shown.
    if (shown.read === 'headTag') shownHead = seen.heads.find(({ tag }) => tag === shown.row?.tag)
    if (shown.read === 'head' && isHostile && chance.happens(0.95)) return { read: 'head', row: shownHead }
    return shown
  }

  return {
    storeOf: (life) => ({
      async find(reads) {
        await schedule.pass('look', life)
        return reads.map(show)
      },
      activityBytes: async () => 0,
      async commit(asked) {
        // A service that dies may have sent the commit.
        await schedule.pass('commit', life, () => {
          note(asked)
          if (chance.happens(0.5)) inFlight.push(asked)
        })
        const said = commit(asked)
        await schedule.pass('committed', life)
        return said
      },
    }),
    land() {
      const landing = inFlight.shift()
      if (landing !== undefined) commitHonestly(landing)
    },
    calm() {
      isCalm = true
      while (inFlight.length > 0) commitHonestly(inFlight.pop() ?? empty)
    },
  }
}

const empty: Commit = { readSet: [], heads: [], records: [], lookups: [], activities: [], outbox: [], erasures: [] }
