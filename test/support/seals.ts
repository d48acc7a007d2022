import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openVaultState } from '../../src/vault/master_seed.ts'
import { createSeals, type Seals } from '../../src/vault/seal.ts'
import { keyFileUnsealer } from '../../src/vault/unsealer.ts'
import type { Server } from './in_process.ts'

/** The seals of a server's vault, made from its own key file: nothing but the master seed makes this possible. */
export async function openVaultSeals({ folder, store }: Pick<Server, 'folder' | 'store'>): Promise<Seals> {
  const state = await store.vaultState()
  if (state === undefined) throw new Error('a running server has a state')
  const unsealer = keyFileUnsealer({ path: join(folder, 'vault', 'root.key'), create: false })
  const masterSeeds = await openVaultState(unsealer, state)
  return createSeals({ masterSeeds, randomBytes: (size) => new Uint8Array(randomBytes(size)) })
}
