import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { ActivityTypes, fields, list, optional, PaginationOptions, Uuid } from '../../contract/fields/fields.ts'
import { checkPagination, pageOf } from '../../contract/fields/page_fields.ts'
import { ActivityStatusName, activityStatuses } from '../../contract/records/activity.ts'
import { ActivityView } from '../../contract/records/activity_view.ts'

export default defineQuery({
  name: 'list_activities',
  summary: 'Lists the activities of the organization, newest first.',
  takesLong: true,
  parameters: fields({
    organizationId: Uuid,
    filterByStatus: optional(list(ActivityStatusName, { itemsMax: activityStatuses.length })),
    paginationOptions: optional(PaginationOptions),
    filterByType: optional(ActivityTypes),
  }),
  result: Type.Object({ activities: Type.Array(ActivityView) }),
  check: ({ paginationOptions }) => checkPagination(paginationOptions),
  needs: ({ filterByStatus = [], filterByType = [], paginationOptions }) => [
    {
      need: 'activities',
      ...(filterByStatus.length === 0 ? {} : { statuses: filterByStatus }),
      ...(filterByType.length === 0 ? {} : { types: filterByType }),
      page: pageOf(paginationOptions),
    },
  ],

  async run({ organization, showActivity, pause }) {
    const activities = []
    for (const activity of organization.activities.page()) {
      activities.push(showActivity(activity))
      await pause()
    }
    return { activities }
  },
})
