import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { databases } from '../../../test/support/store/fixtures.ts'
import { activity, commitOf, idsInOrder } from '../../../test/support/store/rows.ts'
import { completedSequences, visitedRowsMax } from './completed_sequences.ts'

const completed = 'ACTIVITY_STATUS_COMPLETED'
const rejected = 'ACTIVITY_STATUS_REJECTED'

test('no more rows are visited at a time however many lie between two that are completed', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => ({
    sequence: 20_000 - index,
    status: index === 3 || index > 19_990 ? completed : rejected,
  }))
  const sizes: number[] = []
  const found = await completedSequences({ cursor: 20_001, limit: 5 }, async ({ cursor, limit }) => {
    const start = rows.findIndex(({ sequence }) => sequence < cursor)
    sizes.push(limit)
    return start === -1 ? [] : rows.slice(start, start + limit)
  })
  expect(found).toEqual([19_997, 9, 8, 7, 6])
  expect(Math.max(...sizes)).toBe(visitedRowsMax)
  expect(sizes).toHaveLength(1 + Math.ceil(19_995 / visitedRowsMax))
})

describe.each(databases)('$name', ({ make, name }) => {
  test('a page of completed activities passes many others in slices, and other reads are answered in between', async () => {
    const store = await (await make()).open()
    const organizationId = randomUUID()
    const ids = idsInOrder(4 * visitedRowsMax)
    for (let at = 0; at < ids.length; at += visitedRowsMax) {
      const activities = ids.slice(at, at + visitedRowsMax).map((activityId, index) => {
        const status = at + index < 2 ? completed : rejected
        return activity(organizationId, activityId, { status })
      })
      await store.commit(commitOf({ activities }))
    }
    let turns = 0
    let isFound = false
    const page = store.find([{ read: 'activities', organizationId, statuses: [completed], limit: 10 }])
    void page.finally(() => {
      isFound = true
    })
    while (!isFound) {
      await nextTurn()
      turns += 1
    }
    const [found] = await page
    expect(found?.read === 'activities' && found.rows?.map(({ activityId }) => activityId)).toEqual([ids[1], ids[0]])
    if (name === 'SQLite') expect(turns).toBeGreaterThanOrEqual(3)
  })

  test.each([
    ['', 0],
    [', also behind many others', 2 * visitedRowsMax],
  ])('a page of completed and open activities has one that completes meanwhile%s', async (_, others) => {
    const store = await (await make()).open()
    const organizationId = randomUUID()
    const open = 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
    for (const activityId of idsInOrder(30)) {
      await store.commit(commitOf({ activities: [activity(organizationId, activityId, { status: open })] }))
      const rejections = idsInOrder(others).map((id) => activity(organizationId, id, { status: rejected }))
      await store.commit(commitOf({ activities: rejections }))
      const done = { ...activity(organizationId, activityId, { status: completed }), version: 2 }
      const writing = store.commit(commitOf({ activities: [done] }))
      const pages = []
      for (let look = 0; look < 20; look += 1) {
        pages.push(await store.find([{ read: 'activities', organizationId, statuses: [completed, open], limit: 2 }]))
      }
      expect(await writing).toBe('committed')
      for (const [page] of pages) expect(page?.read === 'activities' && page.rows?.[0]?.activityId).toBe(activityId)
    }
  })
})
