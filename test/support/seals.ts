import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openVaultState } from '../../src/vault/keys/master_seed.ts'
import { type P256KeyName, p256Secret } from '../../src/vault/keys/published_keys.ts'
import { createSeals, type Seals } from '../../src/vault/keys/seal.ts'
import { keyFileUnsealer } from '../../src/vault/keys/unsealer.ts'
import { withDatabase } from './database.ts'

/** The seals of a server's vault, made from the files in its folder. Only the master seed makes this possible. */
export async function openVaultSeals({ folder }: { readonly folder: string }): Promise<Seals> {
  const { state } = withDatabase(folder, (hand) => hand.one({ table: 'vault_state', where: {} }))
  return sealsOf(folder, state)
}

/** `state`: the sealed master seed, as the database has it. */
export async function sealsOf(folder: string, state: unknown): Promise<Seals> {
  if (!(state instanceof Uint8Array)) throw new Error('a running server has a state')
  const unsealer = keyFileUnsealer({ path: join(folder, 'vault', 'root.key'), create: false })
  const masterSeeds = await openVaultState(unsealer, state)
  return createSeals({ masterSeeds, randomBytes: (size) => new Uint8Array(randomBytes(size)) })
}

/** The private half of a key that the server publishes, in hex. */
export async function privateKeyOf(server: { readonly folder: string }, name: P256KeyName): Promise<string> {
  using secret = p256Secret(await openVaultSeals(server), name)
  return Buffer.from(secret.reveal()).toString('hex')
}
