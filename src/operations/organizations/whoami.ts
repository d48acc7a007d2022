import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { texts } from '../../contract/fields/named.ts'

export default defineQuery({
  name: 'whoami',
  summary: 'Returns the user whose stamp the request carries, and the organization of that user.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({
    ...texts('organizationId', 'organizationName', 'userId', 'username'),
  }),
  resolvesSubOrganization: true,

  run({ caller: { user, organizationId, organizationName } }) {
    return { organizationId, organizationName, userId: user.userId, username: user.userName }
  },
})
