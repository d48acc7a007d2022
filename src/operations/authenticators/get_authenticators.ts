import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { user } from '../../contract/needs.ts'
import { AuthenticatorView, authenticatorView } from '../../contract/records/views.ts'

export default defineQuery({
  name: 'get_authenticators',
  summary: 'Lists the passkeys of one user.',
  parameters: fields({ organizationId: Uuid, userId: Uuid }),
  result: Type.Object({ authenticators: Type.Array(AuthenticatorView) }),
  needs: ({ userId }) => [user(userId)],

  run({ organization, parameters: { userId } }) {
    return { authenticators: organization.users.get(userId).authenticators.map(authenticatorView) }
  },
})
