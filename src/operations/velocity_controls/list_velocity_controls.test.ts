import { expect, test } from 'vitest'
import { absentId, expectRefused, newVelocityControl, startOrganization } from '../../../test/support/organization.ts'

const { query, found, done, subOrganization } = await startOrganization()
const noPage = { velocityControls: [], pageInfo: { hasNextPage: false, hasPreviousPage: false } }
const controls: { readonly velocityControlId: string }[] = []

test('controls are listed in order of creation, each organization with its own', async () => {
  expect(await found('list_velocity_controls')).toStrictEqual(noPage)
  for (const identifier of ['b', 'a', 'C', ...Array.from({ length: 9 }, (_, index) => `more_${index}`)]) {
    const { velocityControlId } = await done('create_velocity_control', newVelocityControl({ identifier }))
    controls.push((await found('get_velocity_control', { velocityControlId })).velocityControl)
  }
  expect(await found('list_velocity_controls')).toStrictEqual({ velocityControls: controls, pageInfo: infoOf(0, 12) })
  const { organizationId, apiKey } = await subOrganization()
  expect(await found('list_velocity_controls', {}, { organizationId, apiKey })).toStrictEqual(noPage)
})

const idOf = (index: number) => controls[index]?.velocityControlId

/** What is said of the page from one place to another, the last one excluded. */
const infoOf = (start: number, end: number) => ({
  hasNextPage: end < controls.length,
  hasPreviousPage: start > 0,
  ...(start < end ? { startCursor: idOf(start), endCursor: idOf(end - 1) } : {}),
})

for (const [claim, options, start, end] of [
  ['a page has ten controls unless it is asked for more', () => ({}), 0, 10],
  ['a page has at most as many as asked', () => ({ limit: '5' }), 0, 5],
  ['a page begins after a cursor', () => ({ limit: '5', after: idOf(4) }), 5, 10],
  ['the last page has what is left', () => ({ limit: '5', after: idOf(9) }), 10, 12],
  ['after the last control comes an empty page', () => ({ after: idOf(11) }), 12, 12],
  ['a page ends before a cursor', () => ({ limit: '5', before: idOf(7) }), 2, 7],
  ['before the third are two', () => ({ limit: '5', before: idOf(2) }), 0, 2],
  ['before the first is an empty page', () => ({ before: idOf(0) }), 0, 0],
] as const) {
  test(claim, async () => {
    const { velocityControls, pageInfo } = await found('list_velocity_controls', { paginationOptions: options() })
    expect(velocityControls).toStrictEqual(controls.slice(start, end))
    expect(pageInfo).toStrictEqual(infoOf(start, end))
  })
}

test('a cursor of no control, and two cursors, are refused', async () => {
  const refusal = (paginationOptions: object) => query('list_velocity_controls', { paginationOptions })
  const unknown = 'paginationOptions: the cursor in `after` or `before` is not an id of this list'
  expectRefused(await refusal({ after: absentId }), 400, unknown)
  expectRefused(await refusal({ before: absentId }), 400, unknown)
  expectRefused(await refusal({ before: idOf(0), after: idOf(1) }), 400, 'given `before` or `after`, not both')
})
