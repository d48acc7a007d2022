import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { faultyNetwork, holdsCommit } from '../../../../test/support/postgres/faulty_network.ts'
import { queryPostgres, temporaryDatabase } from '../../../../test/support/postgres/postgres.ts'
import { soon } from '../../../../test/support/soon.ts'
import { activity, commitOf, head, record } from '../../../../test/support/store/rows.ts'
import { readDatabaseUrl } from './database_address.ts'
import { openPostgresStore } from './postgres_store.ts'

const organizations = ['a', 'b', 'c', 'd'] as const

/** Of each 100 pieces of bytes that pass: how many are the last of their line. Commits and answers count as others. */
const course = fc.record({
  cutForth: fc.integer({ min: 0, max: 6 }),
  cutAtCommit: fc.integer({ min: 0, max: 60 }),
  cutBack: fc.integer({ min: 0, max: 6 }),
  lateAtCommit: fc.integer({ min: 0, max: 20 }),
  delayMs: fc.constantFrom(0, 0, 2),
  chances: fc.infiniteStream(fc.integer({ min: 0, max: 99 })),
})

/**
 * A line that is cut when a commit is on it leaves the outcome unknown; one that is late as well delivers the commit
 * when its client has gone. Each commit writes two activities and a record, so half of one would show.
 */
test('random cuts lose no acknowledged commit, make none twice and none in part, and the store heals', async () => {
  const direct = await temporaryDatabase()
  const network = await faultyNetwork(direct)
  const store = await openPostgresStore(readDatabaseUrl(network.url))
  onTestFinished(() => store.close())
  await store.commit(commitOf({ heads: organizations.map((id) => head(id)) }))
  const seen = { committed: 0, rejected: 0, written: 0 }
  let rounds = 0

  await fc.assert(
    fc.asyncProperty(course, async ({ cutForth, cutAtCommit, cutBack, lateAtCommit, delayMs, chances }) => {
      rounds += 1
      const happens = (percent: number) => (chances.next().value ?? 100) < percent
      network.delay(delayMs)
      network.watch((bytes, line) => {
        if (holdsCommit(bytes) && happens(lateAtCommit)) {
          void setTimeout(15).then(() => line.deliver())
          void setTimeout(5).then(() => line.cutClient())
          return 'hold'
        }
        if (!happens(holdsCommit(bytes) ? cutAtCommit : cutForth)) return 'pass'
        line.cut()
        return 'hold'
      })
      network.watchAnswers((_bytes, line) => {
        if (!happens(cutBack)) return 'pass'
        line.cut()
        return 'hold'
      })

      const outcomes = new Map<string, 'committed' | 'conflict' | 'rejected'>()
      const worker = async (name: number) => {
        for (let turn = 0; turn < 6; turn += 1) {
          const organizationId = organizations[(name + turn) % organizations.length] ?? 'a'
          const id = `${rounds} ${name} ${turn}`
          const activities = [`${id} one`, `${id} two`].map((one) => activity(organizationId, one, { requestKey: one }))
          const commit = commitOf({ activities, records: [record(organizationId, id)] })
          outcomes.set(id, await store.commit(commit).catch(() => 'rejected' as const))
        }
      }
      await Promise.all(Array.from({ length: 8 }, (_, name) => worker(name)))

      network.watch(() => 'pass')
      network.watchAnswers(() => 'pass')
      await setTimeout(20) // what is late has arrived
      const healthy = { readError: undefined, writeError: undefined }
      await soon(async () => expect(await store.health()).toEqual(healthy))
      expect(await store.commit(commitOf({ activities: [activity('a', `${rounds} last`)] }))).toBe('committed')

      const rows = await queryPostgres(
        direct,
        `select record_id as id, (select count(*) from activities where activity_id in (record_id || ' one', record_id || ' two')) as activities
        from records where record_id like '${rounds} %'`,
      )
      const written = new Set(rows.map(({ id }) => String(id)))
      expect(rows.filter(({ activities }) => activities !== 2)).toEqual([])
      for (const [id, outcome] of outcomes) {
        expect([id, outcome, written.has(id)]).toEqual([
          id,
          outcome,
          outcome === 'rejected' ? expect.any(Boolean) : outcome === 'committed',
        ])
        // Nothing else makes these, so none conflicts.
        expect(outcome).not.toBe('conflict')
        seen[outcome === 'rejected' ? 'rejected' : 'committed'] += 1
        if (outcome === 'rejected' && written.has(id)) seen.written += 1
      }
      const [made] = await queryPostgres(
        direct,
        `select count(*) as count from activities where activity_id like '${rounds} %'`,
      )
      expect(made?.count).toBe(2 * written.size + 1)
      const gaps = await queryPostgres(
        direct,
        'select organization_id from activities group by 1 having max(sequence) <> count(*)',
      )
      expect(gaps).toEqual([])
    }),
    { numRuns: 25 },
  )

  expect(Math.min(seen.committed, seen.rejected, seen.written)).toBeGreaterThan(10)
  const [open] = await queryPostgres(
    direct,
    `select count(*) as count from pg_stat_activity where datname = current_database() and application_name like 'claviger (%'`,
  )
  expect(open?.count).toBeLessThanOrEqual(8)
})
