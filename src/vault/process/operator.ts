import { AdminError } from '../../link/admin_error.ts'
import { headsPerPageMax, type NamedHead, type Operator } from '../../link/heads.ts'
import type { Log } from '../../link/vault_log.ts'
import { enterAct, factOfAct, type OperatorAct } from '../activity/operator_acts.ts'
import type { Books } from '../books/books.ts'
import { JournalUnavailable } from '../books/journal/journal.ts'
import { newLinkKey } from '../keys/link_key.ts'
import type { HeldDecisions } from '../state/held_decisions.ts'
import type { LiftedAllowlists } from '../state/lifted_allowlists.ts'
import { linkSeconds, type OperatorLink } from '../state/operator_links.ts'

type OperatorParts = {
  readonly books: Pick<
    Books,
    'enter' | 'forgetHeads' | 'journalId' | 'newest' | 'organizationCount' | 'organizations' | 'sync' | 'unavailable'
  >
  readonly heldDecisions: Pick<HeldDecisions, 'clear'>
  /** Resolves once every vault of the node knows of it. */
  readonly liftedAllowlists: { lift(...lifted: Parameters<LiftedAllowlists['lift']>): void | Promise<void> }
  readonly operatorLinks: { add(link: OperatorLink): void | Promise<void> }
  readonly randomBytes: (size: number) => Uint8Array
  readonly nowMs: () => number
  readonly log: Pick<Log, 'warn'>
}

/**
 * Returns the verbs of the operator, which show and forget the heads on the books, lift IP allowlists and make links. An
 * act has its effect only once its entry of the transparency log is on disk.
 */
export function createOperator({
  books,
  heldDecisions,
  liftedAllowlists,
  operatorLinks,
  randomBytes,
  nowMs,
  log,
}: OperatorParts): Operator {
  /** The list that was begun last. There is only one list at a time, because a list keeps its heads in memory. */
  let list: { readonly cursor: number; readonly heads: Iterator<NamedHead> } | undefined
  let lastCursor = 0

  return {
    async bookedHeads({ cursor }) {
      if (cursor !== undefined && cursor !== list?.cursor) {
        throw new AdminError('the list of heads was begun anew by another command: start this one again')
      }
      const iterator =
        cursor === undefined || list === undefined ? books.organizations()[Symbol.iterator]() : list.heads
      const { heads, isLast } = pageOf(iterator)
      list = undefined
      if (isLast) return { heads }
      lastCursor += 1
      list = { cursor: lastCursor, heads: iterator }
      return { heads, cursor: lastCursor }
    },

    async bookedHeadsOf({ organizationIds }) {
      return organizationIds.flatMap((organizationId) => {
        const newest = books.newest(organizationId)
        return newest === undefined ? [] : [{ organizationId, version: newest.version, tag: newest.tag }]
      })
    },

    async acceptRestore() {
      const oldJournalId = books.journalId()
      const organizations = books.organizationCount()
      list = undefined
      await enter({ act: 'accept_restore', journal: oldJournalId, organizations })
      // The held decisions rest on heads of the abandoned database.
      heldDecisions.clear()
      try {
        await books.forgetHeads()
      } catch (cause) {
        throw notWritten(cause)
      } finally {
        const newJournalId = books.journalId()
        // The heads may be forgotten in memory even if the journal cannot be written.
        if (newJournalId !== oldJournalId) {
          const what = 'the operator accepted the database as it is: the newest heads are forgotten'
          log.warn({ oldJournalId, newJournalId, organizations }, what)
        }
      }
      return { oldJournalId, newJournalId: books.journalId(), organizations }
    },

    async liftIpAllowlist({ organizationId, minutes }) {
      requireKnown(organizationId)
      const startMs = nowMs()
      const untilMs = startMs + minutes * 60_000
      const until = new Date(untilMs).toISOString()
      await enter({ act: 'lift_ip_allowlist', until }, organizationId)
      await liftedAllowlists.lift(organizationId, { nowMs: startMs, untilMs })
      log.warn({ organizationId, until }, 'the operator lifted the IP allowlist of an organization for a while')
      return { organizationId, until }
    },

    async makeLink({ organizationId, userId }) {
      requireKnown(organizationId)
      const createdAtMs = nowMs()
      const { publicKey, privateKey } = newLinkKey(randomBytes)
      const until = new Date(createdAtMs + linkSeconds * 1_000).toISOString()
      await enter({ act: 'make_link', userId, publicKey, until }, organizationId)
      await operatorLinks.add({ linkId: `link ${publicKey}`, organizationId, userId, publicKey, createdAtMs })
      // Also the first start of `claviger dev` asks here. Who asks could say so, and would hide a link behind that word.
      log.warn(
        { organizationId, userId, until },
        "a link that adds a passkey to a user was made over the operator's socket",
      )
      return { organizationId, userId, privateKey, until }
    },
  }

  async function enter(act: OperatorAct, organizationId?: string): Promise<void> {
    const fact = factOfAct(act, { atMs: nowMs(), organizationId, randomBytes })
    await enterAct(books, fact).catch((cause: unknown) => Promise.reject(notWritten(cause)))
  }

  function requireKnown(organizationId: string): void {
    if (books.newest(organizationId) !== undefined) return
    const remedy = 'check the id; after accept-restore or with a new journal, send any request for it first'
    throw new AdminError(`the vault knows no organization ${organizationId}: ${remedy}`)
  }
}

/** The error for the operator, if the cause is that the journal cannot be written. Any other one is a bug. */
function notWritten(cause: unknown): unknown {
  if (!(cause instanceof JournalUnavailable)) return cause
  const remedy = 'mend that, then run the same command again'
  return new AdminError(`the journal of the vault cannot be written (${cause.message}): ${remedy}`, { cause })
}

function pageOf(heads: Iterator<NamedHead>): { readonly heads: readonly NamedHead[]; readonly isLast: boolean } {
  const page: NamedHead[] = []
  while (page.length < headsPerPageMax) {
    const { done, value } = heads.next()
    if (done) return { heads: page, isLast: true }
    page.push(value)
  }
  return { heads: page, isLast: false }
}
