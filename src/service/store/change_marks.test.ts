import { describe, expect, test } from 'vitest'
import { databases } from '../../../test/support/store/fixtures.ts'
import { activity, commitOf, head, idsInOrder } from '../../../test/support/store/rows.ts'

describe.each(databases)('$name', ({ make }) => {
  test('the mark of an organization changes with its head and with its activities, and not with those of others', async () => {
    const store = await (await make()).open()
    const [organizationId = '', elsewhere = ''] = idsInOrder(2)
    expect(await store.changeMarks([organizationId])).toEqual([])
    await store.commit(commitOf({ heads: [head(organizationId), head(elsewhere)] }))
    const mark = { organizationId, parentId: null, version: 1, sequence: null }
    expect(await store.changeMarks([organizationId])).toEqual([mark])
    await store.commit(commitOf({ activities: [activity(organizationId, 'a1', { requestKey: 'aa' })] }))
    const [withOne] = await store.changeMarks([organizationId])
    expect(withOne?.sequence).toEqual(expect.any(Number))
    await store.commit(commitOf({ activities: [activity(organizationId, 'a2', { requestKey: 'bb' })] }))
    expect(await store.changeMarks([organizationId])).toEqual([{ ...mark, sequence: (withOne?.sequence ?? 0) + 1 }])
    await store.commit(commitOf({ heads: [head(elsewhere, { version: 2 })] }))
    expect(await store.changeMarks([elsewhere])).toEqual([{ ...mark, organizationId: elsewhere, version: 2 }])
  })

  test('more organizations than one statement takes are each there once', async () => {
    const store = await (await make()).open()
    const ids = idsInOrder(130)
    await store.commit(commitOf({ heads: ids.map((id) => head(id)) }))
    const marks = await store.changeMarks(ids)
    expect(marks.map(({ organizationId }) => organizationId).sort()).toEqual(ids.toSorted())
    expect(await store.changeMarks([])).toEqual([])
  })
})
