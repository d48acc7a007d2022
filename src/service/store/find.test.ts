import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { databases } from '../../../test/support/store/fixtures.ts'
import { activity, bytes, commitOf, head, idsInOrder, lookup, record } from '../../../test/support/store/rows.ts'
import { lookupRowsMax, type Read } from '../../protocol/reads.ts'
import { pageRowsMax } from './store.ts'

describe.each(databases)('$name', ({ make }) => {
  const temporaryStore = async () => (await make()).open()

  const [organizationId, elsewhere] = ['11111111-0000-7000-8000-000000000001', '11111111-0000-7000-8000-000000000002']

  test('written rows are found, by each read alone and by all reads in one call, in the order of the reads', async () => {
    const store = await temporaryStore()
    const made = activity(organizationId, 'activity', { requestKey: 'ff' })
    await store.commit(
      commitOf({
        heads: [head(organizationId, { tag: 'tag', sealed: bytes('the head') })],
        records: [record(organizationId, 'w1', { sealed: bytes('wallet') })],
        lookups: [lookup(organizationId, 'w1')],
        activities: [made],
      }),
    )

    const activityRow = { activityId: 'activity', version: 1, sealed: made.sealed }
    const recordRow = { recordId: 'w1', version: 1, sealed: bytes('wallet') }
    const expected = [
      [{ read: 'headTag', organizationId }, { row: { version: 1, tag: 'tag' } }],
      [{ read: 'head', organizationId }, { row: { version: 1, tag: 'tag', sealed: bytes('the head') } }],
      [{ read: 'record', organizationId, kind: 'wallet', recordId: 'w1' }, { row: recordRow }],
      [
        { read: 'lookup', organizationId, lookup: 'address', key: '0xabc' },
        { rows: [{ organizationId, kind: 'wallet', recordId: 'w1' }] },
      ],
      [{ read: 'page', organizationId, kind: 'wallet', limit: 10 }, { rows: [recordRow] }],
      [{ read: 'activity', organizationId, activityId: 'activity' }, { row: activityRow }],
      [{ read: 'request', organizationId, requestKey: 'ff' }, { row: activityRow }],
      [{ read: 'activities', organizationId, limit: 10 }, { rows: [activityRow] }],
    ] as const satisfies readonly (readonly [Read, object])[]

    const founds = expected.map(([read, found]) => ({ read: read.read, ...found }))
    expect(await store.find(expected.map(([read]) => read))).toStrictEqual(founds)
    for (const [index, [read]] of expected.entries()) expect(await store.find([read])).toStrictEqual([founds[index]])
  })

  test('in an organization that has nothing, everything is undefined or empty', async () => {
    const store = await temporaryStore()
    await store.commit(
      commitOf({
        heads: [head(elsewhere)],
        records: [record(elsewhere, 'w1')],
        lookups: [lookup(elsewhere, 'w1')],
        activities: [activity(elsewhere, 'a1', { requestKey: 'ff' })],
      }),
    )

    const reads: readonly Read[] = [
      { read: 'headTag', organizationId },
      { read: 'head', organizationId },
      { read: 'record', organizationId, kind: 'wallet', recordId: 'w1' },
      { read: 'activity', organizationId, activityId: 'a1' },
      { read: 'request', organizationId, requestKey: 'ff' },
      { read: 'page', organizationId, kind: 'wallet', limit: 10, after: 'w1' },
      { read: 'activities', organizationId, limit: 10, after: 'a1' },
      { read: 'lookup', organizationId, lookup: 'address', key: '0xabc' },
      { read: 'holders', parentId: organizationId, lookup: 'address', key: '0xabc', limit: 2 },
      { read: 'page', organizationId, kind: 'wallet', limit: 10 },
      { read: 'activities', organizationId, limit: 10 },
    ]
    const founds = await store.find(reads)
    expect(founds.map((found) => ('row' in found ? found.row : found.rows))).toStrictEqual([
      ...Array(7).fill(undefined),
      ...Array(4).fill([]),
    ])
  })

  test(`a lookup shows the oldest ${lookupRowsMax} records`, async () => {
    const store = await temporaryStore()
    const ids = idsInOrder(lookupRowsMax + 1)
    await store.commit(commitOf({ lookups: ids.toReversed().map((id) => lookup(organizationId, id)) }))

    const [found] = await store.find([{ read: 'lookup', organizationId, lookup: 'address', key: '0xabc' }])
    expect(found).toStrictEqual({
      read: 'lookup',
      rows: ids.slice(0, lookupRowsMax).map((recordId) => ({ organizationId, kind: 'wallet', recordId })),
    })
  })

  test('holders are the sub-organizations of that parent, once each, in order of their id', async () => {
    const store = await temporaryStore()
    const parentId = organizationId
    const holders = idsInOrder(5)
    const holding = { read: 'holders', parentId, lookup: 'address', key: '0xabc', limit: 2 } as const
    await store.commit(
      commitOf({
        heads: [
          head(parentId),
          head('silent', { parentId }),
          head('stranger', { parentId: elsewhere }),
          ...holders.map((id) => head(id, { parentId })),
        ],
        lookups: [
          lookup(parentId, 'w1'),
          lookup('stranger', 'w1'),
          lookup('silent', 'w1', { key: 'another' }),
          ...holders.toReversed().flatMap((id) => [lookup(id, 'w2'), lookup(id, 'w1')]),
        ],
      }),
    )

    const [first, second, third, , last] = holders
    for (const [page, expected] of [
      [{}, holders.slice(0, 2)],
      [{ limit: 5 }, holders],
      [{ limit: 6 }, holders],
      [{ after: first }, holders.slice(1, 3)],
      [{ after: last }, []],
      [{ before: last }, holders.slice(2, 4)],
      [{ before: second }, holders.slice(0, 1)],
      [{ before: first }, []],
      [{ after: third, key: 'another' }, undefined],
      [{ after: 'silent' }, undefined],
      [{ before: 'stranger' }, undefined],
      [{ after: parentId }, undefined],
    ] as const) {
      const rows = expected?.map((id) => ({ organizationId: id, kind: 'wallet', recordId: 'w1' }))
      const known = Object.fromEntries(Object.entries(page).filter(([, value]) => value !== undefined))
      expect([page, await store.find([{ ...holding, ...known }])]).toStrictEqual([page, [{ read: 'holders', rows }]])
    }
  })

  test('the cursor of a page must be a row of that list', async () => {
    const store = await temporaryStore()
    await store.commit(
      commitOf({
        records: [
          record(organizationId, 'mine', { ownerId: 'me' }),
          record(organizationId, 'theirs', { ownerId: 'them' }),
          record(organizationId, 'key', { kind: 'private_key' }),
          record(elsewhere, 'far', { ownerId: 'me' }),
        ],
      }),
    )
    const page = { read: 'page', organizationId, kind: 'wallet', limit: 10 } as const
    const isKnown = async (read: Read) => (await store.find([read])).every((found) => 'rows' in found && found.rows)

    for (const side of ['after', 'before'] as const) {
      expect(await isKnown({ ...page, [side]: 'mine' })).toBe(true)
      expect(await isKnown({ ...page, [side]: 'theirs' })).toBe(true)
      expect(await isKnown({ ...page, ownerId: 'me', [side]: 'mine' })).toBe(true)
      expect(await isKnown({ ...page, ownerId: 'me', [side]: 'theirs' })).toBe(false)
      expect(await isKnown({ ...page, [side]: 'key' })).toBe(false)
      expect(await isKnown({ ...page, [side]: 'far' })).toBe(false)
      expect(await isKnown({ ...page, [side]: randomUUID() })).toBe(false)
    }
  })

  test('the cursor of a list of activities may have left it, but must be an activity of the organization', async () => {
    const store = await temporaryStore()
    const open = { status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' }
    const voted = activity(organizationId, 'a2', open)
    const older = activity(organizationId, 'a1', open)
    await store.commit(commitOf({ activities: [older, voted, activity(elsewhere, 'b1', open)] }))
    await store.commit(commitOf({ activities: [{ ...voted, version: 2, status: 'ACTIVITY_STATUS_COMPLETED' }] }))

    const list = { read: 'activities', organizationId, limit: 10, statuses: [open.status] } as const
    expect(await store.find([{ ...list, after: 'a2' }])).toStrictEqual([
      { read: 'activities', rows: [{ activityId: 'a1', version: 1, sealed: older.sealed }] },
    ])
    for (const cursor of [{ after: 'b1' }, { before: 'b1' }, { after: randomUUID() }]) {
      expect(await store.find([{ ...list, ...cursor }])).toStrictEqual([{ read: 'activities', rows: undefined }])
    }
  })

  test.each([
    [1, {}, true],
    [pageRowsMax, {}, true],
    [0, {}, false],
    [pageRowsMax + 1, {}, false],
    [1.5, {}, false],
    [1, { after: 'a', before: 'b' }, false],
  ] as const)('a page of %d rows with the cursors %j is allowed: %s', async (limit, cursors, isAllowed) => {
    const store = await temporaryStore()
    for (const read of [
      { read: 'page', organizationId, kind: 'wallet', limit, ...cursors },
      { read: 'activities', organizationId, limit, ...cursors },
      { read: 'holders', parentId: organizationId, lookup: 'address', key: '0xabc', limit, ...cursors },
    ] as const) {
      if (isAllowed) await store.find([read])
      else await expect(store.find([read])).rejects.toThrow(/page/)
    }
    await expect(store.find([{ read: 'headTag', organizationId }])).resolves.toHaveLength(1)
  })
})
