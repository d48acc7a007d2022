import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { user } from '../../contract/needs.ts'

export default defineQuery({
  name: 'get_notice_preferences',
  isOwn: true,
  summary: 'Says whether a user gets mails about activities to approve, and about the end of own ones.',
  parameters: fields({ organizationId: Uuid, userId: Uuid }),
  result: Type.Object({ userId: Type.String(), receivesNotices: Type.Boolean() }),
  needs: ({ userId }) => [user(userId)],

  run({ organization, parameters: { userId } }) {
    return { userId, receivesNotices: organization.users.get(userId).withoutNotices !== true }
  },
})
