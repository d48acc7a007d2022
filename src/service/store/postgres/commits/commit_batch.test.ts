import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { databases } from '../../../../../test/support/store/fixtures.ts'
import { commitsOfOneOrganization, rowsBefore } from '../../../../../test/support/store/random_commits.ts'
import { activity, bytes, commitOf, head, idsInOrder, lookup, record } from '../../../../../test/support/store/rows.ts'
import type { Commit } from '../../../../protocol/reads.ts'
import type { Store } from '../../store.ts'
import { readDatabaseUrl } from '../database_address.ts'
import { connect } from '../hosts.ts'
import { executeBatch } from './commit_batch.ts'

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

test('a commit of a thousand accounts is few statements, and the same rows as in SQLite', async () => {
  const [sqlite, postgres] = [await databases[0].make(), await databases[1].make()]
  const stores = await Promise.all([sqlite.open(), postgres.open()])
  const connection = await connect(readDatabaseUrl(postgres.url), { name: 'test', statementMsMax: 7_000 })
  onTestFinished(() => connection.close())
  const queried = vi.spyOn(connection.client, 'query')

  const accountIds = idsInOrder(2_500)
  const account = (recordId: string, parts: Parameters<typeof record>[2] = {}) =>
    record('child', recordId, { kind: 'wallet_account', ownerId: 'wallet', ...parts })
  const address = (recordId: string, parts: Parameters<typeof lookup>[2] = {}) =>
    lookup('child', recordId, { key: `0x${recordId}`, kind: 'wallet_account', ...parts })
  const commits = [
    commitOf({ heads: [head('parent'), head('child', { parentId: 'parent' })] }),
    commitOf({
      records: [record('child', 'wallet'), ...accountIds.map((id) => account(id))],
      lookups: accountIds.map((id) => address(id)),
      activities: [activity('child', 'made', { requestKey: 'made' })],
    }),
    commitOf({
      heads: [head('child', { version: 2 })],
      records: accountIds.map((id, index) =>
        index % 3 === 0
          ? account(id, { version: 2, sealed: undefined })
          : account(id, { version: 2, ownerId: index % 3 === 1 ? undefined : 'other', sealed: bytes(`${id} changed`) }),
      ),
      lookups: accountIds.flatMap((id, index) =>
        index % 3 === 0
          ? [address(id, { change: 'remove' })]
          : [address(id, { change: 'remove' }), address(id, { key: `${id} \0 ${'long'.repeat(200)}` })],
      ),
    }),
  ]
  for (const commit of commits) {
    expect(await stores[0].commit(commit)).toBe('committed')
    queried.mockClear()
    expect(await executeBatch(connection, [commit])).toEqual(['committed'])
    expect(queried.mock.calls.length).toBeLessThan(40)
  }
  for (const text of [
    ...selections.slice(0, 2),
    'select lookup, record_id, kind, parent_id from lookups order by 2, 1',
  ]) {
    expect(JSON.stringify(await postgres.query(text))).toBe(JSON.stringify(await sqlite.query(text)))
  }
  // None of a commit is written when one of its rows is there already.
  const taken = [...accountIds.slice(0, 3), ...idsInOrder(1_500)].map((id) => account(id))
  for (const store of stores) expect(await store.commit(commitOf({ records: taken }))).toBe('conflict')
  expect(await postgres.query(selections[1])).toEqual(await sqlite.query(selections[1]))
})

test('a transaction that writes has its own settings, whatever a client before left in the session', async () => {
  const database = await databases[1].make()
  await (await database.open()).close()
  const connection = await connect(readDatabaseUrl(database.url), { name: 'test', statementMsMax: 7_000 })
  onTestFinished(() => connection.close())
  await connection.execute('set synchronous_commit = off')
  await connection.execute('set client_min_messages = error')
  await connection.execute('set bytea_output = escape')
  for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) {
    await connection.execute(`set ${limit} = 0`)
  }
  let held: unknown
  const looking = {
    ...connection,
    async commit() {
      const { rows } = await connection.client.query(`
        select current_setting('synchronous_commit') as durable, current_setting('client_min_messages') as told,
        current_setting('bytea_output') as bytes, current_setting('statement_timeout') as statement,
        current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle`)
      held = rows[0]
      await connection.commit()
    },
  }
  expect(await executeBatch(looking, [commitOf({ heads: [head('one')] })])).toEqual(['committed'])
  const limits = { statement: '7s', lock: '3s', idle: '2s' }
  expect(held).toEqual({ durable: 'on', told: 'warning', bytes: 'hex', ...limits })
})

async function oneByOne(store: Store, commits: readonly Commit[]) {
  const outcomes: ('committed' | 'conflict')[] = []
  for (const commit of commits) outcomes.push(await store.commit(commit))
  return outcomes
}

async function together(store: Store, commits: readonly Commit[]) {
  return Promise.all(commits.map((commit) => store.commit(commit)))
}
