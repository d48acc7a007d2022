import { type Limits, limitsDefault } from '../operations/limits.ts'
import { type Oauth2EndpointTable, oauth2EndpointsKnown } from '../operations/oauth2.ts'
import { createByteCache } from '../protocol/byte_cache.ts'
import { uuidV7Generator } from '../protocol/identifiers.ts'
import type { FoundHead } from '../protocol/reads.ts'
import { answer } from './answer.ts'
import { createOrganization } from './create_organization.ts'
import { requestAgeMsMax, requestAheadMsMax } from './envelope.ts'
import { IntegrityError } from './evidence.ts'
import type { FetchJson } from './fetch/fetch_json.ts'
import { createFingerprintMemory } from './fingerprint_memory.ts'
import type { Log } from './log.ts'
import type { Mark } from './mark.ts'
import { createVaultState, openVaultState } from './master_seed.ts'
import type { Means } from './means.ts'
import { createExchangeCode } from './oauth2/exchange_code.ts'
import { createIssuerKeys } from './oidc/issuer_keys.ts'
import { ownIssuerKeys } from './oidc/own_issuer.ts'
import { createVerifyOidcToken } from './oidc/verify_oidc_token.ts'
import { takeHead } from './organization.ts'
import { openMessage } from './outbox.ts'
import { publishedKeysOf } from './published_keys.ts'
import { remember } from './recorded.ts'
import { createSeals } from './seal.ts'
import { UnsealError, type Unsealer } from './unsealer.ts'
import type { PublishedKeys, Vault } from './verbs.ts'

const noStateText =
  'the database has no vault state, although organizations are marked: restore the database, or remove the mark if it is gone for good'

const headCacheBytesMax = 64 * 1024 * 1024
const recordCacheBytesMax = 128 * 1024 * 1024
const rowCacheBytesMax = 32 * 1024 * 1024

/** The longest that a token lives, and with it a flow or its use: a day, and an hour for the request itself. */
const rememberedRecordMsMax = 25 * 60 * 60 * 1000

type VaultParts = {
  readonly unsealer: Unsealer
  readonly mark: Mark
  readonly clock: { readonly nowMs: () => number }
  readonly randomBytes: (size: number) => Uint8Array
  readonly limits?: Limits
  readonly oidcIssuers: readonly string[]
  /** None: the operator has not said which clients are those of its apps. */
  readonly oidcAudiences: readonly string[]
  readonly oauth2Endpoints?: Oauth2EndpointTable
  /** The `iss` of the ID tokens that this server signs. Left out: it signs none. */
  readonly ownIssuer: string | undefined
  readonly fetchJson: FetchJson
  readonly log: Pick<Log, 'warn'>
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
  oidcIssuers,
  oidcAudiences,
  oauth2Endpoints = oauth2EndpointsKnown,
  ownIssuer,
  fetchJson,
  log,
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
      if (opened !== undefined) return { kind: 'unsealed' }
      await mark.prepare()
      if (vaultState === undefined) {
        // A database that has lost its state would get a new master seed, and everything in it would stay shut.
        if (!(await mark.isEmpty())) throw new UnsealError(noStateText)
        return { kind: 'initialized', vaultState: await createVaultState(unsealer, randomBytes) }
      }
      const seals = createSeals({ masterSeeds: await openVaultState(unsealer, vaultState), randomBytes })
      const means: Means = {
        seals,
        mark,
        cache: {
          heads: createByteCache({ bytesMax: headCacheBytesMax }),
          records: createByteCache({ bytesMax: recordCacheBytesMax }),
          rows: createByteCache({ bytesMax: rowCacheBytesMax }),
        },
        recorded: {
          request: createFingerprintMemory({ lifetimeMs: requestAgeMsMax + requestAheadMsMax }),
          record: createFingerprintMemory({ lifetimeMs: rememberedRecordMsMax }),
        },
        limits,
        verifyOidcToken: createVerifyOidcToken({
          issuers: oidcIssuers,
          audiences: oidcAudiences,
          issuerKeys: createIssuerKeys({ fetchJson, log }),
          ...(ownIssuer === undefined ? {} : { own: { issuer: ownIssuer, keys: ownIssuerKeys(seals) } }),
        }),
        oidcAudiences,
        exchangeCode: createExchangeCode({ endpoints: oauth2Endpoints, fetchJson, log }),
        ownIssuer,
        nowMs,
        randomBytes,
        newId,
      }
      opened = { means, publishedKeys: publishedKeysOf(seals) }
      return { kind: 'unsealed' }
    },

    async answer(request) {
      const { means } = unsealed()
      for (const recorded of request.committed) remember(means, recorded, nowMs())
      return answer(means, request)
    },

    async markHeads({ heads }) {
      const { means } = unsealed()
      for (const { organizationId, ...head } of heads) await takeCommitted(means, organizationId, head)
    },

    async createOrganization(request) {
      return createOrganization(unsealed().means, request)
    },

    async openMessage(request) {
      return openMessage(unsealed().means, request)
    },

    async publishedKeys() {
      return unsealed().publishedKeys
    },
  }
}

/** A head that is older than the mark by now was overtaken by the next change, which was told first. */
async function takeCommitted(means: Means, organizationId: string, head: FoundHead): Promise<void> {
  try {
    await takeHead(means, organizationId, head)
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error
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
