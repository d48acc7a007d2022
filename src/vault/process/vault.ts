import { asId } from '../../contract/fields/ids.ts'
import { type Limits, limitsDefault } from '../../contract/limits.ts'
import { type Oauth2EndpointTable, oauth2EndpointsKnown } from '../../contract/oauth2.ts'
import type { Operator } from '../../link/heads.ts'
import type { Log } from '../../link/vault_log.ts'
import type { CommitOutcome, PublishedKeys, Vault } from '../../link/verbs.ts'
import { createByteCache } from '../../protocol/tools/byte_cache.ts'
import type { MailDecider } from '../../protocol/wire/sub_organization_mails.ts'
import { uuidV7Generator } from '../../protocol/wire/uuid_v7.ts'
import { answer } from '../activity/answer.ts'
import { confirm } from '../activity/confirm.ts'
import { createOrganization } from '../activity/make_organization.ts'
import { openWanted } from '../activity/open_message.ts'
import { createScrub } from '../activity/scrub/scrub.ts'
import { requestMsMax } from '../books/counts.ts'
import { decisionBooks } from '../books/decision_books.ts'
import { createFingerprintMemory } from '../books/fingerprint_memory.ts'
import type { OpenedBooks } from '../books/open_books.ts'
import type { SharedBooks } from '../books/remote/shared_books.ts'
import { type CheckpointSigner, createCheckpointSigner } from '../books/transparency/checkpoints.ts'
import { publishLog } from '../books/transparency/publish_log.ts'
import { publishedKeysOf } from '../keys/published_keys.ts'
import { createExchangeCode } from '../outside/exchange_code.ts'
import type { FetchJson } from '../outside/fetch_json.ts'
import { createIssuerKeys } from '../outside/issuer_keys.ts'
import { ownIssuerKeys } from '../outside/own_issuer.ts'
import { createVerifyOidcToken } from '../outside/verify_oidc_token.ts'
import { createHeldDecisions, tagsOf } from '../state/held_decisions.ts'
import { createLiftedAllowlists, type LiftedAllowlists } from '../state/lifted_allowlists.ts'
import { createOperatorLinks, type OperatorLinks } from '../state/operator_links.ts'
import { createTurns, type Turns } from '../state/turns.ts'
import type { VaultServices } from '../state/vault_services.ts'
import type { Clock } from './clock.ts'
import { createOpening, type OpeningParts, openSeals } from './open_vault.ts'
import { createOperator } from './operator.ts'

const headCacheBytesMax = 64 * 1024 * 1024
const recordCacheBytesMax = 128 * 1024 * 1024
const rowCacheBytesMax = 32 * 1024 * 1024
const stampCacheBytesMax = 1024 * 1024
const lookCacheBytesMax = 1024 * 1024

type VaultParts = Omit<OpeningParts, 'nowMs'> & {
  readonly clock: Pick<Clock, 'nowMs'> & Partial<Clock>
  readonly limits?: Limits
  readonly oidcIssuers: readonly string[]
  /** The clients of the operator's apps. Empty if the operator has not listed them. */
  readonly oidcAudiences: readonly string[]
  readonly oauth2Endpoints?: Oauth2EndpointTable
  /** The `iss` of the ID tokens that this server signs. Undefined if it signs none. */
  readonly ownIssuer: string | undefined
  /** The console's address for links in mails, without a slash at its end. Absent: no such mails are sent. */
  readonly consoleUrl?: string | undefined
  /** Whether users are told by mail of activities. It takes `consoleUrl`. */
  readonly sendsNotices?: boolean
  /** If absent, all passcodes are random. */
  readonly sandboxPasscodes?: boolean
  /** If absent, webhooks go by HTTPS only. */
  readonly loopbackHttp?: boolean
  readonly mailDecider?: MailDecider
  readonly fetchJson: FetchJson
  readonly log: Pick<Log, 'warn' | 'error'>
  /** Makes every new id. If absent, ids are UUIDv7 from the clock and the random bytes above. */
  readonly newId?: () => string
  /** If absent, requests take turns by the time that they take. */
  readonly turns?: Turns
  /** The books of the node, which another process keeps. If absent, this vault keeps them. */
  readonly sharedBooks?: Pick<SharedBooks, 'books' | 'opened'> | undefined
  readonly liftedAllowlists?: LiftedAllowlists | undefined
  readonly operatorLinks?: OperatorLinks | undefined
}

