import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import {
  FiatOnRampCredentialView,
  fiatOnRampCredentialView,
} from '../oauth2_credentials/shared/provider_credential_views.ts'

export default defineQuery({
  name: 'list_fiat_on_ramp_credentials',
  summary: 'Lists the accounts with on-ramp providers. Their secrets are shown as the client encrypted them.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ fiatOnRampCredentials: Type.Array(FiatOnRampCredentialView) }),
  needs: () => [all('fiat_on_ramp_credential')],

  run({ organization, dialect }) {
    const { organizationId } = organization
    return {
      fiatOnRampCredentials: organization.fiatOnRampCredentials
        .all()
        .map((credential) => fiatOnRampCredentialView(credential, { organizationId, dialect })),
    }
  },
})
