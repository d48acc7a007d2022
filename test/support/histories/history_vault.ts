import { randomUUID } from 'node:crypto'
import { asId } from '../../../src/contract/fields/ids.ts'
import type { Activity } from '../../../src/contract/records/activity.ts'
import { requireFresh } from '../../../src/deciding/votes/freshness.ts'
import type { HeldOrAnswer, Vault, VaultRequest } from '../../../src/link/verbs.ts'
import { durationMsMax } from '../../../src/policy/language/time/durations.ts'
import { sumOf } from '../../../src/policy/spending.ts'
import type { Commit } from '../../../src/protocol/reads.ts'
import { createByteCache } from '../../../src/protocol/tools/byte_cache.ts'
import { Failure } from '../../../src/protocol/wire/failures.ts'
import { fingerprintOf, requestKeyOf } from '../../../src/protocol/wire/fingerprint.ts'
import { jsonBytes } from '../../../src/protocol/wire/json.ts'
import { answerAfter } from '../../../src/vault/activity/answer.ts'
import { confirm } from '../../../src/vault/activity/confirm.ts'
import { keepForRecall, recall } from '../../../src/vault/activity/recall.ts'
import { type DecidedCommit, release, requireWritable, syncShownHeads } from '../../../src/vault/activity/release.ts'
import type { Books } from '../../../src/vault/books/books.ts'
import { requestMsMax } from '../../../src/vault/books/counts.ts'
import { decisionBooks } from '../../../src/vault/books/decision_books.ts'
import { changeKeyOf, countKeyOf } from '../../../src/vault/books/entry_names.ts'
import { createFingerprintMemory } from '../../../src/vault/books/fingerprint_memory.ts'
import type { Seals } from '../../../src/vault/keys/seal.ts'
import { takeOutcome } from '../../../src/vault/process/vault.ts'
import { createDecisionCounts, type DecisionCounts } from '../../../src/vault/state/decision_counts.ts'
import type { MadeHead } from '../../../src/vault/state/draft/changes.ts'
import { createEvidence, type Evidence } from '../../../src/vault/state/evidence.ts'
import { bookedHeadOf, type Head, lineages, sealHead } from '../../../src/vault/state/head.ts'
import { createHeldDecisions } from '../../../src/vault/state/held_decisions.ts'
import { findByBytes } from '../../../src/vault/state/known_activity.ts'
import { requireOnBooks } from '../../../src/vault/state/on_books.ts'
import { type OrganizationCache, openHead } from '../../../src/vault/state/open_head.ts'
import { openActivity, sealActivity } from '../../../src/vault/state/sealed_activity.ts'
import type { Chance, Life, Schedule } from './schedule.ts'
import type { Answered, Promised, Witness } from './witness.ts'

export const organizationId = '01234567-89ab-7cde-8f01-23456789abcd'
export const paths = {
  change: '/public/v1/submit/update_organization_name',
  payment: '/public/v1/submit/sign_raw_payload',
  query: '/public/v1/query/get_activity',
} as const
/** The sum of all payments at most. */
export const limit = 4
const signerId = '02'.repeat(33)
const signedAmounts = { kind: 'signed_amounts', recordId: signerId } as const

/** The content of a request's body. A query asks for the outcome of another request, by that request's key. */
export type Asked = {
  readonly organizationId: string
  readonly timestampMs: string
  readonly request: string
  readonly amount: number
  readonly requestKey?: string
}

/** The content of a successful answer. `request` is undefined for a query that found nothing. */
export type Said = Answered | { readonly request: undefined }

type Surroundings = {
  readonly books: Books
  readonly seals: Seals
  readonly witness: Witness
  /** The number of this node. */
  readonly node: number
  readonly schedule: Schedule
  readonly chance: Chance
  readonly life: Life
  readonly nowMs: () => number
  readonly newId: () => string
}

type Deciding = {
  readonly asked: Asked
  readonly head: Head
  readonly base: string
  readonly evidence: Evidence
  readonly decisionCounts: DecisionCounts
  readonly nowMs: number
  readonly requestKey: string
  readonly fingerprint: string
}

