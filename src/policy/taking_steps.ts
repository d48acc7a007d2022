import { isDeepStrictEqual } from 'node:util'
import type { AuthenticationStep } from './authentication_methods.ts'
import { isOneOf, type Proof, takes } from './mfa.ts'

/** Steps as bits: that of the first one is 1, that of the second one 2. A policy has at most ten. */
type StepSet = number

const bitOf = (index: number): StepSet => 1 << index

/**
 * Returns the indices of the steps that nobody takes who has no other factors than those of these proofs, each of which
 * may be given again and again. A step that can be taken beside the ones before it is none of them.
 */
export function stepsNobodyTakes(steps: readonly AuthenticationStep[], proofs: readonly Proof[]): readonly number[] {
  const together = takenTogether(factorsIn(proofs).map((own) => choicesOf(own, steps)))
  let taken: StepSet = 0
  return [...steps.keys()].filter((index) => {
    const next = taken | bitOf(index)
    const isTaken = together.some((set) => (set & next) === next)
    if (isTaken) taken = next
    return !isTaken
  })
}

/**
 * Whether who takes these steps has taken each of the others by a step of its own. `proofs`: those of the credentials of
 * the user. A step whose factor may take another step too stands for one alone that names the same credential.
 */
export function isAsStrong(
  steps: readonly AuthenticationStep[],
  others: readonly AuthenticationStep[],
  proofs: readonly Proof[],
): boolean {
  if (isDeepStrictEqual(steps, others)) return true
  const shared = factorsIn(proofs)
    .flatMap((own) => choicesOf(own, steps))
    .filter((set) => !isSingle(set))
    .reduce((all, set) => all | set, 0)
  const choices = steps.map(({ any }, index) => {
    const isShared = (shared & bitOf(index)) !== 0
    const standsFor = (other: AuthenticationStep) =>
      any.every((method) => other.any.some((asked) => isOneOf(asked, method) && (!isShared || asked.id !== undefined)))
    return others.flatMap((other, place) => (standsFor(other) ? [bitOf(place)] : []))
  })
  return takenTogether(choices).includes(bitOf(others.length) - 1)
}

/** The proofs of each factor. A proof without one is a new factor each time. */
function factorsIn(proofs: readonly Proof[]): readonly (readonly Proof[])[] {
  return [...Map.groupBy(proofs, (proof) => proof.factor ?? proof).values()]
}

/** The sets of steps that one factor can take. The proof that takes the first of them decides about the later ones. */
function choicesOf(own: readonly Proof[], steps: readonly AuthenticationStep[]): readonly StepSet[] {
  const stepsWhere = (isTaken: (step: AuthenticationStep) => boolean): StepSet =>
    steps.reduce((set, step, index) => (isTaken(step) ? set | bitOf(index) : set), 0)
  const choices = own.flatMap((proof) => {
    const alone = stepsWhere((step) => takes(step, proof, []))
    const again = stepsWhere((step) => own.some((other) => takes(step, other, [proof])))
    const firsts = [...steps.keys()].filter((index) => (alone & bitOf(index)) !== 0)
    return firsts.map((first) => bitOf(first) | (again & ~(bitOf(first + 1) - 1)))
  })
  return [...new Set(choices)]
}

/** The sets of steps that several can take, if each takes those of one of its choices. */
function takenTogether(choicesOfEach: readonly (readonly StepSet[])[]): readonly StepSet[] {
  const all = choicesOfEach.flat().reduce((union, choice) => union | choice, 0)
  const sets: StepSet[] = [0]
  const isKnown = new Uint8Array(all + 1)
  for (const choices of choicesOfEach) {
    // More cannot be taken.
    if (isKnown[all] === 1) break
    for (const set of sets.slice()) {
      for (const choice of choices) {
        const both = set | choice
        if (isKnown[both] === 0) sets.push(both)
        isKnown[both] = 1
      }
    }
  }
  return sets
}

function isSingle(set: StepSet): boolean {
  return (set & (set - 1)) === 0
}
