import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { queryPostgres, temporaryDatabase } from '../../../../test/support/postgres/postgres.ts'
import { activity, commitOf, head, idsInOrder } from '../../../../test/support/store/rows.ts'
import type { Store } from '../store.ts'
import { readDatabaseUrl } from './database_address.ts'
import { openPostgresStore } from './postgres_store.ts'

/** Each round is 144 commits. `CLAVIGER_CASES` is for a long look (CONTRIBUTING.md). */
const numRuns = Number(process.env.CLAVIGER_CASES ?? 8)
/** Each has two connections that write. */
const nodes = 3
const workers = 18
const turns = 8
const places = [0, 1, 2, 3, 4] as const

/** The heads that a commit replaces, the organizations into which it signs, and heads on which it only rests. */
const plan = fc.record({
  replaced: fc.subarray([...places], { maxLength: 2 }),
  signed: fc.subarray([...places], { maxLength: 1 }),
  rested: fc.subarray([...places], { maxLength: 3 }),
  waitMs: fc.constantFrom(0, 0, 1, 4),
})
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never
const course = fc.array(plan, { minLength: workers * turns, maxLength: workers * turns })

/** A commit that was written. `seen` and `made`: versions of heads by organization. */
type Written = {
  readonly name: string
  readonly seen: ReadonlyMap<string, number>
  readonly made: ReadonlyMap<string, number>
  readonly signed: readonly string[]
  readonly begunMs: number
  readonly endedMs: number
}

/** Reads heads as a decision does, waits, and commits what rests on them. */
async function commitOne(store: Store, ids: readonly string[], planned: Plan, name: string) {
  const idsAt = (chosen: readonly number[]) => chosen.map((place) => ids[place] ?? '')
  const [replaced, signed] = [idsAt(planned.replaced), idsAt(planned.signed)]
  const asked = [...new Set([...replaced, ...signed, ...idsAt(planned.rested)])]
  const found = await store.find(asked.map((organizationId) => ({ read: 'headTag', organizationId })))
  await setTimeout(planned.waitMs)
  const rows = found.map((one) => (one.read === 'headTag' && one.row) || expect.fail('a head is missing'))
  const readSet = rows.map(({ version, tag }, index) => {
    return { of: 'head', organizationId: asked[index] ?? '', version, tag } as const
  })
  const seen = new Map(readSet.map(({ organizationId, version }) => [organizationId, version]))
  const made = new Map(replaced.map((id) => [id, (seen.get(id) ?? 0) + 1]))
  const begunMs = performance.now()
  const outcome = await store.commit(
    commitOf({
      readSet,
      heads: [...made].map(([id, version]) => head(id, { version, tag: name })),
      activities: signed.map((id) => activity(id, name, { requestKey: name })),
    }),
  )
  return { outcome, commit: { name, seen, made, signed, begunMs, endedMs: performance.now() } }
}

type Counts = { committed: number; conflict: number; restedOnly: number }

/** Plays a round on organizations of its own. A commit that is rejected fails it. */
async function playRound(stores: readonly Store[], ids: readonly string[], plans: readonly Plan[], counts: Counts) {
  const written: Written[] = []
  const work = async (worker: number) => {
    const store = stores[worker % nodes] ?? expect.fail('a store is missing')
    for (const [turn, planned] of plans.slice(worker * turns, (worker + 1) * turns).entries()) {
      const { outcome, commit } = await commitOne(store, ids, planned, `${ids[0]} ${worker} ${turn}`)
      counts[outcome] += 1
      if (outcome === 'committed') written.push(commit)
      else if (commit.made.size === 0) counts.restedOnly += 1
    }
  }
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))
  return written
}

const versionBy = ({ made }: Written, id: string) => made.get(id) ?? 0

/** Each commit that replaced a head made the next version of it, and the database has all that was acknowledged. */
async function expectNoLostUpdate(url: string, ids: readonly string[], written: readonly Written[]): Promise<void> {
  const inRound = `organization_id in (${ids.map((id) => `'${id}'`).join()})`
  const heads = await queryPostgres(
    url,
    `select organization_id as id, version, tag from organizations where ${inRound} order by 1`,
  )
  const expected = ids.map((id) => {
    const makers = written.filter(({ made }) => made.has(id)).sort((a, b) => versionBy(a, id) - versionBy(b, id))
    expect(makers.map((maker) => versionBy(maker, id))).toEqual(makers.map((_, index) => index + 2))
    return { id, version: makers.length + 1, tag: makers.at(-1)?.name ?? 'tag 1' }
  })
  expect(heads).toEqual(expected)
  const activities = await queryPostgres(url, `select activity_id as name from activities where ${inRound}`)
  const signed = written.flatMap(({ name, signed }) => signed.map(() => name))
  expect(activities.map(({ name }) => name).sort()).toEqual(signed.sort())
}

