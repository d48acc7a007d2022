import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, Label } from '../../contract/fields/fields.ts'
import { Oauth2ProviderName, oauth2Providers, providerName } from '../../contract/records/provider_names.ts'
import { EncryptedClientSecret, openProviderSecret } from './shared/provider_credentials.ts'

export default defineActivity({
  name: 'create_oauth2_credential',
  summary: 'Stores a client at an OAuth 2.0 provider, with which end users log in. Only the vault opens its secret.',
  policy: { resource: 'AUTH', action: 'CREATE' },
  parameters: fields({
    provider: Oauth2ProviderName,
    clientId: Label,
    encryptedClientSecret: EncryptedClientSecret,
  }),
  result: Type.Object({ oauth2CredentialId: Type.String() }),

  run({ organization, parameters, keys, newId }) {
    const { provider, clientId, encryptedClientSecret } = parameters
    const oauth2CredentialId = newId()
    const credential = {
      oauth2CredentialId,
      provider: providerName(oauth2Providers, provider, 'spec'),
      givenProvider: provider,
      clientId,
      encryptedClientSecret,
    }
    const sealed = { text: encryptedClientSecret, fieldPath: 'parameters.encryptedClientSecret' }
    organization.oauth2Credentials.add(credential, openProviderSecret(keys, 'tlsFetcherEncryption', sealed))
    return { oauth2CredentialId }
  },
})
