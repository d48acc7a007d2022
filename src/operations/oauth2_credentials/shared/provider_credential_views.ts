import Type from 'typebox'
import { optional } from '../../../contract/fields/fields.ts'
import { view } from '../../../contract/fields/named.ts'
import { shown } from '../../../contract/fields/shown.ts'
import {
  Oauth2ProviderName,
  OnRampProviderName,
  oauth2Providers,
  onRampProviders,
  shownProvider,
} from '../../../contract/records/provider_names.ts'
import type { FiatOnRampCredential, Oauth2Credential } from '../../../contract/records/records.ts'
import { times, timesView } from '../../../contract/records/views.ts'
import type { Dialect } from '../../../protocol/wire/dialect.ts'

/** The organization and the dialect in which a credential is shown. */
type Showing = { readonly organizationId: string; readonly dialect: Dialect }

export const FiatOnRampCredentialView = view('FiatOnRampCredential', {
  fiatOnrampCredentialId: Type.String(),
  organizationId: Type.String(),
  onrampProvider: OnRampProviderName,
  projectId: optional(Type.String()),
  publishableApiKey: Type.String(),
  encryptedSecretApiKey: Type.String(),
  encryptedPrivateApiKey: optional(Type.String()),
  sandboxMode: Type.Boolean(),
  ...times,
})

export function fiatOnRampCredentialView(
  credential: FiatOnRampCredential,
  { organizationId, dialect }: Showing,
): Type.Static<typeof FiatOnRampCredentialView> {
  const { onrampProvider: name, givenProvider: given } = credential
  const onrampProvider = shownProvider(onRampProviders, { name, given }, dialect)
  return shown(FiatOnRampCredentialView, { ...credential, organizationId, onrampProvider, ...timesView(credential) })
}

export const Oauth2CredentialView = view('Oauth2Credential', {
  oauth2CredentialId: Type.String(),
  organizationId: Type.String(),
  provider: Oauth2ProviderName,
  clientId: Type.String(),
  encryptedClientSecret: Type.String(),
  ...times,
})

export function oauth2CredentialView(
  credential: Oauth2Credential,
  { organizationId, dialect }: Showing,
): Type.Static<typeof Oauth2CredentialView> {
  const { provider: name, givenProvider: given } = credential
  const provider = shownProvider(oauth2Providers, { name, given }, dialect)
  return shown(Oauth2CredentialView, { ...credential, organizationId, provider, ...timesView(credential) })
}
