import type { LoggedHead } from '../../../protocol/log/log_entry.ts'
import type { PlacedEntry } from './check_log.ts'
import type { Findings } from './findings.ts'

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
  /** Entries at the end that rest on heads which the logs had not published yet. */
  readonly loose: number
}

/** Heads that are remembered. An entry without a head seldom rests on another one than the newest. */
const headsKeptMax = 65_536
/** Logs are published once a second, each by itself. One may have what rests on a head that another one shows later. */
const looseMsMax = 10_000
const loosePlacesMax = 1_000

type Known = LoggedHead & Pick<PlacedEntry, 'origin' | 'index'>
type Loose = { readonly placed: PlacedEntry; readonly what: string }

export function createHeadsCheck(findings: Findings): HeadsCheck {
  const kept = new Map<number, Known>()
  let begins: LoggedHead | undefined
  let newest: LoggedHead | undefined
  let newestMs = 0
  const loose: Loose[] = []

  function keep(head: LoggedHead, { origin, index }: Pick<PlacedEntry, 'origin' | 'index'>): void {
    newest = head
    kept.set(head.version, { ...head, origin, index })
    if (kept.size > headsKeptMax) kept.delete(kept.keys().next().value ?? head.version)
  }

  function note({ origin, index }: PlacedEntry, what: string): void {
    findings.add({ origin, index, what })
  }

  /** Entries are missing before this one, or another log has them and has not published them yet. */
  function noteGap(placed: PlacedEntry, basis: LoggedHead): void {
    const what = `it rests on ${named(basis)}, which no entry makes; the newest before it is ${named(newest)}`
    if (loose.length < loosePlacesMax) loose.push({ placed, what })
    else note(placed, what)
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
    else if (!isSameHead(basis, newest)) noteGap(placed, basis)
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
    else if (newest !== undefined && basis.version > newest.version) noteGap(placed, basis)
  }

  return {
    add(placed) {
      const { makes, restsOn, atMs } = placed.entry
      newestMs = Math.max(newestMs, atMs)
      if (makes === undefined) addWithoutHead(placed, restsOn)
      else addHead(placed, makes)
    },

    end() {
      const [early, late] = [loose.filter(isEarly), loose.filter((one) => !isEarly(one))]
      for (const { placed, what } of early) note(placed, what)
      return { begins, newest, loose: late.length }
    },
  }

  function isEarly({ placed }: Loose): boolean {
    return placed.entry.atMs < newestMs - looseMsMax
  }
}

function isSameHead(one: LoggedHead, other: LoggedHead): boolean {
  return one.version === other.version && one.tag === other.tag
}

function named(head: LoggedHead | undefined): string {
  return head === undefined ? 'nothing' : `head ${head.version} (${head.tag})`
}
