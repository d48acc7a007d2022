import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, Oauth2CredentialId } from '../../contract/fields/fields.ts'
import { oauth2Credential } from '../../contract/needs.ts'

export default defineActivity({
  name: 'delete_oauth2_credential',
  summary: 'Deletes an OAuth 2.0 credential. Nobody can log in with it afterwards.',
  policy: { resource: 'AUTH', action: 'DELETE' },
  parameters: fields({ oauth2CredentialId: Oauth2CredentialId }),
  result: Type.Object({ oauth2CredentialId: Type.String() }),
  needs: ({ oauth2CredentialId }) => [oauth2Credential(oauth2CredentialId)],

  run({ organization, parameters: { oauth2CredentialId } }) {
    organization.oauth2Credentials.remove(oauth2CredentialId)
    return { oauth2CredentialId }
  },
})
