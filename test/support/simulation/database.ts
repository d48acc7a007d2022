import { everyRecordKind, recordKinds } from '../../../src/contract/records/records.ts'
import type { Commit, Found, Read } from '../../../src/protocol/reads.ts'
import { readKey } from '../../../src/protocol/reads.ts'
import type { Chance, Life, Schedule } from '../histories/schedule.ts'
import type { NodeStore } from './node.ts'
import { commitTo, copyOf, find, type Tables, write } from './tables.ts'

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
  /** Carries out one of the commits whose outcome is not known. */
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
  const inFlight: Commit[] = []
  const unknown = chance.pick([0, 0.05, 0.2])
  let isCalm = false

  function commitHonestly(commit: Commit): 'committed' | 'conflict' {
    const outcome = (parts.commitTo ?? commitTo)(tables, commit)
    if (outcome === 'committed') carriedOut(commit)
    return outcome
  }

  function commit(node: number, asked: Commit): 'committed' | 'conflict' {
    if (isLying) return lies.commit(node, asked)
    if (isCalm || !chance.happens(unknown)) return commitHonestly(asked)
    if (chance.happens(0.5)) commitHonestly(asked)
    else inFlight.push(asked)
    throw new Error('the outcome is not known')
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
      async commit(asked) {
        // A service that dies may have sent the commit.
        await schedule.pass('commit', life, () => {
          if (chance.happens(0.5)) inFlight.push(asked)
        })
        const said = commit(node, asked)
        await schedule.pass('committed', life)
        return said
      },
    }),
    land() {
      const landing = inFlight.shift()
      if (landing === undefined) return
      if (isLying) lies.commit(chance.below(2), landing, { isSilent: true })
      else commitHonestly(landing)
    },
    calm() {
      isCalm = true
      while (inFlight.length > 0) this.land()
    },
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
      if (chance.happens(mood.forgets)) throw new Error('the outcome is not known')
      if (!holds) return chance.happens(mood.forces) ? 'committed' : 'conflict'
      return chance.happens(mood.denies) ? 'conflict' : 'committed'
    },
  }
}

function nothingFor(read: Read): Found {
  const nothing = { heads: new Map(), records: new Map(), lookups: new Map(), activities: new Map() }
  return find({ ...nothing, requests: new Map(), outbox: new Map() }, read)
}
