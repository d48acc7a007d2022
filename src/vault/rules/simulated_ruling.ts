import { unseenView } from '../../contract/policy_check.ts'
import { draftId } from '../../contract/policy_draft.ts'
import type { Simulation } from '../../contract/simulation.ts'
import type { CompiledPolicy } from '../../deciding/rules/compiled_policies.ts'
import { evaluatePolicies } from '../../deciding/rules/evaluate_policies.ts'
import { policyInputOf, type RuleQuestion, type Ruling, rule } from '../../deciding/rules/rules.ts'
import { explainAll, type TracedExpression } from '../../policy/about_rules/explain.ts'
import { isQuorumComplete } from '../../policy/decision/decide.ts'

/** The number of clauses that one answer may still show. Without it, policies times activities could show very many. */
export type Room = { clauses: number }

export function roomForClauses(): Room {
  return { clauses: 10_000 }
}

/**
 * Returns the ruling on an activity by these policies. All of them are evaluated, even if the root quorum decides
 * alone. `isTraced` takes the id of a policy and says whether its clauses are shown, as long as there is room.
 */
export async function simulatedRuling(
  asked: RuleQuestion,
  policies: readonly CompiledPolicy[],
  { isTraced, room }: { readonly isTraced: (policyId: string) => boolean; readonly room: Room },
): Promise<Pick<Simulation, 'decision' | 'reason' | 'voterIds' | 'smartContractInterfaceIds' | 'policies'>> {
  const ruling = await rule(asked, policies)
  const isGoverned = typeof asked.bound.operation.policy === 'object'
  await asked.pause()
  const context = policyInputOf(asked)
  await asked.pause()
  // If the policies take too many steps together, there are no evaluations, and the reason says so.
  const askedAnyway = async () => (isGoverned && (await evaluatePolicies(policies, context, asked))) || []
  const evaluations = ruling.evaluations.length > 0 ? ruling.evaluations : await askedAnyway()
  const { pause, meter } = asked
  const explanations =
    evaluations.length === 0 ? [] : await explainAll(policies, context, { evaluations, pause, meter })
  const shown = policies.flatMap((policy, index) => {
    const [evaluation, explanation] = [evaluations[index], explanations[index]]
    if (evaluation === undefined || explanation === undefined) return []
    const { because, expressions, unseen } = explanation
    const traced = isTraced(policy.policyId)
      ? { expressions: expressions.map((each) => expressionView(each, room)) }
      : {}
    return [
      {
        ...evaluation,
        explanation: because,
        ...traced,
        ...(unseen === undefined ? {} : { unseen: unseenView(unseen) }),
      },
    ]
  })
  const smartContractInterfaceIds = asked.smartContractInterfaceIds()
  return {
    decision: decisions[ruling.kind],
    reason: reasonOf(ruling, asked),
    voterIds: [...ruling.voterIds],
    ...(smartContractInterfaceIds.length === 0 ? {} : { smartContractInterfaceIds: [...smartContractInterfaceIds] }),
    policies: shown,
  }
}

const decisions = { allow: 'ALLOW', consensus: 'CONSENSUS', deny: 'DENY' } as const

function reasonOf(ruling: Ruling, { organization, approvals }: RuleQuestion): string {
  if (ruling.kind === 'deny') return ruling.reason
  if (ruling.kind === 'consensus') return 'it would wait for the approval of others'
  const allowing = ruling.evaluations.filter(({ outcome }) => outcome === 'OUTCOME_ALLOW')
  if (allowing.length > 0) {
    const names = allowing.map(({ policyId }) => (policyId === draftId ? 'the draft' : policyId))
    return `allowed by these policies: ${names.join(', ')}`
  }
  const { rootQuorum } = organization.head
  const isByQuorum = isQuorumComplete({ rootQuorum, approverIds: approvals.map(({ user }) => user.userId) })
  return isByQuorum ? 'the root quorum approves' : 'users may change their own credentials'
}

function expressionView({ kind, text, verdict, clauses }: TracedExpression, room: Room) {
  const shown = clauses.slice(0, room.clauses)
  room.clauses -= shown.length
  const result =
    verdict.kind === 'error' ? `error: column ${verdict.column}: ${verdict.message}` : String(verdict.value)
  return { kind, text, result, clauses: shown }
}
