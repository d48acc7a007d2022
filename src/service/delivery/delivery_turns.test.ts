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

test('sub-organizations whose receivers hang leave the rest of each look to others, and places to their parent', async () => {
  const family = Array.from({ length: 1_000 }, (_, index) => `a${String(index).padStart(4, '0')}`)
  const waiting = [
    ...family.map((id) => ({ organizationId: id, parentId: 'a' })),
    { organizationId: 'z', parentId: null },
  ]
  let asked = 0
  const begun: string[] = []
  const look = createDeliveryTurns({
    ...{ atOnceMax: 32, ofOrganizationMax: 4, ofFamilyMax: 16, ofSubOrganizationsMax: 12 },
    async next({ after, exceptParent }) {
      asked += 1
      return waiting.find((one) => one.organizationId > after && one.parentId !== exceptParent)
    },
    async takeDue({ organizationId, limit, owners }: Turn, hands: Hands) {
      const due = organizationId === 'z' ? 1 : limit
      for (let index = 0; index < due; index += 1) hands.take(Promise.resolve(), owners)
      begun.push(organizationId)
    },
  })
  const hands = hangingHands()
  await look(hands)
  expect(begun).toEqual([...family.slice(0, 3), 'z'])
  expect(asked).toBeLessThan(10)
  waiting.unshift({ organizationId: 'a', parentId: null })
  await look(hands)
  expect(begun.slice(4)).toEqual(['a', 'z'])
  expect(hands.count('family a')).toBe(16)
  waiting.push({ organizationId: 'zz', parentId: null })
  asked = 0
  await look(hands)
  expect(begun).toContain('zz')
  expect(asked).toBeLessThan(10)
})

test('two parents whose sub-organizations have all their places do not use up the looks of a third', async () => {
  const pairs = Array.from({ length: 500 }, (_, index) => String(index).padStart(4, '0'))
  const waiting = [
    ...pairs.flatMap((id) => ['a', 'b'].map((parentId) => ({ organizationId: `m${id}${parentId}`, parentId }))),
    { organizationId: 'z', parentId: null },
  ]
  const begun: string[] = []
  const look = createDeliveryTurns({
    ...{ atOnceMax: 32, ofOrganizationMax: 4, ofFamilyMax: 16, ofSubOrganizationsMax: 12 },
    next: async ({ after, exceptParent }) =>
      waiting.find((one) => one.organizationId > after && one.parentId !== exceptParent),
    async takeDue({ organizationId, limit, owners }: Turn, hands: Hands) {
      for (let index = 0; index < limit; index += 1) hands.take(Promise.resolve(), owners)
      begun.push(organizationId)
    },
  })
  await look(hangingHands())
  expect(begun).toHaveLength(7)
  expect(begun.at(-1)).toBe('z')
})
