import type { Operator } from '../../link/heads.ts'
import type { Log } from '../../link/vault_log.ts'
import type { CommitOutcome, PublishedKeys, Vault } from '../../link/verbs.ts'
import { asId } from '../../operations/fields/ids.ts'
import { type Limits, limitsDefault } from '../../operations/limits.ts'
import { type Oauth2EndpointTable, oauth2EndpointsKnown } from '../../operations/oauth2.ts'
import { createByteCache } from '../../protocol/tools/byte_cache.ts'
import { uuidV7Generator } from '../../protocol/wire/uuid_v7.ts'
import { answer } from '../activity/answer.ts'
import { createOrganization } from '../activity/make_organization.ts'
import { confirm } from '../activity/release.ts'
import { requestMsMax } from '../books/counts.ts'
import { decisionBooks } from '../books/decision_books.ts'
import { createFingerprintMemory } from '../books/fingerprint_memory.ts'
import { openBooks } from '../books/open_books.ts'
import { prepareFolder } from '../books/prepare_folder.ts'
import { createVaultState, openVaultState } from '../keys/master_seed.ts'
import { publishedKeysOf } from '../keys/published_keys.ts'
import { createSeals } from '../keys/seal.ts'
import { UnsealError, type Unsealer } from '../keys/unsealer.ts'
import { createExchangeCode } from '../outside/exchange_code.ts'
import type { FetchJson } from '../outside/fetch_json.ts'
import { createIssuerKeys } from '../outside/issuer_keys.ts'
import { ownIssuerKeys } from '../outside/own_issuer.ts'
import { createVerifyOidcToken } from '../outside/verify_oidc_token.ts'
import { createHeld, tagsOf } from '../state/held.ts'
import { createLiftedAllowlists } from '../state/lifted_allowlists.ts'
import { openMessage } from '../state/outbox.ts'
import { createTurns, type Turns } from '../state/turns.ts'
import type { VaultServices } from '../state/vault_services.ts'
import type { Clock } from './clock.ts'
import { createOperator } from './operator.ts'

function noStateText(directory: string): string {
  return `the database has no vault state, although the vault has a journal in ${directory}: restore the database, or remove that folder if the database is gone for good`
}

const noJournalText =
  'the vault has no journal for this database and begins one: it trusts the first head that it sees of each organization'

const headCacheBytesMax = 64 * 1024 * 1024
const recordCacheBytesMax = 128 * 1024 * 1024
const rowCacheBytesMax = 32 * 1024 * 1024
const stampCacheBytesMax = 1024 * 1024

type VaultParts = {
  readonly unsealer: Unsealer
  /** The folder of the journal. */
  readonly journalDirectory: string
  readonly clock: Pick<Clock, 'nowMs'> & Partial<Clock>
  readonly randomBytes: (size: number) => Uint8Array
  readonly limits?: Limits
  readonly oidcIssuers: readonly string[]
  /** The clients of the operator's apps. Empty if the operator has not listed them. */
  readonly oidcAudiences: readonly string[]
  readonly oauth2Endpoints?: Oauth2EndpointTable
  /** The `iss` of the ID tokens that this server signs. Undefined if it signs none. */
  readonly ownIssuer: string | undefined
  /** If absent, all passcodes are random. */
  readonly sandboxPasscodes?: boolean
  readonly fetchJson: FetchJson
  readonly log: Pick<Log, 'warn' | 'error'>
  /** Called when another vault has opened the journal. This vault must decide nothing more. */
  readonly onSuperseded: () => void
  /** The size of a segment of the journal. If absent, the journal's own default holds. */
  readonly segmentBytes?: number
  /** Makes every new id. If absent, ids are UUIDv7 from the clock and the random bytes above. */
  readonly newId?: () => string
  /** If absent, the journal of the books is on disk. */
  readonly openBooks?: typeof openBooks
  /** If absent, requests take turns by the time that they take. */
  readonly turns?: Turns
}

