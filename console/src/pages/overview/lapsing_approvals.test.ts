import { expect, test } from 'vitest'
import { lapsingOf } from './lapsing_approvals.ts'

const hourMs = 3_600_000
const nowMs = 1_000 * hourMs

/** An activity whose votes were cast so many hours ago. */
function activity(id: string, hoursAgo: readonly number[], selection = 'VOTE_SELECTION_APPROVED') {
  const votes = hoursAgo.map((hours) => ({
    ...{ selection, createdAt: { seconds: String((nowMs - hours * hourMs) / 1_000), nanos: '0' } },
  }))
  return { id, votes } as never
}

test('an approval is about to lapse from 18 hours on, until it has lapsed after 24', () => {
  const given = [17.9, 18, 23.9, 24].map((hours) => activity(String(hours), [hours]))
  expect(lapsingOf(given, nowMs).map(({ activity: { id } }) => id)).toEqual(['23.9', '18'])
})

test('the approval that lapses first counts, and rejections do not', () => {
  const given = [activity('two', [1, 20, 19]), activity('rejected', [20], 'VOTE_SELECTION_REJECTED')]
  expect(lapsingOf(given, nowMs)).toMatchObject([{ activity: { id: 'two' }, lapsesAtMs: nowMs + 4 * hourMs }])
})