/**
 * Whether `first` was written before `second`: it had its answer before the other was asked for, or it made a head that
 * the other saw, or the other replaced a head that it saw.
 */
function precedes(first: Written, second: Written): boolean {
  if (first.endedMs < second.begunMs) return true
  if ([...first.made].some(([id, version]) => second.seen.get(id) === version)) return true
  return [...first.seen].some(([id, version]) => second.made.get(id) === version + 1)
}

/**
 * The commits have an order in which each rests on the newest heads. They have none if one was written that rests on a
 * head which another had replaced.
 */
function expectOneOrder(written: readonly Written[]): void {
  const followers = new Map(written.map((one) => [one, written.filter((two) => one !== two && precedes(one, two))]))
  const waitsFor = new Map(written.map((one) => [one, 0]))
  for (const one of [...followers.values()].flat()) waitsFor.set(one, (waitsFor.get(one) ?? 0) + 1)
  const ordered = written.filter((one) => waitsFor.get(one) === 0)
  for (const one of ordered) {
    for (const follower of followers.get(one) ?? []) {
      const left = (waitsFor.get(follower) ?? 0) - 1
      waitsFor.set(follower, left)
      if (left === 0) ordered.push(follower)
    }
  }
  expect(written.filter((one) => !ordered.includes(one))).toEqual([])
}

/** Locks heads against the order of all others until the round is over. */
async function lockBackwards(client: pg.Client, ids: readonly string[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await client.query('begin')
    try {
      for (const id of ids.toReversed()) {
        await client.query('select from organizations where organization_id = $1 for update', [id])
        await setTimeout(2)
      }
    } catch {
      // This one was ended in place of the other.
    }
    await client.query('rollback')
  }
}

/** Plays rounds on a database of their own, and returns how often commits met, and how many deadlocks there were. */
async function playRounds(besides: (ids: readonly string[], isOver: () => boolean) => Promise<void>, url: string) {
  const opened = Array.from({ length: nodes }, () => openPostgresStore(readDatabaseUrl(url)))
  const stores = await Promise.all(opened)
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))))
  const counts: Counts = { committed: 0, conflict: 0, restedOnly: 0 }
  const round = async (plans: readonly Plan[]) => {
    const ids = idsInOrder(places.length)
    expect(await stores[0]?.commit(commitOf({ heads: ids.map((id) => head(id)) }))).toBe('committed')
    let isOver = false
    const beside = besides(ids, () => isOver)
    const written = await playRound(stores, ids, plans, counts).finally(() => {
      isOver = true
    })
    await beside
    await expectNoLostUpdate(url, ids, written)
    expectOneOrder(written)
  }
  await fc.assert(fc.asyncProperty(course, round), { numRuns, endOnFailure: true })

  // A connection tells what it has counted when it ends.
  await Promise.all(stores.map((store) => store.close()))
  const open =
    "select pid from pg_stat_activity where datname = current_database() and application_name like 'claviger%'"
  await expect.poll(() => queryPostgres(url, open)).toEqual([])
  const [row] = await queryPostgres(url, 'select deadlocks from pg_stat_database where datname = current_database()')
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(10 * numRuns)
  return Number(row?.deadlocks)
}

test('commits of several nodes that change and rest on the same heads never wait for each other in a circle, and none is lost or stale', {
  timeout: 60_000 + 5_000 * numRuns,
}, async () => {
  expect(await playRounds(async () => {}, await temporaryDatabase())).toBe(0)
})

test('where somebody else locks against the order, a deadlock is a conflict, and none is lost or stale', {
  timeout: 60_000 + 5_000 * numRuns,
}, async () => {
  const url = await temporaryDatabase()
  const { hosts, database } = readDatabaseUrl(url)
  await queryPostgres(url, `alter database ${database} set deadlock_timeout = '5ms'`)
  const client = new pg.Client({ host: hosts[0]?.name, user: 'postgres', database })
  await client.connect()
  onTestFinished(() => client.end())
  expect(await playRounds((ids, isOver) => lockBackwards(client, ids, isOver), url)).toBeGreaterThan(0)
})
