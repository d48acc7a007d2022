import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { databases } from '../../../test/support/store/fixtures.ts'
import { activity, commitOf, idsInOrder, record } from '../../../test/support/store/rows.ts'
import type { Page } from '../../protocol/reads.ts'
import type { Store } from './store.ts'

describe.each(databases)('$name', ({ make }) => {
  const temporaryStore = async () => (await make()).open()

  const owners = ['owner a', 'owner b', undefined] as const
  const kinds = ['wallet', 'wallet_account'] as const
  const types = ['TYPE_A', 'TYPE_B', 'TYPE_C'] as const
  const statuses = ['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_CONSENSUS_NEEDED'] as const

  const rowsMax = 24
  const cursor = fc.record({ side: fc.constantFrom('first', 'after', 'before'), index: fc.nat(rowsMax - 1) })
  const limit = fc.integer({ min: 1, max: 8 })

  test('pages of records equal those of a list in memory', async () => {
    const store = await temporaryStore()
    const row = fc.record({ kind: fc.constantFrom(...kinds), ownerId: fc.constantFrom(...owners) })

    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: rowsMax }),
        fc.array(fc.record({ kind: fc.constantFrom(...kinds), ownerId: fc.constantFrom(...owners), limit, cursor })),
        async (rows, asks) => {
          const organizationId = randomUUID()
          const ids = idsInOrder(rows.length)
          const records = rows.map((parts, index) => record(organizationId, ids[index] ?? '', parts))
          await store.commit(commitOf({ records: records.toReversed() }))

          for (const ask of asks) {
            const page = pageOf(ids, ask)
            const owner = ask.ownerId === undefined ? {} : { ownerId: ask.ownerId }
            const list = records
              .filter(({ kind, ownerId }) => kind === ask.kind && (ask.ownerId ?? ownerId) === ownerId)
              .map(({ recordId }) => recordId)
            const [found] = await store.find([{ read: 'page', organizationId, kind: ask.kind, ...owner, ...page }])
            const expected = isUnknown(page, list) ? undefined : slice(list, page)
            expect(found?.read === 'page' && found.rows?.map(({ recordId }) => recordId)).toEqual(expected)
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  test('pages of activities equal those of a list in memory, with any filter and after changes of status', async () => {
    const store = await temporaryStore()
    const status = fc.constantFrom(...statuses)
    const row = fc.record({ type: fc.constantFrom(...types), status, laterStatus: fc.option(status) })
    const filter = fc.record(
      { types: fc.array(fc.constantFrom(...types)), statuses: fc.array(status) },
      { requiredKeys: [] },
    )

    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: rowsMax }),
        fc.array(fc.record({ filter, limit, cursor })),
        async (rows, asks) => {
          const organizationId = randomUUID()
          // The order of an activity is that of its commit, whatever its id says.
          const ids = idsInOrder(rows.length).toReversed()
          const activities = await commitActivities(store, { organizationId, ids, rows })

          for (const ask of asks) {
            const page = pageOf(ids, ask)
            const newestFirst = activities.toReversed()
            const list = newestFirst.filter((row) => passes(ask.filter, row))
            const wanted = new Set(list.map(({ activityId }) => activityId))
            const expected = sliceOf(
              newestFirst.map(({ activityId }) => activityId),
              page,
              (id) => wanted.has(id),
            )
            const [found] = await store.find([{ read: 'activities', organizationId, ...ask.filter, ...page }])
            expect(found?.read === 'activities' && found.rows?.map(({ activityId }) => activityId)).toEqual(expected)
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  type ActivityParts = { readonly type: string; readonly status: string; readonly laterStatus: string | null }

  async function commitActivities(
    store: Store,
    made: { readonly organizationId: string; readonly ids: readonly string[]; readonly rows: readonly ActivityParts[] },
  ) {
    const { organizationId, ids, rows } = made
    const first = rows.map(({ type, status }, index) => activity(organizationId, ids[index] ?? '', { type, status }))
    await store.commit(commitOf({ activities: first }))
    const last = first.map((row, index) => {
      const status = rows[index]?.laterStatus
      return status ? { ...row, status, version: 2 } : row
    })
    await store.commit(commitOf({ activities: last.filter(({ version }) => version === 2) }))
    return last
  }

  type Filter = { readonly types?: readonly string[]; readonly statuses?: readonly string[] }

  function passes(filter: Filter, row: { readonly type: string; readonly status: string }): boolean {
    return isIn(filter.types, row.type) && isIn(filter.statuses, row.status)
  }

  function isIn(list: readonly string[] | undefined, value: string): boolean {
    return list === undefined || list.includes(value)
  }

  type Ask = { readonly limit: number; readonly cursor: { readonly side: string; readonly index: number } }

  function pageOf(ids: readonly string[], { limit, cursor: { side, index } }: Ask): Page {
    const id = ids[index % ids.length] ?? ''
    if (side === 'first') return { limit }
    return side === 'after' ? { limit, after: id } : { limit, before: id }
  }

  function isUnknown({ after, before }: Page, list: readonly string[]): boolean {
    const id = after ?? before
    return id !== undefined && !list.includes(id)
  }

  function slice(list: readonly string[], page: Page): readonly string[] {
    return sliceOf(list, page, () => true)
  }

  /** The model: cut the list at the cursor, filter, take the rows nearest to the cut. */
  function sliceOf(
    list: readonly string[],
    { limit, after, before }: Page,
    isWanted: (id: string) => boolean,
  ): readonly string[] {
    if (before !== undefined) return list.slice(0, list.indexOf(before)).filter(isWanted).slice(-limit)
    return list
      .slice(after === undefined ? 0 : list.indexOf(after) + 1)
      .filter(isWanted)
      .slice(0, limit)
  }
})
