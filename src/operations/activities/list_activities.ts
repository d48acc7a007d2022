import Type from 'typebox'
import { ActivityView, activityStatuses } from '../activity.ts'
import { defineQuery } from '../define.ts'
import { fields, list, oneOf, optional, PaginationOptions, Uuid } from '../fields.ts'
import { checkPagination, pageOf } from '../pages.ts'

const filterTypesMax = 100

export default defineQuery({
  name: 'list_activities',
  summary: 'The activities of the organization, newest first.',
  parameters: fields({
    organizationId: Uuid,
    filterByStatus: optional(list(oneOf(activityStatuses), { itemsMax: activityStatuses.length })),
    paginationOptions: optional(PaginationOptions),
    filterByType: optional(
      list(Type.String({ pattern: '^ACTIVITY_TYPE_[A-Z0-9_]{1,100}$', expected: 'an activity type' }), {
        itemsMax: filterTypesMax,
      }),
    ),
  }),
  result: Type.Object({ activities: Type.Array(ActivityView) }),
  check: ({ paginationOptions }) => checkPagination(paginationOptions),
  reads: ({ filterByStatus = [], filterByType = [], paginationOptions }) => [
    {
      need: 'activities',
      ...(filterByStatus.length === 0 ? {} : { statuses: filterByStatus }),
      ...(filterByType.length === 0 ? {} : { types: filterByType }),
      page: pageOf(paginationOptions),
    },
  ],

  run({ organization, showActivity }) {
    return { activities: organization.activities.page().map(showActivity) }
  },
})
