import Type from 'typebox'
import { defineQuery } from '../define.ts'
import { fields, Uuid } from '../fields/fields.ts'
import { all } from '../needs.ts'
import {
  FiatOnRampCredentialView,
  fiatOnRampCredentialView,
} from '../oauth2_credentials/shared/provider_credential_views.ts'

export default defineQuery({
  name: 'list_fiat_on_ramp_credentials',
  summary: 'All accounts with on-ramp providers, their secrets only as they were encrypted by the client.',
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
