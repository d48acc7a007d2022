import type { DecisionBooks } from '../books/decision_books.ts'
import type { MadeHead } from './draft/changes.ts'
import { headBytesPerSealedByte } from './open_head.ts'

/** A decision that has left the vault without its answer. */
export type HeldDecision = {
  readonly status: number
  readonly body: Uint8Array
  readonly made: readonly MadeHead[]
}

/**
 * The held decisions: decisions that make heads, until the service says what became of their commits. Their answers
 * stay in the vault for that time, so nobody can give an answer out before its heads are on the books.
 */
export type HeldDecisions = {
  /** Holds a decision. Returns the id by which the service confirms it. */
  hold(decision: HeldDecision): string
  /** Removes and returns a decision. Returns undefined if this vault does not hold it. */
  take(decisionId: string): HeldDecision | undefined
  /** Drops all decisions, as a new start of the vault does. */
  clear(): void
}

/**
 * More than a service has in flight. Beyond either bound the oldest decision is dropped, as a new start would drop it.
 */
const heldMax = 16_384
const heldBytesMax = 256 * 1024 * 1024

export function createHeldDecisions(books: Pick<DecisionBooks, 'dismiss'>, newId: () => string): HeldDecisions {
  const decisions = new Map<string, HeldDecision>()
  let heldBytes = 0

  function drop(decisionId: string): HeldDecision | undefined {
    const decision = decisions.get(decisionId)
    if (decisions.delete(decisionId)) heldBytes -= bytesOf(decision)
    return decision
  }

  return {
    hold(decision) {
      const decisionId = newId()
      decisions.set(decisionId, decision)
      heldBytes += bytesOf(decision)
      for (const oldest of decisions.keys()) {
        if (oldest === decisionId || (decisions.size <= heldMax && heldBytes <= heldBytesMax)) break
        books.dismiss(tagsOf(drop(oldest)))
      }
      return decisionId
    },
    take: drop,
    clear() {
      for (const decisionId of decisions.keys()) books.dismiss(tagsOf(drop(decisionId)))
    },
  }
}

function bytesOf(decision: HeldDecision | undefined): number {
  if (decision === undefined) return 0
  return decision.made.reduce(
    (sum, { sealedBytes }) => sum + sealedBytes * headBytesPerSealedByte,
    decision.body.length,
  )
}

export function tagsOf(decision: Pick<HeldDecision, 'made'> | undefined): readonly string[] {
  return decision?.made.map(({ tag }) => tag) ?? []
}
