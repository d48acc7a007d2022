import { expect, test } from 'vitest'
import type { DueNoticeLine } from '../store/store.ts'
import { createWaitingMailboxes } from './waiting_mailboxes.ts'

const line = (organizationId: string, index: number, familyId = organizationId): DueNoticeLine => ({
  organizationId,
  userId: `${String(index).padStart(64, '0')}asker`,
  familyId,
  dueAtMs: index,
  untilMs: null,
})

function mailboxesAmong(due: readonly DueNoticeLine[], nowMs = 10_000) {
  return createWaitingMailboxes({
    nowMs: () => nowMs,
    store: {
      dueNoticeLines: async ({ dueAtMs, limit }) => due.filter((one) => one.dueAtMs > dueAtMs).slice(0, limit),
    },
  })
}

test('each look sees the next notices, so a mailbox behind thousands of one organization is found', async () => {
  const mailboxes = mailboxesAmong([...Array.from({ length: 1_200 }, (_, index) => line('a', index)), line('b', 1_200)])
  const seen: (string | undefined)[] = []
  const ends: boolean[] = []
  for (let look = 0; look < 4; look += 1) {
    ends.push((await mailboxes.find()).isLast)
    seen.push((await mailboxes.nextOrganization({ after: 'a', exceptParent: '' }))?.organizationId)
  }
  expect(ends).toEqual([false, false, true, false])
  expect(seen).toEqual([undefined, undefined, 'b', undefined])
})

test('a mailbox is found once with all its lines, unless it has had its turn', async () => {
  const ofParent = line('b', 1)
  const ofChild = { ...line('a', 2, 'b'), userId: ofParent.userId }
  const busy = { ...line('c', 3), untilMs: 10_001 }
  const free = { ...line('d', 4), untilMs: 10_000 }
  const mailboxes = mailboxesAmong([ofParent, ofChild, busy, free, line('e', 5, 'd')])
  await mailboxes.find()
  expect(mailboxes.take('b')?.lines).toEqual([ofParent, ofChild])
  expect([mailboxes.take('a'), mailboxes.take('c')]).toEqual([undefined, undefined])
  expect(await mailboxes.nextOrganization({ after: '', exceptParent: '' })).toEqual({
    organizationId: 'd',
    parentId: null,
  })
  expect(await mailboxes.nextOrganization({ after: 'd', exceptParent: '' })).toMatchObject({ parentId: 'd' })
  expect(await mailboxes.nextOrganization({ after: 'd', exceptParent: 'd' })).toBeUndefined()
})
