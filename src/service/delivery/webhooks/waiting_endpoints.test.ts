import { onTestFinished, test } from 'vitest'
import { temporaryStore } from '../../../../test/support/store/fixtures.ts'
import { commitOf, head, record } from '../../../../test/support/store/rows.ts'
import type { Outcome } from '../carrier.ts'
import { startWebhookDelivery } from './webhook_delivery.ts'

const below = Array.from({ length: 150 }, (_, index) => `b${String(index).padStart(3, '0')}`)
const endpointIds = Array.from({ length: 10 }, (_, index) => `e${index}`)
/** Before all of them, and in the third of six pages. */
const quick = ['a', 'b075 quick']

/** An event for an endpoint. */
function eventOf([organizationId, endpointId]: readonly [string, string]) {
  const messageId = `${organizationId} ${endpointId}`
  const place = { organizationId, endpointId, messageId, happenedIn: organizationId, activityId: messageId }
  return {
    ...place,
    channel: 'webhook',
    activityVersion: 1,
    expiresAtMs: 1_000_000,
    sealed: new Uint8Array(1),
  } as const
}

test('one wake is enough to find each quick endpoint among a thousand that hang', async () => {
  const store = await temporaryStore()
  const add = (endpoints: readonly (readonly [string, string])[]) => {
    const records = endpoints.map(([id, endpointId]) => record(id, endpointId, { kind: 'webhook_endpoint' }))
    return store.commit(commitOf({ records, outbox: endpoints.map(eventOf) }))
  }
  await store.commit(commitOf({ heads: [head('a'), ...below.map((id) => head(id, { parentId: 'a' }))] }))
  await add(below.flatMap((id) => endpointIds.map((endpointId) => [id, endpointId] as const)))
  const over = Promise.withResolvers<Outcome>()
  const arrived = new Map(quick.map((id) => [id, Promise.withResolvers<void>()]))
  const delivery = startWebhookDelivery({
    store,
    vault: {
      async openMessage({ organizationId }) {
        return { kind: 'message', message: { channel: 'webhook', url: organizationId, headers: {}, body: '' } }
      },
    },
    async carry({ url }) {
      const one = arrived.get(url)
      if (one === undefined) return over.promise
      one.resolve()
      return { kind: 'delivered' }
    },
    log: { info() {}, warn() {}, error() {} },
    lookMs: 3_600_000,
    nowMs: () => 0,
  })
  onTestFinished(async () => {
    over.resolve({ kind: 'delivered' })
    await delivery.close()
  })
  // Each endpoint that hangs brings on a look when it is known as slow. That is over by then, and only the wake brings one on.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  await add(quick.map((id) => [id, 'e'] as const))
  delivery.wake()
  await Promise.all([...arrived.values()].map(({ promise }) => promise))
})
