import type { Steps } from '../../protocol/tools/steps.ts'
import type { CompiledPolicy } from '../decision/evaluate_policies.ts'
import { activityShapes, exportRequests } from './activity_shapes.ts'
import { isTrueOf, joined, operandsOf } from './operands.ts'
import { knownValue, unreadableIn } from './reads.ts'
import { isUnseen, namesSigning, plainOperands, type Unseen } from './unseen.ts'
import { mayBeTrue } from './values.ts'

/**
 * Returns the exports that a rule about signatures cannot see, and that none of `others` sees in its place. A key
 * that was exported signs without the rule.
 */
export function* unseenExports(guard: CompiledPolicy, others: readonly CompiledPolicy[]): Steps<readonly Unseen[]> {
  const root = guard.condition?.root
  if (root === undefined || !namesSigning(root)) return []
  const unseen: Unseen[] = []
  for (const { name, shape, clause } of exportRequests) {
    yield
    const isSeen = () => others.some((other) => other !== guard && isTrueOf(other, shape, new Set()))
    if (!isUnseen(root, shape) || isSeen()) continue
    const kept = plainOperands(guard, [{ ...shape, signer: undefined }], { name }).filter(
      ({ expression }) => knownValue(expression, shape) !== true,
    )
    unseen.push({
      requests: name,
      missingFields: [...unreadableIn(root, shape)],
      clause: joined(
        [clause],
        kept.map(({ text }) => text),
      ),
    })
  }
  return unseen
}

/**
 * Whether a rule is true of every request of which another one may be, by the kinds of activities and by the parts that
 * both have. False also where it is not certain, and for a rule that is about no activity.
 */
export function* holdsWhenever(rule: CompiledPolicy, other: CompiledPolicy): Steps<boolean> {
  const shared = new Set(operandsOf(other).map(({ text }) => text))
  const own = operandsOf(rule).filter(({ text }) => !shared.has(text))
  const { condition } = other
  let isAny = false
  for (const shape of activityShapes) {
    yield
    if (condition !== undefined && !mayBeTrue(condition.root, shape)) continue
    if (own.some(({ expression }) => knownValue(expression, shape) !== true)) return false
    isAny = true
  }
  return isAny
}
