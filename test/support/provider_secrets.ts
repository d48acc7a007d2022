import { encryptOauth2ClientSecret, encryptOnRampSecret } from '@turnkey/crypto'
import type { PublishedKeys } from '../../src/link/verbs.ts'
import { partsOfOnRampSecret } from '../../src/operations/fiat_on_ramp_credentials/shared/on_ramp_secret.ts'
import type { SecretBytes } from '../../src/protocol/crypto/secret_bytes.ts'
import { unsealSecret } from '../../src/vault/keys/sealed_record.ts'
import { withDatabase } from './database.ts'
import { openVaultSeals } from './seals.ts'

type Parameters = Readonly<Record<string, unknown>>

/** Encrypts secrets of providers with the client's own package, given the server's published keys. */
export function encryptersTo({ onRampEncryption, tlsFetcherEncryption }: PublishedKeys) {
  if (onRampEncryption === undefined || tlsFetcherEncryption === undefined) throw new Error('both are published')
  return {
    encryptOnRamp: (secret: string) => encryptOnRampSecret(secret, onRampEncryption.compressed),
    encryptOauth2: (secret: string) => encryptOauth2ClientSecret(secret, tlsFetcherEncryption.uncompressed),
  }
}

/** A credential as `create_fiat_on_ramp_credential` takes it. */
export function newOnRampCredential(encryptedSecretApiKey: string, given: Parameters = {}): Parameters {
  const onrampProvider = 'FIAT_ON_RAMP_PROVIDER_PROVIDER_A'
  return { onrampProvider, publishableApiKey: 'publishable', encryptedSecretApiKey, ...given }
}

/** A credential as `create_oauth2_credential` takes it. */
export function newOauth2Credential(encryptedClientSecret: string, given: Parameters = {}): Parameters {
  return { provider: 'OAUTH2_PROVIDER_PROVIDER_A', clientId: 'client', encryptedClientSecret, ...given }
}

/** The secrets that are sealed with an on-ramp credential, as texts. No operation shows them. */
export async function onRampSecretsOf(
  server: { readonly folder: string },
  { organizationId, fiatOnrampCredentialId: recordId }: { organizationId: string; fiatOnrampCredentialId: string },
) {
  using secret = await sealedSecretOf(server, { organizationId, kind: 'fiat_on_ramp_credential', recordId })
  using parts = partsOfOnRampSecret(secret)
  return { secretApiKey: textOf(parts.secretApiKey), privateApiKey: parts.privateApiKey && textOf(parts.privateApiKey) }
}

/** The secret that is sealed with an OAuth 2.0 credential. */
export async function clientSecretOf(
  server: { readonly folder: string },
  { organizationId, oauth2CredentialId: recordId }: { organizationId: string; oauth2CredentialId: string },
): Promise<string> {
  using secret = await sealedSecretOf(server, { organizationId, kind: 'oauth2_credential', recordId })
  return textOf(secret)
}

async function sealedSecretOf(
  server: { readonly folder: string },
  place: { organizationId: string; kind: 'fiat_on_ramp_credential' | 'oauth2_credential'; recordId: string },
): Promise<SecretBytes> {
  const seals = await openVaultSeals(server)
  const where = { organization_id: place.organizationId, kind: place.kind, record_id: place.recordId }
  const { version, sealed } = withDatabase(server.folder, (hand) => hand.one({ table: 'records', where }))
  if (!(sealed instanceof Uint8Array)) throw new Error('a record is sealed bytes')
  return unsealSecret(seals, { ...place, version: Number(version) }, sealed)
}

function textOf(secret: SecretBytes): string {
  return Buffer.from(secret.reveal()).toString()
}
