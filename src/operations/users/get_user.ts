import Type from 'typebox'
import { defineQuery } from '../define.ts'
import { fields, Uuid } from '../fields/fields.ts'
import { user } from '../needs.ts'
import { UserView, userView } from '../records/views.ts'

export default defineQuery({
  name: 'get_user',
  summary: 'Returns one user.',
  parameters: fields({ organizationId: Uuid, userId: Uuid }),
  result: Type.Object({ user: UserView }),
  needs: ({ userId }) => [user(userId)],

  run({ organization, parameters }) {
    return { user: userView(organization.users.get(parameters.userId)) }
  },
})
