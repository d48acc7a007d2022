import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { user } from '../../contract/needs.ts'
import { MfaPolicyView, mfaPolicyView } from '../../contract/records/views.ts'
import { mfaPolicyOf } from './shared/mfa_policies.ts'

export default defineQuery({
  name: 'get_mfa_policy',
  summary: 'Returns one MFA policy of a user.',
  parameters: fields({ organizationId: Uuid, userId: Uuid, mfaPolicyId: Uuid }),
  result: Type.Object({ mfaPolicy: MfaPolicyView }),
  needs: ({ userId }) => [user(userId)],

  run({ organization, parameters: { userId, mfaPolicyId } }) {
    return { mfaPolicy: mfaPolicyView(mfaPolicyOf(organization.users.get(userId), mfaPolicyId)) }
  },
})
