import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import { note, row } from '../../contract/explanation/shown_values.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { user } from '../../contract/needs.ts'
import { mfaPolicyOf } from './shared/mfa_policies.ts'
import { mfaPolicyRows } from './shared/mfa_policy_rows.ts'

export default defineActivity({
  name: 'delete_mfa_policy',
  summary: 'Deletes an MFA policy of a user.',
  policy: { resource: 'MFA_POLICY', action: 'DELETE' },
  parameters: fields({ userId: Uuid, mfaPolicyId: Uuid }),
  result: Type.Object({ mfaPolicyId: Type.String() }),
  needs: ({ userId }) => [user(userId)],
  explain: ({ parameters: { userId, mfaPolicyId }, now }) => {
    const policy = now.find('user', userId)?.mfaPolicies?.find((one) => one.mfaPolicyId === mfaPolicyId)
    return changesContent(now, {
      code: 'delete_mfa_policy',
      subject: [now.named(mfaPolicyId), now.named(userId)],
      warnings: [note('stepsEnd')],
      rows: [
        row('deleted', now.named(mfaPolicyId)),
        row('user', now.named(userId)),
        ...(policy === undefined ? [] : mfaPolicyRows(policy, now)),
      ],
    })
  },

  run({ organization, parameters }) {
    const found = organization.users.get(parameters.userId)
    const policy = mfaPolicyOf(found, parameters.mfaPolicyId)
    const mfaPolicies = found.mfaPolicies?.filter((other) => other !== policy) ?? []
    organization.users.put({ ...found, mfaPolicies })
    return { mfaPolicyId: policy.mfaPolicyId }
  },
})
