import type { Approvals } from '../decision/policy_evaluator.ts'
import type { Struct } from '../language/expression_values.ts'
import { evaluate } from '../language/running/evaluate.ts'
import { type Budget, within } from '../language/running/run.ts'
import { type Expression, everyPart, partsOf } from '../language/syntax.ts'

/** The approvals of one user, and those of everybody else, each with all credentials. */
export type Possible = { readonly theirs: Approvals; readonly others: () => Approvals }

/**
 * Whether a consensus expression speaks of a user, and so gives the user a vote: one of its predicates over `approvers`
 * or `credentials` holds for the user or one of the user's credentials, alone or beside everybody else. An expression
 * that uses these lists without a predicate, such as `approvers.count() >= 2`, speaks of everybody. So does one that takes
 * more steps than the budget has: a vote that no rule needs counts for nothing, and one that is missing stops what waits.
 */
export function isSpokenOf(consensus: Expression, possible: Possible, budget: Budget): boolean {
  return speaksOf(consensus, { possible, items: {}, isNegated: false, budget })
}

/** Whether a consensus names `credentials`. Then further credentials of users who have approved may matter to it. */
export function namesCredentials(consensus: Expression): boolean {
  return [...everyPart(consensus)].some((part) => isListOfApprovals(part) && part.name === 'credentials')
}

type Place = {
  readonly possible: Possible
  /** The items of written lists that tests around the expression name. */
  readonly items: Struct
  readonly isNegated: boolean
  readonly budget: Budget
}

function speaksOf(consensus: Expression, asked: Place): boolean {
  const { budget, items } = asked
  budget.meter.steps += 1
  if (budget.meter.steps > budget.stepsMax || isListOfApprovals(consensus)) return true
  if (consensus.kind === 'not') return speaksOf(consensus.operand, { ...asked, isNegated: !asked.isNegated })
  const isJoined = consensus.kind === 'and' || consensus.kind === 'or'
  const isIn = (part: Expression) => speaksOf(part, isJoined ? asked : { ...asked, isNegated: false })
  if (consensus.kind !== 'predicate') return partsOf(consensus).some(isIn)
  const { of, variable, body } = consensus
  if (of.kind === 'list') {
    return of.items.some(
      (item) => item.kind !== 'string' || speaksOf(body, { ...asked, items: { ...items, [variable]: item.value } }),
    )
  }
  if (!isListOfApprovals(of)) return partsOf(consensus).some(isIn)
  // How many approve is no matter of one user.
  if ([...everyPart(body)].some((part) => part.kind === 'count' && isListOfApprovals(part.of))) return true
  return holdsOf(consensus, of.name, asked)
}

type Predicate = Expression & { readonly kind: 'predicate' }

/** Whether a predicate holds for an item of the user's. That not all do what it says, it says of those who do not. */
function holdsOf({ variable, body, method }: Predicate, list: keyof Approvals, asked: Place): boolean {
  const { possible, items, budget, isNegated } = asked
  const isOfOthers = isNegated && method === 'all'
  const holds = (item: Struct, approvals: Approvals) => {
    const told = evaluate(body, within(budget, { keywords: { ...approvals, ...items, [variable]: item } }))
    return told.kind === 'value' ? told.value === !isOfOthers : told.code === 'TOO_MANY_STEPS'
  }
  const { theirs } = possible
  if (theirs[list].some((item) => holds(item, theirs))) return true
  if (![...everyPart(body)].some(isListOfApprovals)) return false
  // It relates the user to others who approve, who may have done so before.
  const others = possible.others()
  budget.meter.steps += others.approvers.length + others.credentials.length
  if (budget.meter.steps > budget.stepsMax) return true
  const together = {
    approvers: [...others.approvers, ...theirs.approvers],
    credentials: [...others.credentials, ...theirs.credentials],
  }
  return theirs[list].some((item) => holds(item, together))
}

function isListOfApprovals(expression: Expression): expression is Expression & { readonly name: keyof Approvals } {
  return expression.kind === 'name' && (expression.name === 'approvers' || expression.name === 'credentials')
}
