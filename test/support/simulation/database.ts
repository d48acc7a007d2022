import { everyRecordKind, recordKinds } from '../../../src/contract/records/records.ts'
import type { Commit, Found, Read } from '../../../src/protocol/reads.ts'
import { readKey } from '../../../src/protocol/reads.ts'
import type { KeptLog } from '../../../src/service/store/store.ts'
import type { Chance, Life, Schedule } from '../histories/schedule.ts'
import type { NodeStore } from './node.ts'
import { bundleKey, commitTo, copyOf, emptyTables, find, keepLogIn, logReadsIn, type Tables, write } from './tables.ts'

/** A part of the database that a planted fault replaces. */
export type CommitTo = typeof commitTo

/**
 * One database for all nodes.
 *
 * - Honest: it does what it answers. It may answer a commit with an error, whose outcome is not known, and carry it out
 *   later.
 * - Lying: it keeps several branches of itself and shows each node one of them, shows any row that it ever had or none,
 *   and its answer to a commit need not be true. It has no key, so it makes no row of its own.
 */
export type Database = {
  /** The rows that are true if the database is honest. */
  readonly tables: Tables
  storeOf(node: number, life: Life): NodeStore
  /** Carries out one of the writes whose outcome is not known. */
  land(): void
  /** From now on every outcome is known at once. */
  calm(): void
}

type Parts = {
  readonly tables: Tables
  readonly isLying: boolean
  readonly schedule: Schedule
  readonly chance: Chance
  /** Called for each commit that was carried out by an honest database. */
  readonly carriedOut: (commit: Commit) => void
  readonly commitTo?: CommitTo | undefined
}

export function createDatabase({ tables, schedule, chance, carriedOut, isLying, ...parts }: Parts): Database {
  const lies = createLies(tables, chance)
  const inFlight: (() => void)[] = []
  const unknown = chance.pick([0, 0.05, 0.2])
  let isCalm = false

  function commitHonestly(commit: Commit): 'committed' | 'conflict' {
    const outcome = (parts.commitTo ?? commitTo)(tables, commit)
    if (outcome === 'committed') carriedOut(commit)
    return outcome
  }

  /** Carries a write out, unless its outcome is not known. */
  function honestly<T>(write: () => T): T {
    if (isCalm || !chance.happens(unknown)) return write()
    if (chance.happens(0.5)) write()
    else inFlight.push(write)
    throw new OutcomeUnknown()
  }

  function land(asked: Commit): void {
    if (isLying) lies.commit(chance.below(2), asked, { isSilent: true })
    else commitHonestly(asked)
  }

  return {
    tables,
    storeOf: (node, life) => ({
      async find(reads) {
        await schedule.pass('look', life)
        const found = isLying ? lies.show(node, reads) : reads.map((read) => find(tables, read))
        if (chance.happens(0.3)) await schedule.pass('looked', life)
        return found
      },
      activityBytes: async () => 0,
      ...logReadsIn(tables),
      async commit(asked) {
        // A service that dies may have sent the commit.
        await schedule.pass('commit', life, () => {
          if (chance.happens(0.5)) inFlight.push(() => land(asked))
        })
        const said = isLying ? lies.commit(node, asked) : honestly(() => commitHonestly(asked))
        await schedule.pass('committed', life)
        return said
      },
      async keepLog(kept) {
        await schedule.pass('keep', life, () => {
          if (chance.happens(0.5)) inFlight.push(() => keepLogIn(tables, kept))
        })
        if (isLying) lies.keepLog(node, kept)
        else honestly(() => keepLogIn(tables, kept))
        await schedule.pass('kept', life)
      },
      async logBundle(key) {
        await schedule.pass('bundle', life)
        return isLying ? lies.logBundle(node, key) : tables.bundles.get(bundleKey(key))
      },
    }),
    land() {
      inFlight.shift()?.()
    },
    calm() {
      isCalm = true
      while (inFlight.length > 0) this.land()
    },
  }
}

/** A write may have been carried out, or may be later. */
export class OutcomeUnknown extends Error {
  constructor() {
    super('the outcome is not known')
  }
}

const branchesMax = 4
const unlistedKinds: ReadonlySet<string> = new Set(everyRecordKind.filter((kind) => !recordKinds[kind].listed))

function createLies(tables: Tables, chance: Chance) {
  const branches: Tables[] = [tables, copyOf(tables)]
  /** The branch that each node is shown. */
  const shownTo = new Map<number, Tables>()
  const seen = new Map<string, Found[]>()
  /**
   * How often the database shows another branch, shows a false row, forgets, denies, writes what does not hold, writes
   * nothing, and shows a false row of a kind that no head lists, which only the books can notice.
   */
  const mood = {
    turns: chance.pick([0, 0.02, 0.1]),
    invents: chance.pick([0, 0.02, 0.1]),
    forgets: chance.pick([0, 0.05, 0.3]),
    denies: chance.pick([0, 0.1, 0.4]),
    forces: chance.pick([0, 0.3, 1]),
    drops: chance.pick([0, 0.1, 0.3]),
    hides: chance.pick([0, 0.3, 0.8]),
  }

  function branchOf(node: number): Tables {
    if (chance.happens(mood.turns)) {
      if (chance.happens(0.3)) {
        if (branches.length === branchesMax) branches.splice(chance.below(branchesMax), 1)
        branches.push(copyOf(chance.pick(branches)))
      }
      shownTo.set(node, chance.pick(branches))
    }
    return shownTo.get(node) ?? tables
  }

  function shown(branch: Tables, read: Read): Found {
    const found = find(branch, read)
    const key = readKey(read)
    const before = seen.get(key) ?? []
    if (before.length < 20) seen.set(key, [...before, found])
    const mayHide = read.read === 'record' && unlistedKinds.has(read.kind)
    return chance.happens(mayHide ? mood.hides : mood.invents)
      ? chance.pick([found, ...before, nothingFor(read)])
      : found
  }

  return {
    show: (node: number, reads: readonly Read[]): readonly Found[] => {
      const branch = branchOf(node)
      return reads.map((read) => shown(branch, read))
    },
    commit(node: number, asked: Commit, { isSilent = false } = {}): 'committed' | 'conflict' {
      const branch = branchOf(node)
      const holds = commitTo(copyOf(branch), asked) === 'committed'
      if ((holds || chance.happens(mood.forces)) && !chance.happens(mood.drops)) write(branch, asked)
      if (isSilent) return 'committed'
      if (chance.happens(mood.forgets)) throw new OutcomeUnknown()
      if (!holds) return chance.happens(mood.forces) ? 'committed' : 'conflict'
      return chance.happens(mood.denies) ? 'conflict' : 'committed'
    },
    keepLog(node: number, kept: KeptLog): void {
      if (!chance.happens(mood.drops)) keepLogIn(branchOf(node), kept)
      if (chance.happens(mood.forgets)) throw new OutcomeUnknown()
    },
    /** What it has of the bundle, or it lies: another bundle, one with a byte changed, or none. */
    logBundle(node: number, key: { readonly logId: string; readonly number: number }): Uint8Array | undefined {
      const { bundles } = branchOf(node)
      const found = bundles.get(bundleKey(key))
      if (!chance.happens(mood.hides)) return found
      if (chance.happens(0.2)) bundles.delete(bundleKey(key))
      const others = [...bundles.values()]
      if (found !== undefined) others.push(Uint8Array.from(found).fill(chance.below(256), chance.below(found.length)))
      return others.length === 0 || chance.happens(0.3) ? undefined : chance.pick(others)
    },
  }
}

function nothingFor(read: Read): Found {
  return find(emptyTables(), read)
}
