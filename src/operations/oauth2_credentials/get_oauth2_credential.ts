import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Oauth2CredentialId, Uuid } from '../../contract/fields/fields.ts'
import { oauth2Credential } from '../../contract/needs.ts'
import { Oauth2CredentialView, oauth2CredentialView } from './shared/provider_credential_views.ts'

export default defineQuery({
  name: 'get_oauth2_credential',
  summary: 'Returns one OAuth 2.0 credential. Its secret is shown as the client encrypted it.',
  parameters: fields({ organizationId: Uuid, oauth2CredentialId: Oauth2CredentialId }),
  result: Type.Object({ oauth2Credential: Oauth2CredentialView }),
  needs: ({ oauth2CredentialId }) => [oauth2Credential(oauth2CredentialId)],

  run({ organization, parameters, dialect }) {
    const { organizationId } = organization
    const found = organization.oauth2Credentials.get(parameters.oauth2CredentialId)
    return { oauth2Credential: oauth2CredentialView(found, { organizationId, dialect }) }
  },
})
