import type { Content } from '../../../contract/explanation/content.ts'
import type { Now, ReadableRequest } from '../../../contract/explanation/explain_context.ts'
import type { Explanation, Row, Section, Title, Value } from '../../../contract/explanation/explanation.ts'
import { idsIn, parameterRows } from '../../../contract/explanation/request_tree.ts'
import {
  bounded,
  namedInTitle,
  note,
  number,
  row,
  rowsOf,
  section,
  text,
  warningsSection,
} from '../../../contract/explanation/shown_values.ts'
import { warnedOfUnseenEnds } from '../../../contract/explanation/unseen_ends.ts'
import { warned } from '../../../contract/explanation/warnings.ts'
import { type Activity, isFinal } from '../../../contract/records/activity.ts'
import { boundOf } from '../../../deciding/organization/submitted.ts'
import { mfaFor } from '../../../deciding/rules/mfa_steps.ts'
import { inSteps } from '../../../protocol/tools/steps.ts'
import { Failure, orFailure } from '../../../protocol/wire/failures.ts'
import type { Reading } from '../../caller/request_context.ts'
import type { Organization } from '../../state/organization.ts'
import { type ActivityRequest, requestOf } from '../open_request.ts'
import { nowOf } from './explained_now.ts'
import { ruleRows } from './explained_rule.ts'
import { requestRows, voteRows } from './explained_votes.ts'
import { warningsOfInvited } from './invited_users.ts'
import { warningsOfLikeNames } from './like_names.ts'
import { warningsOfLostKeys } from './lost_keys.ts'
import { warningsOfCredentials } from './new_credentials.ts'
import { warningsOfNames } from './rules_that_name.ts'
import { isBug, loggedBug, unexplained } from './unexplained.ts'

/**
 * Shows the meaning of an activity by `show`. Nobody's vote fails because of a bug in it: the title says that the request
 * could not be explained, and the bug is logged.
 */
export async function explainActivity<T>(
  context: Reading,
  organization: Organization,
  activity: Activity,
  show: (explanation: Explanation) => T,
): Promise<T> {
  try {
    return show(await meaningOf(context, organization, activity))
  } catch (error) {
    if (!isBug(error)) throw error
    context.services.log.error(loggedBug(error, activity), 'an activity could not be explained')
    return show(unexplained(activity))
  }
}

/**
 * Returns the meaning of an activity. All of it comes from the sealed activity, whose first vote is the request, and from
 * sealed records of the organization as they are now. It has nothing of the result, which may hold secrets.
 */
async function meaningOf(context: Reading, organization: Organization, activity: Activity): Promise<Explanation> {
  const bound = boundOf(activity)
  const policyIds = [...(organization.head.listed.get('policy')?.keys() ?? [])]
  const now = nowOf(context, organization, { activity, ids: [...idsIn(bound.parameters), ...policyIds] })
  const request = await requestOf(context, organization, activity)
  await context.pause()
  const { votes } = activity
  const userIds = votes.map(({ userId }) => userId)
  const mfa = await mfaFor({ organization, nowMs: context.nowMs }, { ...request, userIds, pause: context.pause })
  // The approvals of an activity that has ended count no more.
  const counted = isFinal(activity.status) ? [] : mfa.counted(votes)
  const { title, sections, actAs = [] } = await contentOf(context, { request, now })
  const named = await inSteps(warningsOfNames(bound, { organization, now }), context.pause)
  const rule = await ruleRows(context, { organization, activity, request, now, counted, mfa })
  const { activityId, organizationId, type, status } = activity
  const whole = {
    activityId,
    organizationId,
    type,
    status,
    title: warned(title, [
      ...named,
      ...warningsOfInvited(bound, { organization, now }),
      ...warningsOfCredentials(bound, { activity, now, found: actAs }),
      ...warningsOfLostKeys(bound, now),
      ...warningsOfLikeNames(bound, { organization, now }),
    ]),
    sections: [
      ...section('request', requestRows(activity, { organization, counted, now })),
      ...sections,
      ...section('rule', [...rule, ...voteRows(activity, { organization, counted })]),
      ...outcomeSection(activity),
    ],
  }
  const explanation = warnedOfUnseenEnds(bounded(whole))
  return { ...explanation, sections: [...warningsSection(explanation.title), ...explanation.sections] }
}

type Contained = {
  readonly request: ActivityRequest
  readonly now: Now
}

/** The content by the operation's own explanation, or else every parameter. */
async function contentOf(context: Reading, { request, now }: Contained): Promise<Content> {
  const { bound } = request
  const { parameters } = bound
  const readable = orFailure(() => readableOf(request, now))
  const explained = await inSteps(bound.explain({ request: readable, now }), context.pause)
  if (explained !== undefined) return explained
  const { operation } = bound
  const schema = operation.types[0]?.parameters
  const rows = parameterRows(parameters, schema, now.named)
  // One that has ended may have changed what it names: its own new name is in use, and what it deleted is not found.
  const isUnreadable = now.isBefore && readable instanceof Failure
  const unreadable = isUnreadable ? [note('unreadable', readable.message)] : []
  return {
    title: warned({ code: operation.name, values: titleValues(rows) }, unreadable),
    sections: section('parameters', [...unreadable.map((one) => row('unreadable', one)), ...rows]),
  }
}

function readableOf({ reader, toRun, smartContractInterfaceIds }: Contained['request'], now: Now): ReadableRequest {
  const { facts } = toRun()
  if (reader === undefined) throw new Error('a request that can run has all that it needs')
  return { organization: reader, facts: facts(), interfaces: smartContractInterfaceIds().map(now.named) }
}

/** The first name in the parameters, or else the first things that they name by id, or the names of what they list. */
function titleValues(rows: readonly Row[]): Title['values'] {
  const labelled = labelledIn(rows)
  const name = nameIn(rows)
  if (name !== undefined) return [name]
  const things = labelled.find(({ label }) => /ids?$/i.test(label))?.value
  const values: readonly Value[] = things?.kind === 'list' ? things.items : things === undefined ? [] : [things]
  if (values.length > 0) return namedInTitle(values)
  const lists = labelled.map(({ value }) => (value.kind === 'list' ? value.items : []))
  const named = lists.map((items) => items.flatMap((item) => (item.kind === 'tree' ? (nameIn(item.rows) ?? []) : [])))
  return namedInTitle(named.find((names) => names.length > 0) ?? [])
}

function nameIn(rows: readonly Row[]): Value | undefined {
  return labelledIn(rows).find(({ label, value }) => /name$/i.test(label) && value.kind === 'text')?.value
}

function labelledIn(rows: readonly Row[]) {
  return rows.flatMap((each) => ('label' in each ? [each] : []))
}

function outcomeSection({ failure }: Activity): readonly Section[] {
  if (failure === undefined) return []
  return section('outcome', rowsOf({ failure: text(failure.message), failureCode: number(failure.code) }))
}
