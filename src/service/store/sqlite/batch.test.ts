import type { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { guardSchemaAsItIs, temporaryPath } from '../../../../test/support/store/fixtures.ts'
import { commitsOfOneOrganization, rowsBefore } from '../../../../test/support/store/random_commits.ts'
import { activity, commitOf, head, idsInOrder, lookup, record } from '../../../../test/support/store/rows.ts'
import type { Commit, ReadSetEntry } from '../../../protocol/reads.ts'
import { createBatch, type Job, type Outcome } from './batch.ts'
import { openReader, openWriter, prepareAll } from './connection.ts'
import { prepareFile } from './prepare_file.ts'
import { sqliteQueries } from './sqlite_queries.ts'

const organizationId = 'organization'

async function opened() {
  const path = temporaryPath()
  await prepareFile(path)
  const database = openWriter(path)
  const seen = openReader(path)
  onTestFinished(() => {
    seen.close()
    database.close()
  })
  return { database, seen, execute: batchOf(database) }
}

const batchOf = (database: DatabaseSync) =>
  createBatch(database, prepareAll(database, sqliteQueries), guardSchemaAsItIs(database))

const job = (parts: Partial<Commit>): Job => ({ do: 'commit', commit: commitOf(parts) })

function rowsOf(database: DatabaseSync): Record<string, number> {
  const tables = ['organizations', 'records', 'lookups', 'activities'].map((table) => {
    return [table, Number(database.prepare(`select count(*) as rows from ${table}`).get()?.rows)] as const
  })
  return Object.fromEntries(tables)
}

test('a job that conflicts halfway leaves nothing behind, the others of its batch are written', async () => {
  const { seen, execute } = await opened()
  const [a, b, c] = ['a', 'b', 'c'] as const
  const broken: ReadSetEntry = { of: 'record', organizationId, kind: 'wallet', recordId: 'none', version: 1 }

  const outcomes = execute([
    job({ heads: [head(organizationId)], records: [record(organizationId, a)] }),
    job({ readSet: [broken], records: [record(organizationId, b)] }),
    // Everything but the last row could be written.
    job({
      heads: [head('another')],
      records: [record(organizationId, b), record(organizationId, c), record(organizationId, a)],
      lookups: [lookup(organizationId, b)],
      activities: [activity(organizationId, b)],
    }),
    job({ records: [record(organizationId, c)], lookups: [lookup(organizationId, c)] }),
  ])

  expect(outcomes).toEqual(['committed', 'conflict', 'conflict', 'committed'])
  expect(rowsOf(seen)).toEqual({ organizations: 1, records: 2, lookups: 1, activities: 0 })
})

test('a job sees what an earlier job of its batch wrote, and not what an earlier one failed to write', async () => {
  const { execute } = await opened()
  const version = (recordId: string, expected: number | undefined): ReadSetEntry => {
    return { of: 'record', organizationId, kind: 'wallet', recordId, version: expected }
  }

  const outcomes = execute([
    job({ records: [record(organizationId, 'a')] }),
    job({ readSet: [version('a', undefined)], records: [record(organizationId, 'b')] }),
    job({ readSet: [version('a', 1), version('b', undefined)], records: [record(organizationId, 'b')] }),
    job({ readSet: [version('b', 1)] }),
  ])
  expect(outcomes).toEqual(['committed', 'conflict', 'committed', 'committed'])
})

test('jobs in one batch have the same outcomes and rows as one by one', async () => {
  const jobs = commitsOfOneOrganization.map((commits) => commits.map((commit): Job => ({ do: 'commit', commit })))
  const { database, execute } = await opened()
  database.exec('pragma synchronous = off') // this test does not need the disk
  const tables = ['organizations', 'records', 'lookups', 'activities']

  /** Executes the jobs on the rows on which most of them rest. */
  function afterwards(executeAll: () => readonly Outcome[]) {
    for (const table of tables) database.exec(`delete from ${table}`)
    execute([{ do: 'commit', commit: rowsBefore }])
    return { outcomes: executeAll(), rows: tables.map((table) => database.prepare(`select * from ${table}`).all()) }
  }

  const seen = { committed: 0, conflict: 0, more: 0 }
  fc.assert(
    fc.property(jobs, (given) => {
      const oneByOne = afterwards(() => given.flatMap((one) => execute([one])))
      expect(afterwards(() => execute(given))).toEqual(oneByOne)
      for (const outcome of oneByOne.outcomes) if (typeof outcome === 'string') seen[outcome] += 1
    }),
    { numRuns: 1_000 },
  )
  expect(Math.min(seen.committed, seen.conflict)).toBeGreaterThan(1_000)
})

test('checks that held in one batch are made again in the next', async () => {
  const { database, execute } = await opened()
  const restsOnHead = job({ readSet: [{ of: 'head', organizationId, version: 1, tag: 'tag 1' }] })
  expect(execute([job({ heads: [head(organizationId)] }), restsOnHead, restsOnHead])).not.toContain('conflict')
  database.exec('update organizations set version = 2') // as the eraser does, in its own transactions
  expect(execute([restsOnHead])).toEqual(['conflict'])
})

test('a job whose values no column can hold is rejected alone', async () => {
  const { seen, execute } = await opened()
  const outcomes = execute([
    job({ records: [record(organizationId, 'a')] }),
    // @ts-expect-error a body is bytes
    job({ records: [record(organizationId, 'b'), record(organizationId, 'c', { sealed: 'text' })] }),
    // @ts-expect-error a tag is a text
    job({ heads: [head(organizationId, { tag: {} })] }),
  ])
  expect(outcomes).toEqual(['committed', { error: expect.any(String) }, { error: expect.any(String) }])
  expect(rowsOf(seen)).toMatchObject({ organizations: 0, records: 1 })
})

test('when the disk is full every job of the batch fails, nothing of it is written, and writing works again later', async () => {
  const { database, seen, execute } = await opened()
  const [first, ...later] = idsInOrder(20)
  const large = (recordId: string) =>
    job({ records: [record(organizationId, recordId, { sealed: new Uint8Array(1e5) })] })
  expect(execute([large(first ?? '')])).toEqual(['committed'])

  const pages = Number(database.prepare('pragma page_count').get()?.page_count)
  database.exec(`pragma max_page_count = ${pages + 60}`) // room for two more
  expect(execute(later.map(large))).toEqual(later.map(() => ({ error: 'database or disk is full' })))
  expect(database.isTransaction).toBe(false)
  expect(rowsOf(seen)).toMatchObject({ records: 1 })
  expect(rowsOf(database)).toMatchObject({ records: 1 })

  database.exec('pragma max_page_count = 100000')
  expect(execute(later.map(large))).toEqual(later.map(() => 'committed'))
  expect(rowsOf(seen)).toMatchObject({ records: 20 })
})

test('a commit that is refused at its very end fails every job and writes nothing', async () => {
  const { database, seen } = await opened()
  // A deferred foreign key is checked by COMMIT, after every savepoint was released. The store itself has none.
  const orphan = "text default 'nobody' references organizations deferrable initially deferred"
  database.exec(`alter table records add column orphan ${orphan}`)
  database.exec('pragma foreign_keys = on')
  const execute = batchOf(database)

  const jobs = [job({ heads: [head(organizationId)] }), job({ records: [record(organizationId, 'nobody')] })]
  expect(execute(jobs)).toEqual(jobs.map(() => ({ error: 'FOREIGN KEY constraint failed' })))
  expect(rowsOf(seen)).toEqual({ organizations: 0, records: 0, lookups: 0, activities: 0 })
  expect(execute([jobs[0] ?? { do: 'probe' }])).toEqual(['committed'])
})
