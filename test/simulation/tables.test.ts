import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Read } from '../../src/protocol/reads.ts'
import { bundleKey, commitTo, emptyTables, find, keepLogIn } from '../support/simulation/tables.ts'
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

test('they keep transparency logs as SQLite does', async () => {
  const store = await temporaryStore()
  const tables = emptyTables()
  const logId = '0a'.repeat(16)
  const row = { logId, origin: `localhost/log/${logId}`, keys: Buffer.of(), last: new Uint8Array() }
  for (const [size, number] of [
    [300, 0],
    [200, 1],
    [300, 1],
    [600, undefined],
    [undefined, 2],
  ] as const) {
    const checkpoint = Buffer.from(`${size} ${number}`)
    const bundles = number === undefined ? [] : [{ number, root: Buffer.alloc(32), entries: checkpoint }]
    const kept = { logId, log: size === undefined ? undefined : { ...row, size, checkpoint }, bundles }
    await store.keepLog(kept)
    keepLogIn(tables, kept)
    const [inTables, inStore] = [tables.logs.get(logId), await store.log(logId)]
    expect([inTables?.size, inTables?.checkpoint]).toEqual([inStore?.size, Buffer.from(inStore?.checkpoint ?? [])])
    for (const each of [0, 1, 2]) {
      const stored = await store.logBundle({ logId, number: each })
      expect(tables.bundles.get(bundleKey({ logId, number: each }))).toEqual(stored && Buffer.from(stored))
    }
  }
})
