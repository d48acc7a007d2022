import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { user } from '../../contract/needs.ts'
import { MfaPolicyView, mfaPolicyView } from '../../contract/records/views.ts'

export default defineQuery({
  name: 'get_mfa_policies',
  summary: 'Lists the MFA policies of a user, in order of creation.',
  parameters: fields({ organizationId: Uuid, userId: Uuid }),
  result: Type.Object({ mfaPolicies: Type.Array(MfaPolicyView) }),
  needs: ({ userId }) => [user(userId)],

  run({ organization, parameters: { userId } }) {
    const { mfaPolicies = [] } = organization.users.get(userId)
    return { mfaPolicies: mfaPolicies.map(mfaPolicyView) }
  },
})
