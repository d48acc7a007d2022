import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'

export default defineQuery({
  name: 'whoami',
  summary: 'Returns the user whose stamp the request carries, and the organization of that user.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({
    organizationId: Type.String(),
    organizationName: Type.String(),
    userId: Type.String(),
    username: Type.String(),
  }),
  resolvesSubOrganization: true,

  run({ caller: { user, organizationId, organizationName } }) {
    return { organizationId, organizationName, userId: user.userId, username: user.userName }
  },
})
