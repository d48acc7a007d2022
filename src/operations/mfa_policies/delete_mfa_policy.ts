import Type from 'typebox'
import { defineActivity } from '../define.ts'
import { fields, Uuid } from '../fields/fields.ts'
import { user } from '../needs.ts'
import { mfaPolicyOf } from './shared/mfa_policies.ts'

export default defineActivity({
  name: 'delete_mfa_policy',
  summary: 'Deletes an MFA policy of a user.',
  policy: { resource: 'MFA_POLICY', action: 'DELETE' },
  parameters: fields({ userId: Uuid, mfaPolicyId: Uuid }),
  result: Type.Object({ mfaPolicyId: Type.String() }),
  needs: ({ userId }) => [user(userId)],

  run({ organization, parameters }) {
    const found = organization.users.get(parameters.userId)
    const policy = mfaPolicyOf(found, parameters.mfaPolicyId)
    const mfaPolicies = found.mfaPolicies?.filter((other) => other !== policy) ?? []
    organization.users.put({ ...found, mfaPolicies })
    return { mfaPolicyId: policy.mfaPolicyId }
  },
})
