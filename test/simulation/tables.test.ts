import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Read } from '../../src/protocol/reads.ts'
import { commitTo, emptyTables, find } from '../support/simulation/tables.ts'
import { temporaryStore } from '../support/store/fixtures.ts'
import { commitsOfOneOrganization, rowsBefore } from '../support/store/random_commits.ts'

const organizationId = 'organization'
const page = { limit: 10 }
const reads: readonly Read[] = [
  { read: 'headTag', organizationId },
  ...['a', 'b'].map((recordId): Read => ({ read: 'record', organizationId, kind: 'wallet', recordId })),
  ...['a', 'b'].map((requestKey): Read => ({ read: 'request', organizationId, requestKey })),
  { read: 'lookup', organizationId, lookup: 'address', key: '0xabc' },
  { read: 'page', organizationId, kind: 'wallet', ...page },
  { read: 'activities', organizationId, ...page },
]

test('the tables of the simulation decide and show what SQLite does', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(commitsOfOneOrganization, async (commits) => {
      const store = await temporaryStore()
      const tables = emptyTables()
      for (const commit of [rowsBefore, ...commits]) {
        expect(commitTo(tables, commit)).toBe(await store.commit(commit))
        const shown = await store.find(reads)
        expect(reads.map((read) => find(tables, read))).toMatchObject(shown)
      }
    }),
    { numRuns: 15 },
  )
})
