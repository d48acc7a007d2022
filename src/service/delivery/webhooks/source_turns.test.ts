import { expect, test } from 'vitest'
import { temporaryStore } from '../../../../test/support/store/fixtures.ts'
import { createSourceTurns } from './source_turns.ts'

const endpoint = { organizationId: 'parent', endpointId: 'e' }
const farMs = 1_000_000

/** The events that wait for the endpoint, by the organizations in which they happened. */
async function waiting(sources: readonly string[]) {
  const store = await temporaryStore()
  const outbox = sources.map((happenedIn, index) => {
    const messageId = `m${String(index).padStart(3, '0')}`
    const place = { ...endpoint, messageId, happenedIn, activityId: messageId, activityVersion: 1 }
    return { ...place, channel: 'webhook', expiresAtMs: farMs, sealed: new Uint8Array(1) } as const
  })
  const nothing = { readSet: [], heads: [], records: [], lookups: [], activities: [], erasures: [] }
  expect(await store.commit({ ...nothing, outbox })).toBe('committed')
  const turns = createSourceTurns(store)
  return {
    /** Takes the next event, as a delivery does. Returns the organization in which it happened. */
    async take(nowMs = 0): Promise<string | undefined> {
      const event = await turns.nextDue(endpoint, nowMs)
      if (event === undefined) return undefined
      const { messageId, attempts } = event
      const claim = { change: 'claim', organizationId: 'parent', messageId, attempts, dueAtMs: farMs } as const
      expect(await store.changeQueue({ queue: 'webhooks', ...claim })).toBe('committed')
      return sources[Number(messageId.slice(1))]
    },
  }
}

test('sources take turns, an event each, and what happened first comes first in each', async () => {
  const { take } = await waiting(['b', 'b', 'b', 'b', 'c', 'a', 'c'])
  const taken: (string | undefined)[] = []
  for (let count = 0; count < 8; count += 1) taken.push(await take())
  expect(taken).toEqual(['a', 'b', 'c', 'b', 'c', 'b', 'b', undefined])
})

test('a source of which nothing is due is passed over', async () => {
  const { take } = await waiting(['a', 'b', 'b'])
  expect([await take(), await take(), await take(), await take()]).toEqual(['a', 'b', 'b', undefined])
})

test('so many are passed over in one look, and the next goes on behind them', async () => {
  const many = Array.from({ length: 100 }, (_, index) => `s${String(index).padStart(3, '0')}`)
  const { take } = await waiting([...many, 'z', 'z'])
  for (const source of [...many, 'z']) expect(await take()).toBe(source)
  expect([await take(), await take(), await take()]).toEqual([undefined, 'z', undefined])
})
