import { encryptOauth2ClientSecret, encryptOnRampSecret } from '@turnkey/crypto'
import { unsealSecret } from '../../src/vault/sealed_record.ts'
import type { PublishedKeys } from '../../src/vault/verbs.ts'
import { withDatabase } from './database.ts'
import type { Server } from './in_process.ts'
import { sealsOf } from './later_version.ts'

/** What a client does with its own package to hand over secrets of providers, given the server's published keys. */
export function encryptersTo(keys: PublishedKeys) {
  const { onRampEncryption, tlsFetcherEncryption } = keys
  if (onRampEncryption === undefined || tlsFetcherEncryption === undefined) throw new Error('both are published')
  return {
    encryptOnRamp: (secret: string) => encryptOnRampSecret(secret, onRampEncryption.compressed),
    encryptOauth2: (secret: string) => encryptOauth2ClientSecret(secret, tlsFetcherEncryption.uncompressed),
  }
}

/** The secret that is sealed with a record now: as the vault would open it, which no operation shows. */
export async function sealedSecretOf(
  server: Server,
  place: {
    readonly organizationId: string
    readonly kind: 'fiat_on_ramp_credential' | 'oauth2_credential'
    readonly recordId: string
  },
): Promise<Uint8Array> {
  const seals = await sealsOf(server)
  const { organizationId, kind, recordId } = place
  const where = { organization_id: organizationId, kind, record_id: recordId }
  const { version, sealed } = withDatabase(server.folder, (hand) => hand.one({ table: 'records', where }))
  if (!(sealed instanceof Uint8Array)) throw new Error('a record is sealed bytes')
  using secret = unsealSecret(seals, { ...place, version: Number(version) }, sealed)
  return secret.reveal().slice()
}
