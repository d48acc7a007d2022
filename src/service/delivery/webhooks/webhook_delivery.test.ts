import { expect, onTestFinished, test } from 'vitest'
import { soon } from '../../../../test/support/soon.ts'
import { temporaryStore } from '../../../../test/support/store/fixtures.ts'
import { commitOf, head, record } from '../../../../test/support/store/rows.ts'
import type { Outcome } from '../carrier.ts'
import { startWebhookDelivery } from './webhook_delivery.ts'

const interrupted: Outcome = { kind: 'failed', reason: 'interrupted' }
const timeout: Outcome = { kind: 'failed', reason: 'timeout' }
/** A timeout of an attempt that has waited for others. */
const late = 'late'

function eventOf(messageId: string) {
  const place = { organizationId: 'a', endpointId: 'e', happenedIn: 'a', activityId: messageId, activityVersion: 1 }
  return { ...place, channel: 'webhook', messageId, expiresAtMs: 1_000_000, sealed: new Uint8Array(1) } as const
}

/** Delivers to one endpoint, by attempts that end so one after another and then well, at the time that is set. */
async function startDelivery(outcomes: readonly (Outcome | typeof late)[], of: { readonly parentId?: string } = {}) {
  const store = await temporaryStore()
  await store.commit(commitOf({ heads: [head('a', of)], records: [record('a', 'e', { kind: 'webhook_endpoint' })] }))
  const clock = { nowMs: 0 }
  const sent: string[] = []
  const handed: object[] = []
  const warned: string[] = []
  const delivery = startWebhookDelivery({
    store,
    vault: {
      async openMessage() {
        return { kind: 'message', message: { channel: 'webhook', url: '', headers: {}, body: '' } }
      },
    },
    async carry(webhook, { messageId, onLate }) {
      sent.push(messageId)
      handed.push(webhook)
      const outcome = outcomes[sent.length - 1] ?? { kind: 'delivered' }
      if (outcome !== late) return outcome
      onLate?.()
      return timeout
    },
    log: { info() {}, warn: (_about, line) => void warned.push(line), error() {} },
    lookMs: 10,
    nowMs: () => clock.nowMs,
  })
  onTestFinished(() => delivery.close())
  const add = (messageIds: readonly string[]) => store.commit(commitOf({ outbox: messageIds.map(eventOf) }))
  return { add, clock, sent, handed, warned }
}

test.each([
  ['whose thread another receiver has ended', interrupted],
  ['that time out after they have waited for others', late],
] as const)('events %s wait a second, and their endpoint has not failed', async (_name, outcome) => {
  const { add, clock, sent, warned } = await startDelivery([outcome, outcome, outcome])
  await add(['m1', 'm2', 'm3', 'm4'])
  await soon(() => expect(sent).toEqual(['m1', 'm2', 'm3', 'm4']))
  clock.nowMs = 1_000
  await soon(() => expect(sent.slice(4).sort()).toEqual(['m1', 'm2', 'm3']))
  expect(warned).toEqual([])
})

test('an event is handed on with the organization of its endpoint, and the parent of that', async () => {
  const { add, handed } = await startDelivery([], { parentId: 'p' })
  await add(['m1'])
  await soon(() => expect(handed).toMatchObject([{ organizationId: 'a', familyId: 'p' }]))
})

test('the turn of an endpoint whose event was interrupted is for its next event', async () => {
  const { add, clock, sent } = await startDelivery([{ kind: 'failed', reason: 'unreachable' }, interrupted])
  await add(['m1'])
  await soon(() => expect(sent).toEqual(['m1']))
  await add(['m2'])
  clock.nowMs = 1_100
  await soon(() => expect(sent.slice(1).sort()).toEqual(['m1', 'm2']))
})
