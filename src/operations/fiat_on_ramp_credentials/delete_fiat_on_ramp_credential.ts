import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { fiatOnRampCredential } from '../../contract/needs.ts'

export default defineActivity({
  name: 'delete_fiat_on_ramp_credential',
  summary: 'Deletes an account with an on-ramp provider, and its secrets.',
  policy: { resource: 'ON_RAMP_CREDENTIALS', action: 'DELETE' },
  parameters: fields({ fiatOnrampCredentialId: Uuid }),
  result: Type.Object({ fiatOnRampCredentialId: Type.String() }),
  needs: ({ fiatOnrampCredentialId }) => [fiatOnRampCredential(fiatOnrampCredentialId)],

  run({ organization, parameters: { fiatOnrampCredentialId } }) {
    organization.fiatOnRampCredentials.remove(fiatOnrampCredentialId)
    return { fiatOnRampCredentialId: fiatOnrampCredentialId }
  },
})
