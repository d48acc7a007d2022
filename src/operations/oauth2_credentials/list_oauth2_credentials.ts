import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { Oauth2CredentialView, oauth2CredentialView } from './shared/provider_credential_views.ts'

export default defineQuery({
  name: 'list_oauth2_credentials',
  summary: 'Lists the OAuth 2.0 credentials. Their secrets are shown as the client encrypted them.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ oauth2Credentials: Type.Array(Oauth2CredentialView) }),
  needs: () => [all('oauth2_credential')],

  run({ organization, dialect }) {
    const { organizationId } = organization
    return {
      oauth2Credentials: organization.oauth2Credentials
        .all()
        .map((credential) => oauth2CredentialView(credential, { organizationId, dialect })),
    }
  },
})
