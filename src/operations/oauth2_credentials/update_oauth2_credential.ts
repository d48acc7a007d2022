import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent, textChange } from '../../contract/explanation/changes.ts'
import { code, note, row } from '../../contract/explanation/shown_values.ts'
import { fields, Label, Oauth2CredentialId } from '../../contract/fields/fields.ts'
import { oauth2Credential } from '../../contract/needs.ts'
import { Oauth2ProviderName, oauth2Providers, providerName } from '../../contract/records/provider_names.ts'
import { EncryptedClientSecret, openProviderSecret } from './shared/provider_credentials.ts'

export default defineActivity({
  name: 'update_oauth2_credential',
  summary: 'Replaces the provider, client id and secret of an OAuth 2.0 credential.',
  policy: { resource: 'AUTH', action: 'UPDATE' },
  parameters: fields({
    oauth2CredentialId: Oauth2CredentialId,
    provider: Oauth2ProviderName,
    clientId: Label,
    encryptedClientSecret: EncryptedClientSecret,
  }),
  result: Type.Object({ oauth2CredentialId: Type.String() }),
  needs: ({ oauth2CredentialId }) => [oauth2Credential(oauth2CredentialId)],
  explain: ({ parameters: { oauth2CredentialId, provider, clientId }, now }) => {
    const found = now.find('oauth2_credential', oauth2CredentialId)
    const former = found?.givenProvider ?? found?.provider
    return changesContent(now, {
      code: 'update_oauth2_credential',
      subject: [now.named(oauth2CredentialId)],
      rows: [row('oauth2CredentialId', now.named(oauth2CredentialId)), row('encryptedClientSecret', note('hidden'))],
      changes: {
        provider: { from: former && code(former), to: code(provider) },
        clientId: textChange(found?.clientId, clientId),
      },
    })
  },

  run({ organization, parameters, keys }) {
    const { oauth2CredentialId: givenId, provider, clientId, encryptedClientSecret } = parameters
    const found = organization.oauth2Credentials.get(givenId)
    const credential = {
      ...found,
      provider: providerName(oauth2Providers, provider, 'spec'),
      givenProvider: provider,
      clientId,
      encryptedClientSecret,
    }
    const sealed = { text: encryptedClientSecret, fieldPath: 'parameters.encryptedClientSecret' }
    organization.oauth2Credentials.put(credential, openProviderSecret(keys, 'tlsFetcherEncryption', sealed))
    return { oauth2CredentialId: found.oauth2CredentialId }
  },
})
