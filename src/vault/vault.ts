import { type Limits, limitsDefault } from '../operations/limits.ts'
import { uuidV7Generator } from '../protocol/identifiers.ts'
import { answer, recordedKey } from './answer.ts'
import { createByteCache } from './byte_cache.ts'
import { createOrganization } from './create_organization.ts'
import { requestAgeMsMax, requestAheadMsMax } from './envelope.ts'
import { createFingerprintMemory } from './fingerprint_memory.ts'
import type { Mark } from './mark.ts'
import { createVaultState, openVaultState } from './master_seed.ts'
import type { Means } from './means.ts'
import { publishedKeysOf } from './published_keys.ts'
import { createSeals } from './seal.ts'
import type { Unsealer } from './unsealer.ts'
import type { PublishedKeys, Vault } from './verbs.ts'

const headCacheBytesMax = 64 * 1024 * 1024
const recordCacheBytesMax = 128 * 1024 * 1024

type VaultParts = {
  readonly unsealer: Unsealer
  readonly mark: Mark
  readonly clock: { readonly nowMs: () => number }
  readonly randomBytes: (size: number) => Uint8Array
  readonly limits?: Limits
  /** Makes the id of everything new. Left out: UUIDv7 from the clock and the random bytes above. */
  readonly newId?: () => string
}

/** The vault, sealed: every verb but `unseal` refuses until that has succeeded. */
export function createVault({
  unsealer,
  mark,
  clock,
  randomBytes,
  limits = limitsDefault,
  ...parts
}: VaultParts): Vault {
  const nowMs = neverBackwards(clock.nowMs)
  const newId = parts.newId ?? uuidV7Generator({ nowMs, randomBytes })
  let opened: { readonly means: Means; readonly publishedKeys: PublishedKeys } | undefined

  function unsealed() {
    if (opened === undefined) throw new Error('the vault is sealed')
    return opened
  }

  return {
    async unseal({ vaultState }) {
      if (vaultState === undefined) {
        return { kind: 'initialized', vaultState: await createVaultState(unsealer, randomBytes) }
      }
      const seals = createSeals({ masterSeeds: await openVaultState(unsealer, vaultState), randomBytes })
      const means: Means = {
        seals,
        mark,
        cache: {
          heads: createByteCache({ bytesMax: headCacheBytesMax }),
          records: createByteCache({ bytesMax: recordCacheBytesMax }),
        },
        recorded: createFingerprintMemory({ lifetimeMs: requestAgeMsMax + requestAheadMsMax }),
        limits,
        nowMs,
        randomBytes,
        newId,
      }
      opened = { means, publishedKeys: publishedKeysOf(seals) }
      return { kind: 'unsealed' }
    },

    async answer(request) {
      const { means } = unsealed()
      for (const recorded of request.committed) means.recorded.remember(recordedKey(recorded), nowMs())
      return answer(means, request)
    },

    async createOrganization(request) {
      return createOrganization(unsealed().means, request)
    },

    async publishedKeys() {
      return unsealed().publishedKeys
    },
  }
}

/** Time is the vault's own and does not run backwards, whatever the machine's clock does. */
function neverBackwards(nowMs: () => number): () => number {
  let latestMs = 0
  return () => {
    latestMs = Math.max(latestMs, nowMs())
    return latestMs
  }
}
