import type { LoggedHead } from '../../../../protocol/log/log_entry.ts'
import { type Findings, findingsMax } from '../findings.ts'
import type { PlacedEntry } from './check_log.ts'

/** The way of an organization from head to head through the entries of all logs. */
export type HeadsCheck = {
  add(placed: PlacedEntry): void
  /** To be called after the last entry. */
  end(): HeadsResult
}

export type HeadsResult = {
  /** The head that the first entries rest on. Undefined: the logs have the organization from its beginning. */
  readonly begins: LoggedHead | undefined
  readonly newest: LoggedHead | undefined
  /** Entries at the end that rest on heads which another log may not have published yet. Not all are named. */
  readonly loose: number
  readonly looseEntries: readonly Pick<PlacedEntry, 'origin' | 'index'>[]
}

/** Heads that are remembered. An entry without a head seldom rests on another one than the newest. */
const headsKeptMax = 65_536
/** Logs are published once a second, each by itself. One may have what rests on a head that another one shows later. */
const looseMsMax = 10_000
const loosePlacesMax = 1_000

type Known = LoggedHead & Pick<PlacedEntry, 'origin' | 'index'>
type Loose = { readonly placed: PlacedEntry; readonly basis: LoggedHead; readonly what: string }

/** `origins`: of all logs of the file. */
export function createHeadsCheck(findings: Findings, origins: readonly string[]): HeadsCheck {
  const kept = new Map<number, Known>()
  let begins: LoggedHead | undefined
  let newest: LoggedHead | undefined
  const loose = createLoose(findings, origins)

  function keep(head: LoggedHead, { origin, index }: Pick<PlacedEntry, 'origin' | 'index'>): void {
    newest = head
    kept.set(head.version, { ...head, origin, index })
    if (kept.size > headsKeptMax) kept.delete(kept.keys().next().value ?? head.version)
  }

  function note({ origin, index }: PlacedEntry, what: string): void {
    findings.add({ origin, index, what })
  }

  function addHead(placed: PlacedEntry, makes: LoggedHead): void {
    const { entry } = placed
    // The vault knew no more of a head that it found in the database than that it is the next one.
    const basis = entry.isTakenUp ? { version: makes.version - 1, tag: newest?.tag ?? '' } : entry.restsOn
    const known = kept.get(makes.version)
    if (known !== undefined || (newest !== undefined && makes.version <= newest.version)) {
      const by = known === undefined ? '' : `, which entry ${known.index} of ${known.origin} has made`
      const isSame = known === undefined || known.tag === makes.tag
      note(
        placed,
        isSame
          ? `it makes ${named(makes)} again${by}`
          : `it makes ${named(makes)} in the place of ${named(known)}${by}`,
      )
      return
    }
    if (newest === undefined) {
      begins = basis
      if (basis !== undefined && !entry.isTakenUp) keep(basis, placed)
    } else if (basis === undefined) note(placed, `it makes ${named(makes)} out of nothing`)
    else if (basis.version > newest.version) loose.add(placed, { basis, newest })
    // No log can show a second head of a version later.
    else if (!isSameHead(basis, newest)) note(placed, `it rests on ${named(basis)}, which no entry makes`)
    if (makes.version !== (basis?.version ?? 0) + 1) note(placed, `it makes ${named(makes)} on ${named(basis)}`)
    keep(makes, placed)
  }

  function addWithoutHead(placed: PlacedEntry, basis: LoggedHead | undefined): void {
    if (basis === undefined) {
      const { activity, isLate } = placed.entry
      if (activity !== undefined && !isLate) note(placed, 'it rests on nothing, makes no head and is not late')
      return
    }
    if (newest === undefined) {
      begins = basis
      keep(basis, placed)
    }
    const known = kept.get(basis.version)
    const isBefore = basis.version < (begins?.version ?? 1)
    if (isBefore || (known !== undefined && known.tag !== basis.tag))
      note(placed, `it rests on ${named(basis)}, which no entry makes`)
    else if (newest !== undefined && basis.version > newest.version) loose.add(placed, { basis, newest })
  }

  return {
    add(placed) {
      const { makes, restsOn } = placed.entry
      loose.note(placed)
      if (makes === undefined) addWithoutHead(placed, restsOn)
      else addHead(placed, makes)
    },

    end: () => ({ begins, newest, ...loose.end(newest) }),
  }
}

/** The entries that rest on a head which none before them makes. `origins`: of all logs of the file. */
function createLoose(findings: Findings, origins: readonly string[]) {
  const loose: Loose[] = []
  let newestMs = 0
  /** The version of the last head of each log. */
  const lastMade = new Map<string, number>()

  function find({ placed: { origin, index }, what }: Loose): void {
    findings.add({ origin, index, what, kind: 'incomplete' })
  }

  /** A log has its heads in their order. So the head may stand behind the end of a log whose last one is below it. */
  function isExcused({ placed, basis }: Loose, newest: LoggedHead | undefined): boolean {
    if (placed.entry.atMs < newestMs - looseMsMax) return false
    const isNewest = basis.version >= (newest?.version ?? 0)
    return isNewest || origins.some((origin) => origin !== placed.origin && (lastMade.get(origin) ?? 0) < basis.version)
  }

  return {
    /** To be called for every entry. */
    note({ origin, entry: { makes, atMs } }: PlacedEntry): void {
      newestMs = Math.max(newestMs, atMs)
      if (makes !== undefined) lastMade.set(origin, makes.version)
    },

    /** Entries are missing before this one, or another log has them and has not published them yet. */
    add(
      placed: PlacedEntry,
      { basis, newest }: { readonly basis: LoggedHead; readonly newest: LoggedHead | undefined },
    ): void {
      const what = `it rests on ${named(basis)}, which no entry makes; the newest before it is ${named(newest)}`
      if (loose.length < loosePlacesMax) loose.push({ placed, basis, what })
      else find({ placed, basis, what })
    },

    end(newest: LoggedHead | undefined): Pick<HeadsResult, 'loose' | 'looseEntries'> {
      const excused = loose.filter((one) => isExcused(one, newest))
      for (const one of loose.filter((each) => !isExcused(each, newest))) find(one)
      const looseEntries = excused.slice(0, findingsMax).map(({ placed: { origin, index } }) => ({ origin, index }))
      return { loose: excused.length, looseEntries }
    },
  }
}

function isSameHead(one: LoggedHead, other: LoggedHead): boolean {
  return one.version === other.version && one.tag === other.tag
}

function named(head: LoggedHead | undefined): string {
  return head === undefined ? 'nothing' : `head ${head.version} (${head.tag})`
}
