import { describe, expect, test } from 'vitest'
import { absentId, expectRefused, repeated, startOrganization } from '../../../test/support/organization.ts'

const { query, found, submit } = await startOrganization()

/** The ids of twelve activities, oldest first: wallets, and a new name of the organization after every third. */
const ids: string[] = []
const types: string[] = []
for (const index of repeated(12, (index) => index)) {
  const answer =
    index % 3 === 2
      ? await submit('update_organization_name', { organizationName: `name ${index}` })
      : await submit('create_wallet', { walletName: `wallet ${index}`, accounts: [] })
  ids.unshift(answer.body.activity.id)
  types.unshift(answer.body.activity.type)
}

async function listed(parameters: object): Promise<string[]> {
  return (await found('list_activities', { ...parameters })).activities.map(({ id }: { id: string }) => id)
}
const ofType = (type: string) => ids.filter((_, index) => types[index] === type)

test('activities are listed newest first, each as `get_activity` shows it', async () => {
  const { activities, ...rest } = await found('list_activities', { paginationOptions: { limit: '2' } })
  expect(rest).toStrictEqual({})
  expect(activities).toStrictEqual([
    (await found('get_activity', { activityId: ids[0] })).activity,
    (await found('get_activity', { activityId: ids[1] })).activity,
  ])
})

test('a page has ten; `after` gives older activities, `before` newer ones', async () => {
  expect(await listed({})).toEqual(ids.slice(0, 10))
  expect(await listed({ paginationOptions: { after: ids[9] } })).toEqual(ids.slice(10))
  expect(await listed({ paginationOptions: { after: ids[11] } })).toEqual([])
  expect(await listed({ paginationOptions: { before: ids[6]?.toUpperCase(), limit: '2' } })).toEqual(ids.slice(4, 6))
})

describe('filtered activities are listed', () => {
  const [wallets, renames] = ['ACTIVITY_TYPE_CREATE_WALLET', 'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME'] as const
  for (const [claim, filter, expected] of [
    ['by one type', { filterByType: [renames] }, ofType(renames)],
    ['by two types', { filterByType: [renames, wallets] }, ids],
    ['by a type without activities', { filterByType: ['ACTIVITY_TYPE_APPROVE_ACTIVITY'] }, []],
    ['by a status', { filterByStatus: ['ACTIVITY_STATUS_COMPLETED'] }, ids],
    ['by a status without activities', { filterByStatus: ['ACTIVITY_STATUS_PENDING', 'ACTIVITY_STATUS_FAILED'] }, []],
    ['by both', { filterByStatus: ['ACTIVITY_STATUS_COMPLETED'], filterByType: [wallets] }, ofType(wallets)],
    ['by empty lists', { filterByStatus: [], filterByType: [] }, ids],
    ['by 100 types', { filterByType: repeated(100, () => renames) }, ofType(renames)],
  ] as const) {
    test(claim, async () => {
      expect(await listed({ ...filter, paginationOptions: { limit: '100' } })).toEqual(expected)
    })
  }
})

for (const [claim, parameters, text] of [
  ['a limit of 0', { paginationOptions: { limit: '0' } }, 'paginationOptions.limit must be a number from 1 to 100'],
  ['both cursors', { paginationOptions: { before: ids[0], after: ids[1] } }, 'paginationOptions must be given'],
  ['an unknown cursor', { paginationOptions: { after: absentId } }, 'paginationOptions: the cursor in'],
  ['an unknown status', { filterByStatus: ['DONE'] }, 'filterByStatus[0] must be one of ACTIVITY_STATUS_CREATED'],
  ['an unknown type', { filterByType: ['wallets'] }, 'filterByType[0] must be an activity type'],
  ['101 types', { filterByType: repeated(101, () => 'ACTIVITY_TYPE_X') }, 'filterByType must be a list of at most 100'],
  [
    '8 statuses',
    { filterByStatus: repeated(8, () => 'ACTIVITY_STATUS_FAILED') },
    'filterByStatus must be a list of at most 7',
  ],
] as const) {
  test(`${claim} is refused`, async () => {
    expectRefused(await query('list_activities', parameters), 400, text)
  })
}
