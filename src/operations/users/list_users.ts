import Type from 'typebox'
import { defineQuery } from '../define.ts'
import { fields, Uuid } from '../fields/fields.ts'
import { all } from '../needs.ts'
import { UserView, userView } from '../records/views.ts'

export default defineQuery({
  name: 'list_users',
  summary: 'Lists the users of the organization.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ users: Type.Array(UserView) }),
  needs: () => [all('user')],

  run({ organization }) {
    return { users: organization.users.all().map(userView) }
  },
})
