import { describe, expect, onTestFinished, test } from 'vitest'
import { databases } from '../../../../test/support/store/fixtures.ts'
import { commitOf, head, record } from '../../../../test/support/store/rows.ts'
import type { Outcome } from '../carrier.ts'
import { startWebhookDelivery } from './webhook_delivery.ts'

const below = Array.from({ length: 300 }, (_, index) => `b${String(index).padStart(3, '0')}`)
const endpointIds = Array.from({ length: 10 }, (_, index) => `e${index}`)

function eventOf([organizationId, endpointId]: readonly [string, string], messageId: string) {
  const place = { organizationId, endpointId, messageId, happenedIn: organizationId, activityId: messageId }
  return {
    ...place,
    channel: 'webhook',
    activityVersion: 1,
    expiresAtMs: 1_000_000,
    sealed: new Uint8Array(1),
  } as const
}

describe.each(databases)('on $name', ({ make }) => {
  test('an event of a quiet endpoint waits for no round of the endpoints of another family', async () => {
    const { open } = await make()
    const store = await open()
    const failing = below.flatMap((id) => endpointIds.map((endpointId) => [id, endpointId] as const))
    await store.commit(commitOf({ heads: [head('a'), head('z'), ...below.map((id) => head(id, { parentId: 'a' }))] }))
    for (const endpoints of [failing, [['z', 'e'] as const]]) {
      await store.commit(
        commitOf({
          records: endpoints.map(([id, endpointId]) => record(id, endpointId, { kind: 'webhook_endpoint' })),
        }),
      )
    }
    await store.commit(commitOf({ outbox: failing.map((place) => eventOf(place, place.join(' '))) }))
    const over = Promise.withResolvers<Outcome>()
    let looks = 0
    const arrived = new Map<string, () => void>()
    const delivery = startWebhookDelivery({
      store: {
        ...store,
        waitingEndpoints: (from) => {
          if (from.limit > 100) looks += 1
          return store.waitingEndpoints(from)
        },
      },
      vault: {
        async openMessage({ organizationId }) {
          return { kind: 'message', message: { channel: 'webhook', url: organizationId, headers: {}, body: '' } }
        },
      },
      async carry({ url }, { messageId }) {
        if (url !== 'z') return over.promise
        arrived.get(messageId)?.()
        return { kind: 'delivered' }
      },
      log: { info() {}, warn() {}, error() {} },
      nowMs: () => 0,
    })
    onTestFinished(async () => {
      over.resolve({ kind: 'delivered' })
      await delivery.close()
    })
    const taken: number[] = []
    for (const step of [0, 1, 2, 3]) {
      const events = endpointIds.map((id) => eventOf(['z', 'e'], `z ${step} ${id}`))
      const all = events.map(({ messageId }) => new Promise<void>((resolve) => arrived.set(messageId, resolve)))
      await store.commit(commitOf({ outbox: events }))
      const before = looks
      delivery.wake(events)
      await Promise.all(all)
      taken.push(looks - before)
    }
    // A round has twelve pages, and three events at once are tried.
    expect(Math.max(...taken)).toBeLessThan(24)
  })
})