const newCache = (): OrganizationCache => ({
  heads: createByteCache({ bytesMax: 1_000_000 }),
  records: createByteCache({ bytesMax: 1_000_000 }),
  rows: createByteCache({ bytesMax: 1_000_000 }),
  stamps: createByteCache({ bytesMax: 1_000_000 }),
  looks: createByteCache({ bytesMax: 1_000_000 }),
})

/**
 * A vault without stamps, rules and keys: everybody may do everything, a change makes a head, and a payment counts
 * towards one limit. All that concerns the books is the code of the vault.
 */
export function createHistoryVault(surroundings: Surroundings): Pick<Vault, 'answer' | 'confirm'> {
  const { seals, witness, node, schedule, chance, life, nowMs, newId } = surroundings
  const watched = witness.watched(surroundings.books)
  const { lose } = watched
  const books = decisionBooks(watched.books)
  /** The tags of the heads of each decision that left the vault, by decision. */
  const tagsByDecision = new Map<string, readonly string[]>()
  const services = {
    books,
    seals,
    nowMs,
    heldDecisions: createHeldDecisions(books, newId),
    written: createFingerprintMemory({ lifetimeMs: requestMsMax, segmentEntriesMax: 64 }),
    cache: newCache(),
  }

  /** Lets something else have its turn at times, as when the vault waits for an issuer. */
  async function mayWait(): Promise<void> {
    if (chance.happens(0.2)) await schedule.pass('deciding', life)
  }

  async function decide(request: VaultRequest, deciding: Pick<Deciding, 'evidence' | 'decisionCounts' | 'nowMs'>) {
    const { evidence, decisionCounts } = deciding
    const asked: Asked = JSON.parse(Buffer.from(request.body).toString('utf8'))
    const head = openHead({ evidence, services }, organizationId)
    const [entry] = evidence.readSet()
    if (head === undefined || entry?.of !== 'head' || entry.tag === undefined)
      throw new Failure('ORGANIZATION_NOT_FOUND')
    const base = entry.tag
    const fingerprint = fingerprintOf(request.body)
    const timestampMs = Number(asked.timestampMs)
    const context = {
      ...deciding,
      asked,
      head,
      base,
      fingerprint,
      requestKey: requestKeyOf(timestampMs, fingerprint),
    }
    if (asked.requestKey !== undefined) return answerQuery(context, asked.requestKey)

    const { requestKey } = context
    decisionCounts.setCountKey(() => countKeyOf(organizationId, requestKey))
    const known = findByBytes({ services, ...context, fingerprint: () => fingerprint }, { organizationId, timestampMs })
    if (known !== undefined) return shown(context, known.activity)
    requireFresh(timestampMs, context.nowMs)
    await mayWait()
    return asked.amount === 0 ? change(context) : pay(context)
  }

  function answerQuery(context: Deciding, requestKey: string) {
    const { row } = context.evidence.find({ read: 'request', organizationId, requestKey })
    if (row === undefined) return answered({ request: undefined })
    const activity = openActivity(seals, organizationId, row)
    requireOnBooks({ services, ...context }, activity)
    return shown(context, activity)
  }

  function shown({ base }: Deciding, { type, made = [], result }: Activity) {
    return answered({ request: type, base, made: made[0]?.tag, amount: Number(result.amount) })
  }

  function change(context: Deciding): DecidedCommit {
    const { asked, head, base, requestKey } = context
    requireWritable(books)
    const changeKey = changeKeyOf({ organizationId, requestKey, version: 1 })
    const next = {
      ...head,
      version: head.version + 1,
      updatedAtMs: context.nowMs,
      lineage: lineages(services, () => changeKey)({ organizationId, version: head.version + 1 }),
    }
    const sealed = sealHead(seals, next)
    witness.headWasMade({ tag: sealed.tag, below: base, request: asked.request, maker: books.journalId() })
    const made = [{ head: next, tag: sealed.tag, sealedBytes: sealed.sealed.length, forgets: [] }]
    return decided(context, {
      heads: [{ organizationId, parentId: undefined, ...sealed }],
      records: [],
      made,
      additions: [],
    })
  }

  function pay(context: Deciding): DecidedCommit {
    const { asked, evidence, decisionCounts } = context
    const { row } = evidence.find({ read: 'record', organizationId, ...signedAmounts })
    evidence.rely({ of: 'record', organizationId, ...signedAmounts, version: row?.version })
    const window = { nowMs: context.nowMs, durationMs: durationMsMax }
    const amount = BigInt(asked.amount)
    const stored = BigInt(Buffer.from(row?.sealed ?? []).toString('latin1'))
    const counted = sumOf(decisionCounts.amounts(organizationId, ['payments']), window)
    const spent = stored > counted ? stored : counted
    if (spent + amount > BigInt(limit)) throw new Failure('FORBIDDEN')
    const sealed = Buffer.from(String(stored + amount))
    return decided(context, {
      heads: [],
      records: [{ organizationId, ...signedAmounts, ownerId: undefined, version: (row?.version ?? 0) + 1, sealed }],
      made: [],
      additions: [{ organizationId, what: ['payments'], amount, keptMs: durationMsMax }],
    })
  }

  function decided(
    { asked, base, evidence, requestKey, fingerprint, nowMs: decidedAtMs }: Deciding,
    {
      heads,
      records,
      made,
      ...counted
    }: Pick<Commit, 'heads' | 'records'> & Pick<DecidedCommit, 'additions'> & { readonly made: readonly MadeHead[] },
  ): DecidedCommit {
    const activityId = asId(newId())
    const status = 'ACTIVITY_STATUS_COMPLETED'
    const type = asked.request
    const activity: Activity = {
      ...{ activityId, organizationId, type, status, fingerprint, result: { amount: asked.amount }, votes: [] },
      ...{ createdAtMs: decidedAtMs, updatedAtMs: decidedAtMs },
      made: made.map(({ head, tag }) => {
        const { version, maker, changeKey } = bookedHeadOf(head, tag)
        return { organizationId, version, tag, maker, changeKey }
      }),
    }
    const sealed = sealActivity(seals, activity, 1)
    const activities = [{ organizationId, activityId, requestKey, type, status, version: 1, sealed }]
    const rest = { lookups: [], outbox: [], erasures: [] }
    return {
      ...{ kind: 'commit', status: 200, made, activity, ...counted },
      body: bodyOf({ request: asked.request, base: made[0]?.tag ?? base, made: made[0]?.tag, amount: asked.amount }),
      commit: { readSet: evidence.readSet(), heads, records, activities, ...rest },
      changeKey: changeKeyOf({ organizationId, requestKey, version: 1 }),
    }
  }

  return {
    async answer(request) {
      for (const outcome of request.outcomes) {
        if (outcome.of === 'lost') lose(tagsByDecision.get(outcome.decisionId) ?? [])
        takeOutcome(services, outcome)
      }
      const at = nowMs()
      const evidence = createEvidence(
        request.presented,
        request.mayRecall ? { recall: (read) => recall(services.cache, read) } : {},
      )
      const decisionCounts = createDecisionCounts(books, { nowMs: at, newId: randomUUID })
      try {
        const context = { evidence, decisionCounts, nowMs: at }
        const decision = await decide(request, context)
        if (decision.kind === 'commit') {
          if (request.isTrial === true) return { kind: 'allowed' }
          await mayWait()
          const promised = witness.acknowledgedBy(node)
          const released = await release({ services, ...context }, decision)
          if (released.kind === 'commit') tellReleased(decision, released.outcome, promised)
          keepForRecall(services.cache, request.presented)
          return released
        }
        await syncShownHeads({ services, evidence })
        return decision
      } catch (error) {
        return answerAfter(error)
      }
    },

    confirm: ({ decisionId }) => confirm(services, decisionId),
  }

  function tellReleased({ body, made }: DecidedCommit, outcome: HeldOrAnswer, promised: readonly Promised[]): void {
    if (outcome.of === 'held') {
      const tags = made.map(({ tag }) => tag)
      tagsByDecision.set(outcome.decisionId, tags)
    }
    witness.wasReleased(node, JSON.parse(Buffer.from(body).toString('utf8')), promised)
  }
}

function answered(said: Said) {
  return { kind: 'answer', status: 200, body: bodyOf(said) } as const
}

function bodyOf(said: Said): Uint8Array {
  return jsonBytes(said)
}
