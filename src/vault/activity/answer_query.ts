import type { Query } from '../../contract/operation.ts'
import { callerFactsOf } from '../../deciding/caller/caller_facts.ts'
import { readingFacts, requireScope } from '../../deciding/caller/session_scope.ts'
import { readerOf } from '../../deciding/organization/organization_reader.ts'
import { bodyOf } from '../../deciding/organization/submitted.ts'
import type { VaultAnswer } from '../../link/verbs.ts'
import { inSteps } from '../../protocol/tools/steps.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { type JsonObject, jsonBytesInSteps } from '../../protocol/wire/json.ts'
import { attestationReads, requireUnusedLink } from '../caller/attestation_use.ts'
import { readOrganizationId } from '../caller/envelope.ts'
import { identify, readStamp } from '../caller/identify.ts'
import type { Asking } from '../caller/request_context.ts'
import { checkPolicies } from '../rules/check_policies.ts'
import { explainActivity } from '../rules/explanation/explain_activity.ts'
import { mfaStatusesOf } from '../rules/mfa_statuses.ts'
import { simulate } from '../rules/simulate_rules.ts'
import { type Organization, openTarget } from '../state/organization.ts'
import { resolveNeeds } from '../state/resolve.ts'
import { openActivity } from '../state/sealed_activity.ts'
import { watchedOf } from '../state/watched.ts'
import { activityViewer } from './tell/activity_viewer.ts'
import { verifyOidcTokens } from './verify_oidc_tokens.ts'

/** Answers a query. It has no time and no commit, and no policy decides about it. */
export async function answerQuery(
  context: Asking,
  query: Query,
  body: JsonObject,
): Promise<Extract<VaultAnswer, { kind: 'answer' }>> {
  const { nowMs, pause } = context
  const organizationId = readOrganizationId(body)
  // A client logs in with an attested stamp, and the login uses up its verification token.
  if (context.stampHeader?.header === 'x-stamp-attested') {
    throw new Failure('ATTESTATION_INVALID', 'such a stamp is for activities: log in with it')
  }
  const stamp = await readStamp(context)
  const target = openTarget(context, organizationId)
  const caller = await identify(context, { operation: query, target, stamp })
  if (query.name !== 'whoami') requireScope(caller, { facts: () => readingFacts })
  const bound = query.read(body)
  await bound.check(pause)
  // If the parent's id stood for a sub-organization, the answer is about the sub-organization.
  const organization = caller.organization.head.parentId === target.head.organizationId ? caller.organization : target
  await openPresented(context, organization)
  const needs = bound.needs(organization.head.organizationId)
  const resolved = resolveNeeds(context, organization, [...needs, ...attestationReads(caller)])
  const reader = readerOf(resolved)
  requireUnusedLink(caller, reader)
  await verifyOidcTokens(context, bound, nowMs)
  const showActivity = activityViewer(context, { organization, caller }, resolved.own.resolved.activities)
  const result = await bound.run({
    organization: reader,
    nowMs,
    caller: callerFactsOf(caller),
    dialect: context.request.dialect,
    showActivity,
    pause,
    mfaStatuses: (activity) => mfaStatusesOf(context, organization, activity),
    checkPolicies: (asked) => checkPolicies(organization, asked, context.pause),
    explain: (activity) => explainActivity(context, organization, activity, (explanation) => explanation),
    simulate: (asked) => simulate(context, { organization, caller }, asked),
    watched: () => watchedOf(organization.head),
  })
  return { kind: 'answer', status: 200, body: await inSteps(jsonBytesInSteps(result as object), pause) }
}

/** Opens the activities of a page in steps, and parses their requests: a page may have megabytes. */
async function openPresented({ request, services, pause }: Asking, { head }: Organization): Promise<void> {
  for (const { read, found } of request.presented) {
    if (read.read !== 'activities' || found.read !== 'activities' || read.organizationId !== head.organizationId)
      continue
    for (const [index, row] of (found.rows ?? []).entries()) {
      if (index > 0) await pause()
      bodyOf(openActivity(services.seals, read.organizationId, row))
    }
  }
}
