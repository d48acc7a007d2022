import { describe, expect, test } from 'vitest'
import { databases } from '../../../test/support/store/fixtures.ts'
import { bytes, commitOf, head, idsInOrder, message, record } from '../../../test/support/store/rows.ts'
import type { QueueChange } from './queue_changes.ts'
import type { DueMessage, Store } from './store.ts'

describe.each(databases)('$name', ({ make }) => {
  const temporaryStore = async () => (await make()).open()

  const organizationId = 'organization'
  const due = { organizationId, channel: 'mail', nowMs: 1_000, limit: 10 } as const

  async function dueIds(store: Store, parts: Partial<Parameters<Store['dueMessages']>[0]> = {}) {
    return (await store.dueMessages({ ...due, ...parts })).map(({ messageId }) => messageId)
  }

  async function firstDue(store: Store) {
    const [first] = await store.dueMessages(due)
    return first ?? expect.fail('nothing is due')
  }

  function claimOf({ messageId, attempts }: DueMessage): QueueChange {
    return { queue: 'messages', change: 'claim', organizationId, messageId, attempts, dueAtMs: 61_000 }
  }

  test('a message is due as soon as its commit is acknowledged, as it was written', async () => {
    const store = await temporaryStore()
    const received = bytes('before sealed after')
    const sealed = received.subarray(7, 13)
    await store.commit(
      commitOf({ outbox: [message(organizationId, 'm1', { sealed, expiresAtMs: 1_785_000_000_000 })] }),
    )
    expect(await store.dueMessages(due)).toEqual([
      { organizationId, messageId: 'm1', attempts: 0, expiresAtMs: 1_785_000_000_000, sealed: bytes('sealed') },
    ])
  })

  test('a commit that conflicts sends nothing, and no message is sent twice', async () => {
    const store = await temporaryStore()
    const readSet = [{ of: 'record', organizationId, kind: 'wallet', recordId: 'none', version: 1 }] as const
    expect(await store.commit(commitOf({ readSet, outbox: [message(organizationId, 'm1')] }))).toBe('conflict')
    expect(await dueIds(store)).toEqual([])
    expect(await store.commit(commitOf({ outbox: [message(organizationId, 'm1')] }))).toBe('committed')
    const again = commitOf({ records: [record(organizationId, 'r')], outbox: [message(organizationId, 'm1')] })
    expect(await store.commit(again)).toBe('conflict')
    expect(await store.find([{ read: 'record', organizationId, kind: 'wallet', recordId: 'r' }])).toMatchObject([
      { row: undefined },
    ])
  })

  test('the messages of one channel come in the order of their expiry, at most as many as asked for', async () => {
    const store = await temporaryStore()
    const ids = idsInOrder(6)
    const [invitation = '', ...passcodes] = ids.toReversed()
    const week = message(organizationId, invitation, { expiresAtMs: 604_800_000 })
    const outbox = [week, ...passcodes.map((id) => message(organizationId, id))]
    await store.commit(commitOf({ outbox: [...outbox, message(organizationId, 'sms', { channel: 'sms' })] }))
    expect(await dueIds(store)).toEqual(ids)
    expect(await dueIds(store, { limit: 2 })).toEqual(ids.slice(0, 2))
    expect(await dueIds(store, { channel: 'sms' })).toEqual(['sms'])

    await store.changeQueue({
      queue: 'messages',
      change: 'postpone',
      organizationId,
      messageId: ids[0] ?? '',
      dueAtMs: 900,
    })
    await store.changeQueue({
      queue: 'messages',
      change: 'postpone',
      organizationId,
      messageId: ids[1] ?? '',
      dueAtMs: 1_000,
    })
    await store.changeQueue({
      queue: 'messages',
      change: 'postpone',
      organizationId,
      messageId: ids[2] ?? '',
      dueAtMs: 1_001,
    })
    expect(await dueIds(store)).toEqual([ids[0], ids[1], ...ids.slice(3)])
    expect(await dueIds(store, { nowMs: 899 })).toEqual(ids.slice(3))
  })

  test('an organization with messages of a channel is found after another one, with its parent', async () => {
    const store = await temporaryStore()
    await store.commit(
      commitOf({
        heads: [head('a'), head('c', { parentId: 'a' })],
        outbox: [message('a', 'm1'), message('b', 'm2', { channel: 'sms' }), message('c', 'm3'), message('c', 'm4')],
      }),
    )
    const next = (after: string, channel: 'mail' | 'sms' = 'mail', exceptParent = '') =>
      store.nextMessageOrganization({ channel, after, exceptParent, nowMs: due.nowMs })
    expect(await next('')).toEqual({ organizationId: 'a', parentId: null })
    expect(await next('a')).toEqual({ organizationId: 'c', parentId: 'a' })
    expect(await next('c')).toBeUndefined()
    expect(await next('', 'mail', 'c')).toEqual({ organizationId: 'a', parentId: null })
    expect(await next('', 'mail', 'a')).toEqual({ organizationId: 'a', parentId: null })
    expect(await next('a', 'mail', 'a')).toBeUndefined()
    expect(await next('', 'sms', 'a')).toEqual({ organizationId: 'b', parentId: null })
    expect(await next('', 'sms')).toEqual({ organizationId: 'b', parentId: null })
    expect(await dueIds(store, { organizationId: 'c' })).toEqual(['m3', 'm4'])
  })

  test('an organization whose messages wait for another attempt does not keep the others from their turn', async () => {
    const store = await temporaryStore()
    const ids = idsInOrder(100)
    await store.commit(commitOf({ outbox: [...ids.map((id) => message(id, id)), message('z', 'm1')] }))
    for (const id of ids)
      await store.changeQueue({
        queue: 'messages',
        change: 'postpone',
        organizationId: id,
        messageId: id,
        dueAtMs: 1_001,
      })
    const next = (nowMs: number) =>
      store.nextMessageOrganization({ channel: 'mail', after: '', exceptParent: '', nowMs })
    expect(await next(1_000)).toMatchObject({ organizationId: 'z' })
    expect(await next(1_001)).toMatchObject({ organizationId: ids[0] })
  })

  describe('a message that is taken', () => {
    test('is due for nobody else until its time, and its attempts are counted', async () => {
      const store = await temporaryStore()
      await store.commit(commitOf({ outbox: [message(organizationId, 'm1')] }))
      expect(await store.changeQueue(claimOf(await firstDue(store)))).toBe('committed')
      expect(await dueIds(store, { nowMs: 60_999 })).toEqual([])
      expect(await store.dueMessages({ ...due, nowMs: 61_000 })).toMatchObject([{ messageId: 'm1', attempts: 1 }])

      await store.changeQueue({
        queue: 'messages',
        change: 'postpone',
        organizationId,
        messageId: 'm1',
        dueAtMs: 2_000,
      })
      expect(await store.dueMessages({ ...due, nowMs: 2_000 })).toMatchObject([{ messageId: 'm1', attempts: 1 }])
      await store.changeQueue({ queue: 'messages', change: 'remove', organizationId, messageId: 'm1' })
      expect(await dueIds(store, { nowMs: 61_000 })).toEqual([])
    })

    test('is taken by one of many, whatever their nodes', async () => {
      const { open } = await make()
      const nodes = [await open(), await open()] as const
      await nodes[0].commit(commitOf({ outbox: [message(organizationId, 'm1')] }))
      const first = await firstDue(nodes[1])
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) => nodes[index % 2 ? 1 : 0].changeQueue(claimOf(first))),
      )
      expect(outcomes.filter((outcome) => outcome === 'committed')).toHaveLength(1)
    })

    test('and delivered is taken by nobody who saw it before', async () => {
      const store = await temporaryStore()
      await store.commit(commitOf({ outbox: [message(organizationId, 'm1')] }))
      const first = await firstDue(store)
      await store.changeQueue({ queue: 'messages', change: 'remove', ...first })
      expect(await store.changeQueue(claimOf(first))).toBe('conflict')
    })

    test('leaves its namesake of another organization alone', async () => {
      const store = await temporaryStore()
      await store.commit(commitOf({ outbox: [message('a', 'm1'), message('b', 'm1')] }))
      await store.changeQueue({ queue: 'messages', change: 'remove', organizationId: 'a', messageId: 'm1' })
      expect(await dueIds(store, { organizationId: 'a' })).toEqual([])
      expect(await dueIds(store, { organizationId: 'b' })).toEqual(['m1'])
    })
  })
})
