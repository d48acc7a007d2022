import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { Flag, fields, Uuid } from '../../contract/fields/fields.ts'
import { user } from '../../contract/needs.ts'

export default defineActivity({
  name: 'set_notice_preferences',
  isOwn: true,
  summary: 'Says whether a user gets mails about activities to approve, and about the end of own ones.',
  policy: { resource: 'USER', action: 'UPDATE' },
  isEveryday: true,
  parameters: fields({ userId: Uuid, receivesNotices: Flag }),
  result: Type.Object({ userId: Type.String() }),
  ownerOf: ({ userId }) => userId,
  needs: ({ userId }) => [user(userId)],

  run({ organization, parameters: { userId, receivesNotices } }) {
    const { withoutNotices: _, ...others } = organization.users.get(userId)
    organization.users.put({ ...others, ...(receivesNotices ? {} : { withoutNotices: true as const }) })
    return { userId }
  },
})
