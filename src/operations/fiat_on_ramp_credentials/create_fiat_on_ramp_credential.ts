import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { Flag, fields, Label, optional } from '../../contract/fields/fields.ts'
import { OnRampProviderName, onRampProviders, providerName } from '../../contract/records/provider_names.ts'
import { EncryptedOnRampSecret } from '../oauth2_credentials/shared/provider_credentials.ts'
import { openOnRampSecret } from './shared/on_ramp_secret.ts'

export default defineActivity({
  name: 'create_fiat_on_ramp_credential',
  summary: 'Stores an account with an on-ramp provider. Its secrets arrive encrypted, and only the vault opens them.',
  policy: { resource: 'ON_RAMP_CREDENTIALS', action: 'CREATE' },
  parameters: fields({
    onrampProvider: OnRampProviderName,
    projectId: optional(Label),
    publishableApiKey: Label,
    encryptedSecretApiKey: EncryptedOnRampSecret,
    encryptedPrivateApiKey: optional(EncryptedOnRampSecret),
    sandboxMode: optional(Flag),
  }),
  result: Type.Object({ fiatOnRampCredentialId: Type.String() }),

  run({ organization, parameters, keys, newId }) {
    const { onrampProvider, sandboxMode = false, ...given } = parameters
    const fiatOnrampCredentialId = newId()
    const credential = {
      ...given,
      fiatOnrampCredentialId,
      onrampProvider: providerName(onRampProviders, onrampProvider, 'spec'),
      givenProvider: onrampProvider,
      sandboxMode,
    }
    organization.fiatOnRampCredentials.add(credential, openOnRampSecret(given, keys))
    return { fiatOnRampCredentialId: fiatOnrampCredentialId }
  },
})
