import type { VaultAnswer, VaultRequest } from '../../link/verbs.ts'
import { findOperation } from '../../operations/catalogue.ts'
import { type Operation, type Query, signs } from '../../operations/define.ts'
import { readQueryParameters } from '../../operations/fields/parameters.ts'
import { errorAnswer, Failure } from '../../protocol/wire/failures.ts'
import { type JsonObject, jsonBytes, parseBody } from '../../protocol/wire/json.ts'
import { JournalUnavailable } from '../books/journal/journal.ts'
import { readOrganizationId } from '../caller/envelope.ts'
import { readingFacts, requireScope } from '../caller/session_scope.ts'
import {
  factsOf,
  identify,
  onlyStampHeader,
  openTarget,
  readStamp,
  type Situation,
  sourcesOf,
} from '../caller/situation.ts'
import { mfaStatusesOf } from '../rules/mfa_statuses.ts'
import { simulate } from '../rules/simulate.ts'
import { BehindError, createEvidence, ForkError, IntegrityError, MovedError, ReadsNeeded } from '../state/evidence.ts'
import type { Means } from '../state/means.ts'
import { readerOf } from '../state/reader.ts'
import { keepForRecall, recall } from '../state/recall.ts'
import { resolveNeeds } from '../state/resolve.ts'
import { createTally } from '../state/tally.ts'
import { activityViewer } from './activity_viewer.ts'
import { journalUnavailable, release, releaseShown } from './release.ts'
import { verifyOidcTokens } from './run_operation.ts'
import { submitActivity } from './submit_activity.ts'

/**
 * Decides one request from its bytes, its stamp, what was presented and the vault's own books, and nothing else. This is
 * the one place where a request becomes an effect. The order of the checks is part of the interface.
 */
export async function answer(means: Means, request: VaultRequest): Promise<VaultAnswer> {
  try {
    const operation = findOperation(request.path)
    if (operation === undefined) throw new Failure('OPERATION_UNKNOWN', { reason: 'see /docs for those that exist' })
    const body = parseBody(request.body)
    const nowMs = means.nowMs()
    const situation: Situation = {
      means,
      request,
      stampHeader: onlyStampHeader(request),
      evidence: createEvidence(
        request.presented,
        request.mayRecall ? { recall: (read) => recall(means.cache, read) } : {},
      ),
      tally: createTally(means.books, { nowMs, newId: means.newId }),
      nowMs,
    }
    return await decide(situation, operation, body)
  } catch (error) {
    return undecided(error)
  }
}

async function decide(situation: Situation, operation: Operation, body: JsonObject): Promise<VaultAnswer> {
  try {
    if (operation.kind === 'query') {
      const answered = await answerQuery(situation, operation, body)
      await releaseShown(situation)
      return answered
    }
    const decided = await submitActivity(situation, operation, body)
    if (decided.kind === 'commit') {
      const released = await release(situation, decided)
      if (signs(operation)) keepForRecall(situation.means.cache, situation.request.presented)
      return released
    }
    await releaseShown(situation)
    return decided
  } catch (error) {
    // A refusal tells something of what it rests on, too.
    if (error instanceof Failure) await releaseShown(situation)
    throw error
  }
}

/** What a decision comes to that ended with an error. Throws what is a bug. */
export function undecided(error: unknown): VaultAnswer {
  if (error instanceof ReadsNeeded) return { kind: 'need', reads: error.reads }
  if (error instanceof MovedError) return { kind: 'moved' }
  if (error instanceof JournalUnavailable) return failureAnswer(journalUnavailable(error))
  if (error instanceof BehindError) {
    const { message: incident, shownVersion, newestVersion } = error
    return { kind: 'integrity', incident, found: 'behind', shownVersion, newestVersion }
  }
  if (error instanceof IntegrityError) {
    return { kind: 'integrity', incident: error.message, found: error instanceof ForkError ? 'fork' : 'other' }
  }
  if (error instanceof Failure) return failureAnswer(error)
  throw error
}

function failureAnswer(failure: Failure): VaultAnswer {
  return { kind: 'answer', status: failure.httpStatus, body: jsonBytes(errorAnswer(failure)) }
}

async function answerQuery(situation: Situation, query: Query, body: JsonObject): Promise<VaultAnswer> {
  const { nowMs } = situation
  const organizationId = readOrganizationId(body)
  // Clients log in with one; what it proves is used up by that.
  if (situation.stampHeader.header === 'x-stamp-attested') {
    throw new Failure('ATTESTATION_INVALID', { reason: 'such a stamp is for activities: log in with it' })
  }
  const stamp = await readStamp(situation)
  const target = await openTarget(situation, organizationId)
  const caller = await identify(situation, { operation: query, target, stamp })
  const { open } = sourcesOf(situation)
  if (query.name !== 'whoami') await requireScope(caller, { open, facts: () => readingFacts })
  const parameters = readQueryParameters(query, body) as never
  query.check(parameters)
  // A parent's id that stood for a sub-organization stands for it in the answer too.
  const organization = caller.organization.head.parentId === target.head.organizationId ? caller.organization : target
  const resolved = await resolveNeeds(
    sourcesOf(situation),
    organization,
    query.reads(parameters, organization.head.organizationId),
  )
  await verifyOidcTokens(situation, query, { parameters, submittedAtMs: nowMs })
  const showActivity = activityViewer(situation, { organization, caller }, resolved.own.resolved.activities)
  const result = await query.run({
    organization: readerOf(resolved),
    parameters,
    nowMs,
    caller: factsOf(caller),
    dialect: situation.request.dialect,
    showActivity,
    mfaStatuses: (activity) => mfaStatusesOf(situation, organization, activity),
    simulate: (asked) => simulate(situation, { organization, caller }, asked),
  })
  return { kind: 'answer', status: 200, body: jsonBytes(result) }
}
