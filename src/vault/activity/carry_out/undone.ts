import type { Vote } from '../../../contract/records/activity.ts'
import {
  changesSince,
  differenceOf,
  isAbout,
  type Known,
  type RecentChange,
  tagged,
  type WithRecentChanges,
} from '../../../contract/records/recent_changes.ts'
import { recordKinds, rowOf } from '../../../contract/records/records.ts'
import type { AttributeTest } from '../../../policy/about_rules/attribute_tests.ts'
import { compileCondition, compileScope } from '../../../policy/decision/policy_expressions.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { goByValue, rulesByValues, testsOf, testsOfPolicy } from '../../rules/explanation/rules_by_values.ts'
import type { Written } from '../../state/draft/draft.ts'
import type { Organization } from '../../state/organization.ts'
import type { Ballot } from '../ballot.ts'
import { firstApprovalMs, isYounger, wordsOf } from './unchanged.ts'

/**
 * Refuses the changes of a request that has run, before they are written, if one of them
 * - takes the place of a change that was made since somebody approved the request,
 * - gives or takes away a value by which a rule goes that was made since then.
 *
 * It looks only at what the request writes. So a login stops no request, and users cannot prevent their own
 * deletion by changing their own record. Throws CHANGED_SINCE.
 */
export function requireNothingUndone(
  { target }: Ballot,
  approvals: readonly Vote[],
  written: Written | undefined,
): void {
  if (written === undefined) return
  const sinceMs = firstApprovalMs(approvals)
  const changed = changedHead(target, written, sinceMs) ?? changedRecord(target, written, sinceMs)
  const found = changed ?? changedRule(target, written, sinceMs)
  if (found !== undefined) throw new Failure('CHANGED_SINCE', `${found} changed after the first approval`)
}

function changedHead({ head }: Organization, { rootQuorum, renamedTo }: Written, sinceMs: number): string | undefined {
  if (rootQuorum !== undefined && (head.rootQuorumSetAtMs ?? 0) > sinceMs) return 'the root quorum'
  if (renamedTo !== undefined && (head.renamedAtMs ?? 0) > sinceMs) return 'the name of the organization'
  return undefined
}

/** A record of another kind changes as one. The list of what waits changes with each vote. */
function changedRecord({ head }: Organization, { changes }: Written, sinceMs: number): string | undefined {
  for (const change of changes.values()) {
    const { kind, recordId, before } = change
    const words = wordsOf(kind, recordId)
    if (before === undefined && wasRemoved(head, change, sinceMs)) return words
    if (before === undefined || !recordKinds[kind].listed || kind === 'pending_activity') continue
    if (rowOf(kind).knownBy === undefined) {
      if (isYounger(before, sinceMs)) return words
      continue
    }
    const written = valuesWritten(change)
    if (written.length === 0) continue
    const isWritten = (one: RecentChange) => written.some((known) => isAbout(one, known))
    const undone = changesSince(before as WithRecentChanges, sinceMs).find(isWritten)
    if (undone !== undefined) return `the ${nameOf(undone)} of ${words}`
  }
  return undefined
}

function nameOf({ what, value }: RecentChange): string {
  return what === tagged && value !== undefined ? `${what} ${value}` : what
}

function wasRemoved(
  { recentRemovals = [] }: Organization['head'],
  { kind, recordId }: Change,
  sinceMs: number,
): boolean {
  return recentRemovals.some((one) => one.kind === kind && one.recordId === recordId && one.atMs > sinceMs)
}

type Change = Written['changes'] extends ReadonlyMap<string, infer C> ? C : never

/** The values that a record gets or loses. One that is deleted goes as a whole. */
function valuesWritten({ kind, before, after }: Change): readonly Known[] {
  const { knownBy } = rowOf(kind)
  if (knownBy === undefined || after === undefined) return []
  return differenceOf(before === undefined ? [] : knownBy(before), knownBy(after))
}

function changedRule(target: Organization, { changes }: Written, sinceMs: number): string | undefined {
  const values = [...changes.values()].flatMap((change) =>
    valuesWritten(change).map((value) => ({ kind: change.kind, isNew: change.before === undefined, value })),
  )
  if (values.length === 0) return undefined
  const go = (tests: readonly AttributeTest[]) => {
    const rules = rulesByValues(tests)
    return tests.length > 0 && values.some((one) => goByValue(rules, one))
  }
  const policy = target.allListed('policy').find((one) => isYounger(one, sinceMs) && go(testsOfPolicy(one)))
  if (policy !== undefined) return wordsOf('policy', policy.policyId)
  const mfaPolicy = target
    .allListed('user')
    .flatMap(({ mfaPolicies = [] }) => mfaPolicies)
    .find((one) => isYounger(one, sinceMs) && go(testsOf(() => compileCondition(one.condition))))
  if (mfaPolicy !== undefined) return `the MFA policy ${mfaPolicy.mfaPolicyId}`
  const profile = target
    .allListed('session_profile')
    .find((one) => isYounger(one, sinceMs) && go(testsOf(() => compileScope(one.scope))))
  return profile && wordsOf('session_profile', profile.sessionProfileId)
}
