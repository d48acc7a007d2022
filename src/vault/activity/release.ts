import { strict as assert } from 'node:assert'
import type { VaultAnswer, VaultRequest } from '../../link/verbs.ts'
import type { Commit, ReadSetEntry } from '../../protocol/reads.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { Books } from '../books/books.ts'
import type { RequestContext } from '../caller/request_context.ts'
import type { MadeHead } from '../state/changes.ts'
import { MovedError } from '../state/evidence.ts'
import { tagsOf } from '../state/held.ts'
import type { Addition } from '../state/tally.ts'
import type { VaultServices } from '../state/vault_services.ts'

/** What was decided, before any of it leaves the vault. */
export type Decided = Extract<VaultAnswer, { kind: 'answer' | 'allowed' }> | DecidedCommit

export type DecidedCommit = {
  readonly kind: 'commit'
  readonly status: number
  readonly body: Uint8Array
  readonly commit: Commit
  readonly made: readonly MadeHead[]
  readonly additions: readonly Addition[]
  /** Of the version of the activity that is written; undefined: a refusal that is written has none. */
  readonly changeKey: string | undefined
}

/** The part of a context that letting its decision leave takes. */
type Releasing = Pick<RequestContext, 'evidence' | 'tally'> & {
  readonly services: Pick<VaultServices, 'books' | 'held'>
  readonly request: Pick<VaultRequest, 'isTrial'>
}

/**
 * Lets a decision leave the vault. In one turn of the event loop it checks that nothing the decision rests on has moved
 * on the books, and counts what the decision counts. Then it makes that durable. Throws `MovedError` when the decision
 * has to be made again.
 */
export async function release(context: Releasing, decided: DecidedCommit): Promise<VaultAnswer> {
  const { services, evidence, tally, request } = context
  const { books, held } = services
  const { status, body, commit, made, additions, changeKey } = decided
  if (request.isTrial === true) return { kind: 'allowed' }
  const bases = headsIn(commit.readSet)
  requireNewest(books, bases)
  tally.requireUnmoved()
  if (made.length > 0 || additions.length > 0) requireWritable(books)
  books.count(tally.entriesOf(additions))
  const decisionId = made.length === 0 ? undefined : held.hold({ status, body, made })
  if (additions.length > 0 || !evidence.organizationIds().every(books.isSynced)) {
    await books.sync().catch((error: unknown) => {
      if (decisionId !== undefined) books.dismiss(tagsOf(held.take(decisionId)))
      throw error
    })
  }
  // The change key of a held decision goes on the books with its heads. Of any other, the service names it once the
  // commit is on disk.
  if (decisionId !== undefined) return { kind: 'commit', commit, outcome: { of: 'held', decisionId } }
  assert(commit.heads.length === 0, 'a decision that makes heads is held')
  return { kind: 'commit', commit, outcome: { of: 'answer', status, body, changeKey } }
}

/** Resolves when the heads are durable that an answer rests on which writes nothing. */
export async function releaseShown({
  services: { books },
  evidence,
}: Pick<Releasing, 'services' | 'evidence'>): Promise<void> {
  if (!evidence.organizationIds().every(books.isSynced)) await books.sync()
}

/** Throws the failure for the caller when nothing can be written on the books. */
export function requireWritable(books: Pick<Books, 'unavailable'>): void {
  const reason = books.unavailable()
  if (reason !== undefined) throw journalUnavailable()
}

type HeadEntry = Extract<ReadSetEntry, { of: 'head' }>

function headsIn(readSet: readonly ReadSetEntry[]): readonly HeadEntry[] {
  return readSet.filter((entry) => entry.of === 'head')
}

function requireNewest(books: Books, bases: readonly HeadEntry[]): void {
  for (const { organizationId, tag } of bases) {
    if (books.newest(organizationId)?.tag !== tag) throw new MovedError(`the head of ${organizationId} has moved`)
  }
}

/** What the caller learns. The vault's log and `/readyz` say why. */
export function journalUnavailable(cause?: Error): Failure {
  const reason = 'the journal of the vault cannot be written'
  return new Failure('UNAVAILABLE', { reason, ...(cause === undefined ? {} : { cause }) })
}
