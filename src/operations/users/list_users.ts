import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { UserView, userView } from '../../contract/records/views.ts'

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
