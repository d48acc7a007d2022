import type { Simulation } from '../../operations/simulation.ts'
import { isQuorumComplete } from '../../policy/decide.ts'
import { evaluatePolicies } from '../../policy/evaluate_policies.ts'
import { explain, type TracedExpression } from '../../policy/explain.ts'
import type { CompiledPolicy } from './compiled_policies.ts'
import { type Asked, policyInputOf, type Ruling, rule } from './rules.ts'

/** The id that the answer shows for a draft, which is a policy that does not exist. */
export const draftId = ''

/** The number of clauses that one answer may still show. Without it, policies times activities could show very many. */
export type Room = { clauses: number }

export function roomForClauses(): Room {
  return { clauses: 10_000 }
}

/**
 * Returns the ruling on an activity by these policies. All of them are evaluated, even if the root quorum decides
 * alone. `isTraced` takes the id of a policy and says whether its clauses are shown, as long as there is room.
 */
export function simulatedRuling(
  asked: Asked,
  policies: readonly CompiledPolicy[],
  { isTraced, room }: { readonly isTraced: (policyId: string) => boolean; readonly room: Room },
): Pick<Simulation, 'decision' | 'reason' | 'voterIds' | 'policies'> {
  const ruling = rule(asked, () => policies)
  const isGoverned = typeof asked.bound.operation.policy === 'object'
  const context = policyInputOf(asked)
  // If the policies take too many steps together, there are no evaluations, and the reason says so.
  const askedAnyway = () => (isGoverned ? evaluatePolicies(policies, context) : undefined) ?? []
  const evaluations = ruling.evaluations.length > 0 ? ruling.evaluations : askedAnyway()
  const shown = policies.flatMap((policy, index) => {
    const evaluation = evaluations[index]
    if (evaluation === undefined) return []
    const { because, expressions } = explain(policy, context)
    const traced = isTraced(policy.policyId)
      ? { expressions: expressions.map((each) => expressionView(each, room)) }
      : {}
    return [{ ...evaluation, explanation: because, ...traced }]
  })
  return {
    decision: decisions[ruling.kind],
    reason: reasonOf(ruling, asked),
    voterIds: [...ruling.voterIds],
    policies: shown,
  }
}

const decisions = { allow: 'ALLOW', consensus: 'CONSENSUS', deny: 'DENY' } as const

function reasonOf(ruling: Ruling, { organization, approvals }: Asked): string {
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
