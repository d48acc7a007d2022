import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { user } from '../../contract/needs.ts'
import { UserView, userView } from '../../contract/records/views.ts'

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
