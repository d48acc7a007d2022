import { describe, expect, test } from 'vitest'
import { databases } from '../../../test/support/store/fixtures.ts'
import { activity, bytes, commitOf, head, idsInOrder, lookup, record } from '../../../test/support/store/rows.ts'
import { lookupRowsMax, type ReadSetEntry } from '../../protocol/reads.ts'
import { digestOf } from '../../protocol/tools/digest.ts'
import type { Store } from './store.ts'

describe.each(databases)('$name', ({ make }) => {
  const temporaryStore = async () => (await make()).open()

  const organizationId = 'organization'
  const [absent, tag] = [undefined, 'tag 1']
  const rowsOf = (...recordIds: readonly string[]) => recordIds.map((recordId) => ({ kind: 'wallet', recordId }))

  async function storeWithRows(): Promise<Store> {
    const store = await temporaryStore()
    const made = commitOf({
      heads: [head(organizationId)],
      records: [record(organizationId, 'w1'), record(organizationId, 'w2')],
      lookups: [lookup(organizationId, 'w1'), lookup(organizationId, 'w2')],
      activities: [activity(organizationId, 'a1', { requestKey: 'f1' })],
    })
    expect(await store.commit(made)).toBe('committed')
    return store
  }

  describe('a commit is written when its read set holds, and not at all when one entry does not', () => {
    const ofHead = { of: 'head', organizationId } as const
    const ofRecord = { of: 'record', organizationId, kind: 'wallet' } as const
    const ofLookup = { of: 'lookup', organizationId, lookup: 'address', key: '0xabc' } as const
    const ofRequest = { of: 'request', organizationId } as const

    const entries: readonly (readonly ['committed' | 'conflict', ReadSetEntry])[] = [
      ['committed', { ...ofHead, version: 1, tag }],
      ['conflict', { ...ofHead, version: 2, tag }],
      ['conflict', { ...ofHead, version: 1, tag: 'another' }],
      ['conflict', { ...ofHead, version: absent, tag: absent }],
      ['committed', { ...ofHead, organizationId: 'none', version: absent, tag: absent }],
      ['conflict', { ...ofHead, organizationId: 'none', version: 1, tag }],

      ['committed', { ...ofRecord, recordId: 'w1', version: 1 }],
      ['conflict', { ...ofRecord, recordId: 'w1', version: 2 }],
      ['conflict', { ...ofRecord, recordId: 'w1', version: absent }],
      ['committed', { ...ofRecord, recordId: 'w3', version: absent }],
      ['conflict', { ...ofRecord, recordId: 'w3', version: 1 }],
      ['committed', { ...ofRecord, recordId: 'w1', kind: 'private_key', version: absent }],
      ['committed', { ...ofRecord, recordId: 'w1', organizationId: 'none', version: absent }],

      [
        'committed',
        { ...ofRecord, recordId: 'w1', version: 1, digest: digestOf(record(organizationId, 'w1').sealed ?? bytes('')) },
      ],
      ['conflict', { ...ofRecord, recordId: 'w1', version: 1, digest: digestOf(bytes('another')) }],
      [
        'conflict',
        { ...ofRecord, recordId: 'w1', version: 2, digest: digestOf(record(organizationId, 'w1').sealed ?? bytes('')) },
      ],
      ['conflict', { ...ofRecord, recordId: 'w3', version: 1, digest: digestOf(bytes('')) }],

      ['committed', { ...ofLookup, rows: rowsOf('w1', 'w2') }],
      ['committed', { ...ofLookup, rows: rowsOf('w2', 'w1') }],
      ['conflict', { ...ofLookup, rows: rowsOf('w1') }],
      ['conflict', { ...ofLookup, rows: rowsOf('w1', 'w3') }],
      ['conflict', { ...ofLookup, rows: rowsOf('w1', 'w2', 'w3') }],
      ['conflict', { ...ofLookup, rows: rowsOf() }],
      ['conflict', { ...ofLookup, rows: rowsOf('w1', 'w2').map((row) => ({ ...row, kind: 'user' })) }],
      ['committed', { ...ofLookup, key: '0xdef', rows: rowsOf() }],
      ['conflict', { ...ofLookup, key: '0xdef', rows: rowsOf('w1') }],

      ['committed', { ...ofRequest, requestKey: 'f1', version: 1 }],
      ['conflict', { ...ofRequest, requestKey: 'f1', version: 2 }],
      ['conflict', { ...ofRequest, requestKey: 'f1', version: absent }],
      ['committed', { ...ofRequest, requestKey: 'f2', version: absent }],
      ['conflict', { ...ofRequest, requestKey: 'f2', version: 1 }],
    ]

    test('each kind of entry, when it holds and when it does not', async () => {
      const store = await storeWithRows()
      for (const [index, [expected, entry]] of entries.entries()) {
        const recordId = `new ${index}`
        const outcome = await store.commit(commitOf({ readSet: [entry], records: [record(organizationId, recordId)] }))
        const [found] = await store.find([{ read: 'record', organizationId, kind: 'wallet', recordId }])

        const what = JSON.stringify(entry)
        expect([what, outcome]).toEqual([what, expected])
        expect([what, found && 'row' in found && found.row !== undefined]).toEqual([what, expected === 'committed'])
      }
    })

    test('the last entry counts as much as the first', async () => {
      const store = await storeWithRows()
      const held = entries.filter(([expected]) => expected === 'committed').map(([, entry]) => entry)
      expect(await store.commit(commitOf({ readSet: held }))).toBe('committed')
      const broken: ReadSetEntry = { ...ofRecord, recordId: 'w1', version: 7 }
      expect(await store.commit(commitOf({ readSet: [...held, broken] }))).toBe('conflict')
    })

    test(`for a key with more than ${lookupRowsMax} records, only the rows that a read shows are compared`, async () => {
      const store = await temporaryStore()
      const ids = idsInOrder(lookupRowsMax + 2)
      const [first, ...later] = ids
      await store.commit(commitOf({ lookups: later.map((id) => lookup(organizationId, id)) }))
      const recordIds = later.slice(0, lookupRowsMax)
      expect(await store.commit(commitOf({ readSet: [{ ...ofLookup, rows: rowsOf(...recordIds) }] }))).toBe('committed')
      expect(await store.commit(commitOf({ readSet: [{ ...ofLookup, rows: rowsOf(...later) }] }))).toBe('conflict')

      await store.commit(commitOf({ lookups: [lookup(organizationId, first ?? '')] }))
      expect(await store.commit(commitOf({ readSet: [{ ...ofLookup, rows: rowsOf(...recordIds) }] }))).toBe('conflict')
    })
  })

  test('a later version replaces head, record and activity; removed rows are gone', async () => {
    const store = await storeWithRows()
    const changed = commitOf({
      heads: [head(organizationId, { version: 2, sealed: bytes('head 2') })],
      records: [
        record(organizationId, 'w1', { version: 2, sealed: bytes('wallet 2'), ownerId: 'owner' }),
        record(organizationId, 'w2', { version: 2, sealed: undefined }),
      ],
      lookups: [lookup(organizationId, 'w2', { change: 'remove' })],
      activities: [activity(organizationId, 'a1', { requestKey: 'f1', version: 2, sealed: bytes('activity 2') })],
    })
    expect(await store.commit(changed)).toBe('committed')

    const founds = await store.find([
      { read: 'head', organizationId },
      { read: 'page', organizationId, kind: 'wallet', ownerId: 'owner', limit: 9 },
      { read: 'record', organizationId, kind: 'wallet', recordId: 'w2' },
      { read: 'lookup', organizationId, lookup: 'address', key: '0xabc' },
      { read: 'request', organizationId, requestKey: 'f1' },
    ])
    expect(founds).toStrictEqual([
      { read: 'head', row: { version: 2, tag: 'tag 2', sealed: bytes('head 2') } },
      { read: 'page', rows: [{ recordId: 'w1', version: 2, sealed: bytes('wallet 2') }] },
      { read: 'record', row: undefined },
      { read: 'lookup', rows: [{ organizationId, kind: 'wallet', recordId: 'w1' }] },
      { read: 'request', row: { activityId: 'a1', version: 2, sealed: bytes('activity 2') } },
    ])
  })

  describe('without a read set that says so, a commit still', () => {
    const stale = { version: 1 }
    test.each([
      ['makes no organization twice', commitOf({ heads: [head(organizationId, stale)] })],
      ['makes no record twice', commitOf({ records: [record(organizationId, 'w1', stale)] })],
      ['adds no lookup twice', commitOf({ lookups: [lookup(organizationId, 'w1')] })],
      ['takes no activity id twice', commitOf({ activities: [activity(organizationId, 'a1')] })],
      ['takes no request twice', commitOf({ activities: [activity(organizationId, 'a2', { requestKey: 'f1' })] })],
      ['replaces no missing head', commitOf({ heads: [head('none', { version: 2 })] })],
      ['replaces no missing record', commitOf({ records: [record(organizationId, 'w3', { version: 2 })] })],
      ['removes no missing record', commitOf({ records: [record(organizationId, 'w3', { sealed: undefined })] })],
      ['replaces no missing activity', commitOf({ activities: [activity(organizationId, 'a3', { version: 2 })] })],
    ])('%s', async (_, commit) => {
      const store = await storeWithRows()
      const readSet: readonly ReadSetEntry[] = []
      expect(await store.commit({ ...commit, readSet })).toBe('conflict')
    })

    test('lowers no version', async () => {
      const store = await storeWithRows()
      const second = commitOf({ records: [record(organizationId, 'w1', { version: 3 })] })
      expect(await store.commit(second)).toBe('committed')
      expect(await store.commit(second)).toBe('conflict')
      expect(await store.commit(commitOf({ records: [record(organizationId, 'w1', { version: 2 })] }))).toBe('conflict')
    })
  })

  test('removing a lookup that is not there is no conflict', async () => {
    const store = await storeWithRows()
    const lost = lookup(organizationId, 'w9', { change: 'remove' })
    expect(await store.commit(commitOf({ lookups: [lost] }))).toBe('committed')
  })

  test('of many racing commits of the same request exactly one is written', async () => {
    const store = await temporaryStore()
    const race = async (readSet: readonly ReadSetEntry[], requestKey: string) => {
      const made = idsInOrder(20).map((id) => activity(organizationId, id, { requestKey }))
      const outcomes = await Promise.all(made.map((one) => store.commit(commitOf({ readSet, activities: [one] }))))
      const winner = made[outcomes.indexOf('committed')]
      expect(outcomes.filter((outcome) => outcome === 'committed')).toHaveLength(1)
      const [found] = await store.find([{ read: 'request', organizationId, requestKey }])
      expect(found).toMatchObject({ row: { activityId: winner?.activityId } })
    }
    await race([{ of: 'request', organizationId, requestKey: 'f1', version: undefined }], 'f1')
    await race([], 'f2')
  })

  test('sequences of each organization count from 1 without gaps, over conflicts and over reopening', async () => {
    const { open, query } = await make()
    for (const round of [1, 2]) {
      const store = await open()
      const commits = idsInOrder(60).map((id, index) => {
        const broken: ReadSetEntry = { of: 'record', organizationId, kind: 'none', recordId: 'none', version: 1 }
        const taken = activity('b', id, { requestKey: 'taken' })
        const activities = [activity(index % 2 ? 'a' : 'b', id)]
        if (index % 5 === 3) return commitOf({ readSet: [broken], activities })
        return commitOf({
          activities: index % 5 === 4 ? [...activities, { ...taken, activityId: `${id} taken` }] : activities,
        })
      })
      await Promise.all(commits.map((commit) => store.commit(commit)))
      await store.close()

      for (const name of ['a', 'b']) {
        const rows = await query(`select sequence from activities where organization_id = '${name}' order by 1`)
        expect(rows.length).toBeGreaterThan(15 * round)
        expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1))
      }
    }
  })
})
