import { setTimeout as sleep } from 'node:timers/promises'
import { VaultUnavailable } from '../../link/channel/channel.ts'
import type { Operator } from '../../link/heads.ts'
import type { Log } from '../../link/vault_log.ts'
import type { CommitOutcome, PublishedKeys, Vault, VaultRequest } from '../../link/verbs.ts'
import { createScrub } from '../activity/scrub/scrub.ts'
import type { OpenedBooks } from '../books/open_books.ts'
import { type BooksDesk, createBooksDesk, type Listener } from '../books/remote/books_desk.ts'
import type { BooksVerbs } from '../books/remote/messages.ts'
import { type CheckpointSigner, createCheckpointSigner } from '../books/transparency/checkpoints.ts'
import { publishLog } from '../books/transparency/publish_log.ts'
import { publishedKeysOf } from '../keys/published_keys.ts'
import { createOperatorLinks } from '../state/operator_links.ts'
import type { Clock } from './clock.ts'
import { createDeciderPlaces, rethrown } from './decider_places.ts'
import type { Decider } from './decider_process.ts'
import { createOpening, type OpeningParts } from './open_vault.ts'
import { createOperator } from './operator.ts'

const callMsMax = 10_000
/** A change that is confirmed is on disk already. */
const confirmMsMax = 60_000
/** Less than the service waits for the condition (`service/vault/client.ts`). */
const readyLimits = { deadlineMs: 2_000, isUrgent: true }
/** Outcomes that wait for the next request to a vault. They only help to notice a row that is missing. */
const outcomesMax = 1_000

type SeveralVaultsParts = Omit<OpeningParts, 'nowMs'> & {
  /** How many vaults decide. */
  readonly count: number
  readonly clock: Pick<Clock, 'nowMs'> & Partial<Clock>
  readonly log: Pick<Log, 'warn' | 'error'>
  readonly spawn: (verbsFor: (listener: Listener) => BooksVerbs) => Decider
}

type Opened = {
  readonly books: OpenedBooks
  readonly desk: BooksDesk
  readonly publishedKeys: PublishedKeys
  readonly checkpointSigner: CheckpointSigner
  readonly scrub: Vault['scrub']
  readonly operator: Operator
}

/**
 * The vault of a node in several processes. This one keeps the books and decides nothing. The others decide, each of
 * them correctly for any organization. An organization goes to the same one, for its caches, as long as that one lives.
 */
