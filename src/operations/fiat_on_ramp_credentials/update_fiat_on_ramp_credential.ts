import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent, textChange } from '../../contract/explanation/changes.ts'
import { code, note, row } from '../../contract/explanation/shown_values.ts'
import { fields, Label, optional, Uuid } from '../../contract/fields/fields.ts'
import { fiatOnRampCredential } from '../../contract/needs.ts'
import { OnRampProviderName, onRampProviders, providerName } from '../../contract/records/provider_names.ts'
import { EncryptedOnRampSecret } from '../oauth2_credentials/shared/provider_credentials.ts'
import { openOnRampSecret, partsOfOnRampSecret } from './shared/on_ramp_secret.ts'

export default defineActivity({
  name: 'update_fiat_on_ramp_credential',
  summary: 'Changes an account with an on-ramp provider. Absent fields stay as they are.',
  policy: { resource: 'ON_RAMP_CREDENTIALS', action: 'UPDATE' },
  parameters: fields({
    fiatOnrampCredentialId: Uuid,
    onrampProvider: OnRampProviderName,
    projectId: optional(Label),
    publishableApiKey: Label,
    encryptedSecretApiKey: EncryptedOnRampSecret,
    encryptedPrivateApiKey: optional(EncryptedOnRampSecret),
  }),
  result: Type.Object({ fiatOnRampCredentialId: Type.String() }),
  needs: ({ fiatOnrampCredentialId }) => [fiatOnRampCredential(fiatOnrampCredentialId)],
  explain: ({ parameters, now }) => {
    const { fiatOnrampCredentialId, onrampProvider, projectId, publishableApiKey } = parameters
    const found = now.find('fiat_on_ramp_credential', fiatOnrampCredentialId)
    const former = found?.givenProvider ?? found?.onrampProvider
    const hidden = note('hidden')
    return changesContent(now, {
      code: 'update_fiat_on_ramp_credential',
      subject: [now.named(fiatOnrampCredentialId)],
      rows: [
        row('fiatOnrampCredentialId', now.named(fiatOnrampCredentialId)),
        row('encryptedSecretApiKey', hidden),
        ...(parameters.encryptedPrivateApiKey === undefined ? [] : [row('encryptedPrivateApiKey', hidden)]),
      ],
      changes: {
        onrampProvider: { from: former && code(former), to: code(onrampProvider) },
        projectId: textChange(found?.projectId, projectId),
        publishableApiKey: textChange(found?.publishableApiKey, publishableApiKey),
      },
    })
  },

  run({ organization, parameters, keys }) {
    const { fiatOnrampCredentialId: givenId, onrampProvider, ...given } = parameters
    const found = organization.fiatOnRampCredentials.get(givenId)
    const credential = {
      ...found,
      ...given,
      onrampProvider: providerName(onRampProviders, onrampProvider, 'spec'),
      givenProvider: onrampProvider,
    }
    using stored = keys.secretOf('fiat_on_ramp_credential', found.fiatOnrampCredentialId)
    using kept = partsOfOnRampSecret(stored)
    organization.fiatOnRampCredentials.put(credential, openOnRampSecret(given, keys, kept))
    return { fiatOnRampCredentialId: found.fiatOnrampCredentialId }
  },
})
