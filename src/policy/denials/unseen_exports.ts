import type { Steps } from '../../protocol/tools/steps.ts'
import type { CompiledPolicy } from '../decision/policy_evaluator.ts'
import { exportRequests } from './activity_shapes.ts'
import { isUnseen, namesSigning } from './gaps.ts'
import { joined } from './operands.ts'
import { knownValue, unreadableIn } from './reads.ts'
import { type Deputies, isCovered, plainOperands, type Unseen, unseenInParts } from './unseen.ts'

/**
 * Returns the exports that a rule about signatures cannot see, and that none of `others` sees in its place. A key
 * that was exported signs without the rule.
 */
export function* unseenExports(
  guard: CompiledPolicy,
  others: readonly CompiledPolicy[],
  lesser: Deputies['lesser'] = new Set(),
): Steps<readonly Unseen[]> {
  return yield* unseenInParts(guard, { rules: others, lesser }, unseenByOne)
}

function* unseenByOne(guard: CompiledPolicy, deputies: Deputies): Steps<readonly Unseen[]> {
  const root = guard.condition?.root
  if (root === undefined || !namesSigning(root)) return []
  const unseen: Unseen[] = []
  for (const { name, shape, clause, uncertain } of exportRequests) {
    yield
    if (!isUnseen(root, shape)) continue
    const plain = plainOperands(guard, [shape], uncertain)
    if (yield* isCovered(deputies, shape, new Set(plain.map(({ text }) => text)))) continue
    const kept = plain.filter(({ expression }) => knownValue(expression, shape) !== true)
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