export function createSeveralVaults({
  count,
  clock,
  log,
  spawn,
  ...parts
}: SeveralVaultsParts): Vault & { readonly operator: Operator; close(): Promise<void> } {
  const { nowMs } = clock
  const open = createOpening({ ...parts, nowMs, log })
  const places = createDeciderPlaces({ count, log, spawn, tellOperators })
  const { deciders } = places
  const outcomesFor: CommitOutcome[][] = Array.from({ length: count }, () => [])
  const lifts = new Map<string, { readonly nowMs: number; readonly untilMs: number }>()
  const links = createOperatorLinks()
  let opened: Opened | undefined
  let lastPicked = 0

  function unsealed(): Opened {
    if (opened === undefined) throw new Error('the vault is sealed')
    return opened
  }

  /** The vault of the organization, or another one while that one is started again. */
  function pick(organizationId: string | undefined): { readonly index: number; readonly decider: Decider } {
    lastPicked += 1
    const first = organizationId === undefined ? lastPicked : hashOf(organizationId)
    for (let step = 0; step < count; step += 1) {
      const index = (first + step) % count
      const decider = deciders[index]
      if (decider !== undefined) return { index, decider }
    }
    throw new VaultUnavailable('the vaults of this node are starting')
  }

  /** Tells a vault what the operator has said since the books were opened. */
  async function tellOperators(decider: Decider): Promise<void> {
    for (const [organizationId, times] of lifts) await decider.tell('lifted', { organizationId, ...times })
    for (const link of links.all()) await decider.tell('linked', link)
  }

  /** Each vault learns of written commits. Only the vault that decided a lost commit learns of it. */
  function passOn(outcomes: VaultRequest['outcomes']): void {
    for (const outcome of outcomes) {
      if (outcome.of === 'written') {
        for (const waiting of outcomesFor) if (waiting.push(outcome) > outcomesMax) waiting.shift()
        continue
      }
      const { index, decisionId } = placeOf(outcome.decisionId)
      const lost = [{ of: 'lost', decisionId }]
      deciders[index]?.channel
        .call('outcomes', lost, { deadlineMs: callMsMax, isUrgent: true })
        .catch((error: unknown) => log.warn({ error }, 'a vault of this node was not told of a conflict'))
    }
  }

  const operator = () => unsealed().operator

  return {
    async unseal({ vaultState }) {
      if (opened !== undefined) return { kind: 'unsealed' }
      const found = await open(vaultState)
      if (found.kind === 'initialized') return found
      if (vaultState === undefined) throw new Error('no state was opened')
      const { books, seals } = found
      const desk = createBooksDesk(books)
      const checkpointSigner = createCheckpointSigner(seals, books.transparency.origin())
      opened = {
        ...{ books, desk, checkpointSigner },
        scrub: createScrub({ books, seals, randomBytes: parts.randomBytes, nowMs, openedMs: nowMs() }),
        ...{ publishedKeys: publishedKeysOf(seals), operator: operatorOf(books, desk) },
      }
      await places.fill(desk, vaultState)
      return { kind: 'unsealed' }
    },

    async answer(request) {
      passOn(request.outcomes)
      unsealed().books.noteWritten(request.outcomes)
      for (let deaths = 0; ; deaths += 1) {
        const { index, decider } = pick(request.organizationId)
        const outcomes = outcomesFor[index]?.splice(0) ?? []
        const deadlineMs = (request.waitMsMax ?? callMsMax) + 1_000
        try {
          const asked = decider.channel.call('answer', { ...request, outcomes }, { deadlineMs })
          const answer = await (asked as ReturnType<Vault['answer']>)
          if (answer.kind !== 'commit' || answer.outcome.of !== 'held') return answer
          return { ...answer, outcome: { ...answer.outcome, decisionId: `${index} ${answer.outcome.decisionId}` } }
        } catch (error) {
          // Nothing of the decision has left, and what it counted goes by its request. So another vault may decide.
          const isUnanswered = error instanceof VaultUnavailable
          if (isUnanswered && !(await isGone(decider))) void decider.tell('ready', undefined) // or it is ended
          if (deaths === count || !isUnanswered || !(await isGone(decider))) rethrown(error)
          places.leave(index, decider)
        }
      }
    },

    async confirm(request) {
      const { index, decisionId } = placeOf(request.decisionId)
      const decider = deciders[index]
      if (decider === undefined) return { kind: 'unknown' }
      const limits = { deadlineMs: confirmMsMax, isUrgent: true }
      const answer = decider.channel.call('confirm', { decisionId }, limits) as ReturnType<Vault['confirm']>
      return answer.catch((error: unknown) =>
        error instanceof VaultUnavailable ? { kind: 'unknown' } : rethrown(error),
      )
    },

    async condition() {
      const asked = deciders.flatMap((decider) => decider?.channel.call('ready', undefined, readyLimits) ?? [])
      await Promise.any(asked).catch(() => {
        throw new VaultUnavailable('no vault of this node answers')
      })
      return { refusal: unsealed().books.refusal(), clock: clock.problem?.() }
    },

    async createOrganization(request) {
      const { index, decider } = pick(undefined)
      const asked = decider.channel.call('createOrganization', request, { deadlineMs: callMsMax })
      const answer = await (asked as ReturnType<Vault['createOrganization']>).catch(rethrown)
      return { ...answer, decisionId: `${index} ${answer.decisionId}` }
    },

    async openMessage(request) {
      const { decider } = pick(request.organizationId)
      const asked = decider.channel.call('openMessage', request, { deadlineMs: callMsMax })
      return (asked as ReturnType<Vault['openMessage']>).catch(rethrown)
    },

    async publishLog(request) {
      const { books, checkpointSigner } = unsealed()
      return publishLog(books, checkpointSigner, request)
    },

    async scrub(found) {
      return unsealed().scrub(found)
    },

    async publishedKeys() {
      return unsealed().publishedKeys
    },

    operator: {
      bookedHeads: async (request) => operator().bookedHeads(request),
      bookedHeadsOf: async (request) => operator().bookedHeadsOf(request),
      acceptRestore: async () => operator().acceptRestore(),
      liftIpAllowlist: async (request) => operator().liftIpAllowlist(request),
      makeLink: async (request) => operator().makeLink(request),
    },

    /** Closes the journal. The vault's process exits without this. */
    async close() {
      places.close()
      await opened?.books.close()
    },
  }

  function operatorOf(books: OpenedBooks, desk: BooksDesk): Operator {
    return createOperator({
      books: {
        ...books,
        async forgetHeads() {
          try {
            await books.forgetHeads()
          } finally {
            // The heads may be forgotten in memory even if the journal cannot be written.
            await desk.tellAll('forgotten', { journalId: books.journalId() })
          }
        },
      },
      heldDecisions: { clear() {} }, // Each vault drops its own when it is told.
      liftedAllowlists: {
        async lift(organizationId, times) {
          lifts.set(organizationId, times)
          await desk.tellAll('lifted', { organizationId, ...times })
        },
      },
      operatorLinks: {
        async add(link) {
          links.add(link)
          await desk.tellAll('linked', link)
        },
      },
      randomBytes: parts.randomBytes,
      nowMs,
      log,
    })
  }
}

async function isGone({ channel }: Decider): Promise<boolean> {
  return Promise.race([channel.closed.then(() => true), sleep(50).then(() => false)])
}

/** FNV-1a. It only spreads organizations over vaults. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

function placeOf(decisionId: string): { readonly index: number; readonly decisionId: string } {
  const [index, id = ''] = decisionId.split(' ')
  return { index: Number(index), decisionId: id }
}
