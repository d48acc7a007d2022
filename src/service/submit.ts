import { createHash, randomUUID } from 'node:crypto'
import { errorAnswer, Failure } from '../protocol/failures.ts'
import type { Read } from '../protocol/reads.ts'
import { type VaultClient, VaultUnavailable } from '../vault/client.ts'
import type { Dialect, Presented, Recorded, VaultAnswer, VaultRequest } from '../vault/verbs.ts'
import { foresee } from './foresee.ts'
import type { Log } from './log.ts'
import { createQueues } from './queues.ts'
import type { Store } from './store/store.ts'

export type Request = Pick<VaultRequest, 'path' | 'body' | 'stamps'> & { readonly dialect: Dialect }
export type Answer = { readonly status: number; readonly body: Uint8Array; readonly retryAfterSeconds?: number }

/** How often a decision is made again because another one was committed first. */
const attemptsMax = 5
/** How often the vault may ask for more before it answers. */
const roundsMax = 12

/**
 * The way of a request: bytes and stamp go to the vault with what it is going to read; the vault decides; what it
 * decided is committed; then, and only then, the caller learns of it.
 */
export function createSubmit({ store, vault, log }: { store: Store; vault: Pick<VaultClient, 'answer'>; log: Log }) {
  const queues = createQueues()
  const inFlight = new Map<string, Promise<Answer>>()
  let recorded: Recorded[] = []

  /** Equal requests in flight share one decision: a client that retries does not do its work twice. */
  return function submit(request: Request): Promise<Answer> {
    const key = keyOf(request)
    const running = inFlight.get(key)
    if (running !== undefined) return running
    const answer = submitOnce(request).finally(() => inFlight.delete(key))
    inFlight.set(key, answer)
    return answer
  }

  async function submitOnce(request: Request): Promise<Answer> {
    const foreseen = foresee(request)
    // Two changes of one organization would only conflict: they wait here. Signatures change no record and do not.
    return queues.run(foreseen.queue, async () => {
      try {
        return await decideAndCommit(request, foreseen.reads)
      } catch (error) {
        return failureAnswer(error)
      }
    })
  }

  async function decideAndCommit(request: Request, foreseen: readonly Read[]): Promise<Answer> {
    const incidents: string[] = []
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const decided = await decide(request, foreseen)
      if (decided.kind === 'answer') return decided
      if (decided.kind === 'integrity') {
        incidents.push(decided.incident)
        continue
      }
      if ((await available(store.commit(decided.commit))) === 'conflict') continue
      recorded.push(...decided.recorded)
      return { status: decided.status, body: decided.body }
    }
    // Two looks of one decision may straddle another commit; what is wrong each time is wrong in the database.
    return incidents.length < attemptsMax ? unavailable('too many changes at once') : incidentAnswer(incidents[0])
  }

  async function decide(request: Request, foreseen: readonly Read[]): Promise<Exclude<VaultAnswer, { kind: 'need' }>> {
    let presented = await lookUp(foreseen)
    for (let round = 1; round <= roundsMax; round += 1) {
      const committed = recorded
      recorded = []
      const answer = await vault.answer({ ...request, presented, committed }).catch((error: unknown) => {
        recorded = [...committed, ...recorded]
        throw error
      })
      if (answer.kind !== 'need') return answer
      presented = [...presented, ...(await lookUp(answer.reads))]
    }
    throw new Error(`${request.path}: the vault still asked for more after ${roundsMax} rounds`)
  }

  async function lookUp(reads: readonly Read[]): Promise<readonly Presented[]> {
    const found = await available(store.find(reads))
    const presented = reads.map((read, index) => presentedOf(read, found[index]))
    const followed = presented.flatMap(recordsBehind)
    return followed.length === 0 ? presented : [...presented, ...(await lookUp(followed))]
  }

  function failureAnswer(error: unknown): Answer {
    if (error instanceof VaultUnavailable) return unavailable(error.message)
    if (error instanceof StoreUnavailable) {
      log.error({ error: error.cause }, 'the database cannot be used')
      return unavailable('the database cannot be used')
    }
    return incidentAnswer(error)
  }

  function incidentAnswer(cause: unknown): Answer {
    const incidentId = randomUUID()
    log.error({ incidentId, error: cause }, 'internal server error')
    return { status: 500, body: json({ code: 13, message: `internal server error (${incidentId})`, details: [] }) }
  }
}

/** Disk full, database away: the request may be sent again later. */
class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

async function available<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (cause) {
    throw new StoreUnavailable('the database cannot be used', { cause })
  }
}

/** An address leads to the account that signs: the vault is going to ask for it, so it goes along. */
function recordsBehind({ read, found }: Presented): readonly Read[] {
  if (read.read !== 'lookup' || found.read !== 'lookup' || read.lookup !== 'address') return []
  return found.rows.map(({ organizationId, kind, recordId }) => ({ read: 'record', organizationId, kind, recordId }))
}

function presentedOf(read: Read, found: Presented['found'] | undefined): Presented {
  if (found === undefined) throw new Error('the store answers every read')
  return { read, found }
}

/** A digest, so that a body waits once in memory and not twice. The JSON holds no line end, so none can be forged. */
function keyOf({ path, body, stamps, dialect }: Request): string {
  const head = JSON.stringify([dialect, path, stamps.map(({ header, value }) => [header, value])])
  return createHash('sha256').update(`${head}\n`).update(body).digest('base64')
}

function unavailable(reason: string): Answer {
  const failure = new Failure('UNAVAILABLE', { reason })
  return { status: failure.httpStatus, body: json(errorAnswer(failure)), retryAfterSeconds: 1 }
}

function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}
