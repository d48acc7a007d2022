import fc from 'fast-check'
import { expect, test } from 'vitest'
import { databases } from '../../../../test/support/store/fixtures.ts'
import { commitsOfOneOrganization, rowsBefore } from '../../../../test/support/store/random_commits.ts'
import type { Commit } from '../../../protocol/reads.ts'
import type { Store } from '../store.ts'

/** All that is kept, but for the sequences: commits that do not rest on each other may be made in another order. */
const selections = [
  'select * from organizations order by 1',
  'select * from records order by 1, 2, 3',
  'select * from lookups order by 1, 2, 3, 4',
  'select activity_id, request_key, type, status, version, sealed from activities order by 1',
  'select count(*) as activities, max(sequence) as last from activities',
] as const

/** Two implementations by different means: a thread with savepoints, and transactions that judge a batch on its facts. */
test('commits that arrive together have the outcomes and rows that SQLite gives them one by one', {
  timeout: 90_000,
}, async () => {
  const [sqlite, postgres] = await Promise.all(databases.map(async ({ make }) => make()))
  if (sqlite === undefined || postgres === undefined) expect.fail('a database is missing')
  const stores = await Promise.all([sqlite.open(), postgres.open()])

  async function rowsOf(database: typeof sqlite): Promise<unknown> {
    const rows = selections.map((text) => database?.query(text))
    return JSON.parse(JSON.stringify(await Promise.all(rows)))
  }
  const reset = async (database: typeof sqlite) => {
    for (const table of ['organizations', 'records', 'lookups', 'activities'])
      await database?.query(`delete from ${table}`)
  }

  const seen = { committed: 0, conflict: 0 }
  await fc.assert(
    fc.asyncProperty(commitsOfOneOrganization, async (commits) => {
      await Promise.all([reset(sqlite), reset(postgres)])
      expect(await Promise.all(stores.map((store) => store.commit(rowsBefore)))).toEqual(['committed', 'committed'])
      const expected = await oneByOne(stores[0], commits)
      const outcomes = await together(stores[1], commits)
      expect(outcomes).toEqual(expected)
      expect(await rowsOf(postgres)).toEqual(await rowsOf(sqlite))
      for (const outcome of expected) seen[outcome] += 1
    }),
    { numRuns: 80 },
  )
  expect(Math.min(seen.committed, seen.conflict)).toBeGreaterThan(80)
})

async function oneByOne(store: Store, commits: readonly Commit[]) {
  const outcomes: ('committed' | 'conflict')[] = []
  for (const commit of commits) outcomes.push(await store.commit(commit))
  return outcomes
}

async function together(store: Store, commits: readonly Commit[]) {
  return Promise.all(commits.map((commit) => store.commit(commit)))
}
