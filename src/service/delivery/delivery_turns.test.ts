import { expect, test } from 'vitest'
import { createDeliveryTurns, type Turn } from './delivery_turns.ts'
import type { Hands } from './worker.ts'

/** Deliveries that never end. */
function hangingHands(): Hands {
  const taken: (readonly string[])[] = []
  return {
    count: (owner) => taken.filter((owners) => owner === undefined || owners.includes(owner)).length,
    take: (_, owners = []) => void taken.push(owners),
    release() {},
    attemptSignal: AbortSignal.timeout,
    unlessStopped: (asked) => asked,
  }
}

test('a family of many organizations whose receivers hang leaves the rest of each look to others', async () => {
  const family = Array.from({ length: 1_000 }, (_, index) => `a${String(index).padStart(4, '0')}`)
  const waiting = [
    ...family.map((id) => ({ organizationId: id, parentId: 'a' })),
    { organizationId: 'z', parentId: null },
  ]
  let asked = 0
  const begun: string[] = []
  const look = createDeliveryTurns({
    ...{ atOnceMax: 32, ofOrganizationMax: 4, ofFamilyMax: 16 },
    async next({ after, exceptFamily }) {
      asked += 1
      return waiting.find((one) => one.organizationId > after && (one.parentId ?? one.organizationId) !== exceptFamily)
    },
    async takeDue({ organizationId, limit, owners }: Turn, hands: Hands) {
      const due = organizationId === 'z' ? 1 : limit
      for (let index = 0; index < due; index += 1) hands.take(Promise.resolve(), owners)
      begun.push(organizationId)
    },
  })
  const hands = hangingHands()
  await look(hands)
  expect(begun).toEqual([...family.slice(0, 4), 'z'])
  expect(asked).toBeLessThan(10)
  waiting.push({ organizationId: 'zz', parentId: null })
  asked = 0
  await look(hands)
  expect(begun).toContain('zz')
  expect(asked).toBeLessThan(10)
})