/** Creates a sealed vault. Every verb but `unseal` throws until `unseal` has succeeded. */
export function createVault({
  clock,
  limits = limitsDefault,
  oidcIssuers,
  oidcAudiences,
  oauth2Endpoints = oauth2EndpointsKnown,
  ownIssuer,
  consoleUrl,
  sendsNotices = false,
  sandboxPasscodes = false,
  loopbackHttp = false,
  mailDecider = 'parent',
  fetchJson,
  liftedAllowlists = createLiftedAllowlists(),
  operatorLinks = createOperatorLinks(),
  ...parts
}: VaultParts): Vault & {
  readonly operator: Operator
  takeOutcomes(outcomes: readonly CommitOutcome[]): void
  dropHeld(): void
  close(): Promise<void>
} {
  const { unsealer, randomBytes, sharedBooks, log } = parts
  const { nowMs, startAt } = neverBackwards(clock.nowMs)
  const newUuid = parts.newId ?? uuidV7Generator({ nowMs, randomBytes })
  const newId = () => asId(newUuid())
  const openOwn = createOpening({ ...parts, nowMs })
  let opened:
    | {
        readonly services: VaultServices
        readonly publishedKeys: PublishedKeys
        readonly own: OpenedBooks | undefined
        readonly checkpointSigner: CheckpointSigner | undefined
        readonly scrub: Vault['scrub'] | undefined
      }
    | undefined

  function unsealed() {
    if (opened === undefined) throw new Error('the vault is sealed')
    return opened
  }

  /** The books of a node with several vaults have an operator of their own. */
  function operator(): Operator {
    const { own, services } = unsealed()
    if (own === undefined) throw new Error('another process keeps the books')
    operating ??= createOperator({ ...services, books: own, log })
    return operating
  }
  let operating: Operator | undefined

  async function open(vaultState: Uint8Array | undefined) {
    if (sharedBooks === undefined || vaultState === undefined) return openOwn(vaultState)
    return { kind: 'shared', seals: await openSeals({ unsealer, randomBytes }, vaultState), ...sharedBooks } as const
  }

  return {
    async unseal({ vaultState }) {
      if (opened !== undefined) return { kind: 'unsealed' }
      const found = await open(vaultState)
      if (found.kind === 'initialized') return found
      const { seals } = found
      const books = found.kind === 'shared' ? found.books : decisionBooks(found.books)
      startAt((found.kind === 'shared' ? await found.opened : found.books).lastMs)
      const heldDecisions = createHeldDecisions(books, newId)
      const services: VaultServices = {
        seals,
        books,
        heldDecisions,
        liftedAllowlists,
        operatorLinks,
        cache: {
          heads: createByteCache({ bytesMax: headCacheBytesMax }),
          records: createByteCache({ bytesMax: recordCacheBytesMax }),
          rows: createByteCache({ bytesMax: rowCacheBytesMax }),
          stamps: createByteCache({ bytesMax: stampCacheBytesMax }),
          looks: createByteCache({ bytesMax: lookCacheBytesMax }),
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
        consoleUrl,
        noticesTo: sendsNotices ? consoleUrl : undefined,
        sandboxPasscodes,
        loopbackHttp,
        mailDecider,
        nowMs,
        turns: parts.turns ?? createTurns(),
        log,
        randomBytes,
        newId,
      }
      const own = found.kind === 'opened' ? found.books : undefined
      const checkpointSigner = own && createCheckpointSigner(seals, own.transparency.origin())
      const scrub = own && createScrub({ books: own, seals, randomBytes, nowMs, openedMs: nowMs() })
      opened = { services, publishedKeys: publishedKeysOf(seals), own, checkpointSigner, scrub }
      return { kind: 'unsealed' }
    },

    async answer(request) {
      const { services, own } = unsealed()
      for (const outcome of request.outcomes) takeOutcome(services, outcome)
      own?.noteWritten(request.outcomes)
      return answer(services, request)
    },

    async confirm({ decisionId }) {
      return confirm(unsealed().services, decisionId)
    },

    async condition() {
      return { refusal: unsealed().services.books.refusal(), clock: clock.problem?.() }
    },

    async createOrganization(request) {
      return createOrganization(unsealed().services, request)
    },

    async openMessage(request) {
      return openWanted(unsealed().services, request)
    },

    async publishLog(request) {
      const { own, checkpointSigner } = unsealed()
      if (own === undefined || checkpointSigner === undefined) throw new Error('another process keeps the books')
      return publishLog(own, checkpointSigner, request)
    },

    async scrub(found) {
      const { scrub } = unsealed()
      if (scrub === undefined) throw new Error('another process keeps the books')
      return scrub(found)
    },

    async publishedKeys() {
      return unsealed().publishedKeys
    },

    /** The operator is not a verb of the channel: see `operator_socket.ts`. */
    operator: {
      bookedHeads: async (request) => operator().bookedHeads(request),
      bookedHeadsOf: async (request) => operator().bookedHeadsOf(request),
      acceptRestore: async () => operator().acceptRestore(),
      liftIpAllowlist: async (request) => operator().liftIpAllowlist(request),
      makeLink: async (request) => operator().makeLink(request),
    },

    /** For one of several vaults: what became of decisions of its own. */
    takeOutcomes(outcomes) {
      const { services } = unsealed()
      for (const outcome of outcomes) takeOutcome(services, outcome)
    },

    /** For one of several vaults: the operator has accepted a restored database. */
    dropHeld() {
      opened?.services.heldDecisions.clear()
    },

    /** Closes the journal. The vault's process exits without this. */
    async close() {
      await opened?.own?.close()
    },
  }
}

/** Records the outcome of a commit that the service reports. A lost head must never be shown. */
export function takeOutcome(
  { books, heldDecisions, written, nowMs }: Pick<VaultServices, 'books' | 'heldDecisions' | 'written' | 'nowMs'>,
  outcome: CommitOutcome,
): void {
  if (outcome.of === 'written') {
    written.remember(Buffer.from(outcome.changeKey, 'hex'), nowMs())
    return
  }
  const tags = tagsOf(heldDecisions.take(outcome.decisionId))
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
