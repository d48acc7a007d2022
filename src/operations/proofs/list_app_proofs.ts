import Type from 'typebox'
import { defineQuery } from '../define.ts'
import { fields, oneOf, Uuid } from '../fields/fields.ts'
import { activity } from '../needs.ts'

const AppProofView = Type.Object({
  scheme: oneOf(['SIGNATURE_SCHEME_EPHEMERAL_KEY_P256']),
  publicKey: Type.String(),
  proofPayload: Type.String(),
  signature: Type.String(),
})

export default defineQuery({
  name: 'list_app_proofs',
  summary: 'Lists the app proofs of an activity. The list is empty unless its request asked for proofs.',
  parameters: fields({ organizationId: Uuid, activityId: Uuid }),
  result: Type.Object({ appProofs: Type.Array(AppProofView) }),
  needs: ({ activityId }) => [activity(activityId)],

  run({ organization, parameters: { activityId }, showActivity }) {
    const { appProofs = [] } = showActivity(organization.activities.get(activityId))
    return { appProofs: [...appProofs] }
  },
})