/** Creates a sealed vault. Every verb but `unseal` throws until `unseal` has succeeded. */
export function createVault({
  unsealer,
  journalDirectory,
  onSuperseded,
  clock,
  randomBytes,
  limits = limitsDefault,
  oidcIssuers,
  oidcAudiences,
  oauth2Endpoints = oauth2EndpointsKnown,
  ownIssuer,
  sandboxPasscodes = false,
  fetchJson,
  log,
  ...parts
}: VaultParts): Vault & { readonly operator: Operator; close(): Promise<void> } {
  const { nowMs, startAt } = neverBackwards(clock.nowMs)
  const newUuid = parts.newId ?? uuidV7Generator({ nowMs, randomBytes })
  const newId = () => asId(newUuid())
  /** Whether this process has made the vault state. The database is new then. */
  let hasMadeState = false
  let opened:
    | {
        readonly services: VaultServices
        readonly publishedKeys: PublishedKeys
        readonly operator: Operator
        readonly close: () => Promise<void>
      }
    | undefined

  function unsealed() {
    if (opened === undefined) throw new Error('the vault is sealed')
    return opened
  }

  return {
    async unseal({ vaultState }) {
      if (opened !== undefined) return { kind: 'unsealed' }
      const isEmpty = await prepareFolder(journalDirectory)
      if (vaultState === undefined) {
        // A database that has lost its state would get a new master seed, which opens nothing of the old records.
        if (!isEmpty) throw new UnsealError(noStateText(journalDirectory))
        hasMadeState = true
        return { kind: 'initialized', vaultState: await createVaultState(unsealer, randomBytes) }
      }
      const seals = createSeals({ masterSeeds: await openVaultState(unsealer, vaultState), randomBytes })
      const books = await (parts.openBooks ?? openBooks)({
        directory: journalDirectory,
        key: seals.journalKey(),
        clock: { nowMs },
        randomBytes,
        onSuperseded,
        log,
        ...(parts.segmentBytes === undefined ? {} : { segmentBytes: parts.segmentBytes }),
      })
      startAt(books.lastMs)
      if (books.isNew && !hasMadeState) log.warn({ journalDirectory }, noJournalText)
      const decidingOn = decisionBooks(books)
      const held = createHeld(decidingOn, newId)
      const liftedAllowlists = createLiftedAllowlists()
      const services: VaultServices = {
        seals,
        books: decidingOn,
        held,
        liftedAllowlists,
        cache: {
          heads: createByteCache({ bytesMax: headCacheBytesMax }),
          records: createByteCache({ bytesMax: recordCacheBytesMax }),
          rows: createByteCache({ bytesMax: rowCacheBytesMax }),
          stamps: createByteCache({ bytesMax: stampCacheBytesMax }),
        },
        written: createFingerprintMemory({ lifetimeMs: requestMsMax }),
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
        sandboxPasscodes,
        nowMs,
        turns: parts.turns ?? createTurns(),
        randomBytes,
        newId,
      }
      opened = {
        services,
        publishedKeys: publishedKeysOf(seals),
        operator: createOperator({ books, held, liftedAllowlists, nowMs, log }),
        close: books.close,
      }
      return { kind: 'unsealed' }
    },

    async answer(request) {
      const { services } = unsealed()
      for (const outcome of request.outcomes) takeOutcome(services, outcome)
      return answer(services, request)
    },

    async confirm({ decisionId }) {
      return confirm(unsealed().services, decisionId)
    },

    async condition() {
      return { journal: unsealed().services.books.unavailable(), clock: clock.problem?.() }
    },

    async createOrganization(request) {
      return createOrganization(unsealed().services, request)
    },

    async openMessage(request) {
      return openMessage(unsealed().services, request)
    },

    async publishedKeys() {
      return unsealed().publishedKeys
    },

    /** The operator is not a verb of the channel: see `operator_socket.ts`. */
    operator: {
      bookedHeads: async (request) => unsealed().operator.bookedHeads(request),
      bookedHeadsOf: async (request) => unsealed().operator.bookedHeadsOf(request),
      acceptRestore: async () => unsealed().operator.acceptRestore(),
      liftIpAllowlist: async (request) => unsealed().operator.liftIpAllowlist(request),
    },

    /** Closes the journal. The vault's process exits without this. */
    async close() {
      await opened?.close()
    },
  }
}

/** Records the outcome of a commit that the service reports. A lost head must never be shown. */
export function takeOutcome(
  { books, held, written, nowMs }: Pick<VaultServices, 'books' | 'held' | 'written' | 'nowMs'>,
  outcome: CommitOutcome,
): void {
  if (outcome.of === 'written') {
    written.remember(Buffer.from(outcome.changeKey, 'hex'), nowMs())
    return
  }
  const tags = tagsOf(held.take(outcome.decisionId))
  books.dismiss(tags)
  books.lose(tags)
}

/** Returns the vault's own clock, which never runs backwards, whatever the machine's clock does. */
function neverBackwards(nowMs: () => number): { nowMs: () => number; startAt: (earliestMs: number) => void } {
  let latestMs = 0
  return {
    nowMs() {
      latestMs = Math.max(latestMs, nowMs())
      return latestMs
    },
    startAt(earliestMs) {
      latestMs = Math.max(latestMs, earliestMs)
    },
  }
}
