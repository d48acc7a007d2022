import type { Steps } from '../../protocol/tools/steps.ts'
import type { Approvals } from '../decision/policy_evaluator.ts'
import { type CompiledExpression, guardHolds } from '../decision/policy_expressions.ts'
import { within } from '../language/running/run.ts'
import { everyPart } from '../language/syntax.ts'
import { hourMs } from '../language/time/durations.ts'

const hoursOfMonth = 31 * 24

/** A month takes fewer for one written window, and for two. */
const stepsMax = 10_000_000

/**
 * Whether a denial with this time is active at each full hour of a month, which begins now or at one of its timestamps.
 * Windows that close in between leave a way past it. One that takes too many steps counts as active, as in a decision.
 */
export function* isActiveForLong(time: CompiledExpression, nowMs: number): Steps<boolean> {
  const budget = { stepsMax, meter: { steps: 0 } }
  for (const fromMs of beginningsIn(time, nowMs)) {
    let isActive = true
    for (const atMs of hoursFrom(fromMs)) {
      yield
      isActive = guardHolds(time, within(budget, { keywords: { time: { now: BigInt(atMs) } } })) === true
      if (!isActive) break
    }
    if (isActive) return true
  }
  return false
}

function hoursFrom(fromMs: number): readonly number[] {
  const hour = Math.ceil(fromMs / hourMs)
  return [fromMs, ...Array.from({ length: hoursOfMonth }, (_, index) => (hour + index) * hourMs)]
}

/** Now, and just after each timestamp that is still to come. */
function beginningsIn({ root }: CompiledExpression, nowMs: number): readonly number[] {
  const written = [...everyPart(root)].flatMap((part) => (part.kind === 'timestamp' ? [Number(part.timeMs) + 1] : []))
  return [nowMs, ...new Set(written.filter((atMs) => atMs > nowMs))]
}

type Users = readonly { readonly ways: readonly Approvals[] }[]

/** So many users are tried together at most, beside all of them. */
const togetherMax = 10

/**
 * Whether the consensus of a denial is true whoever approves: of each of the users alone, by whichever of the approvals
 * that the user can give, and of several together. One that takes too many steps counts as true, as in a decision.
 */
export function* isTrueOfAll(consensus: CompiledExpression, users: Users): Steps<boolean> {
  const budget = { stepsMax, meter: { steps: 0 } }
  // A user without a credential approves nothing.
  const able = users.map(({ ways }) => ways.filter(({ approvers }) => approvers.length > 0)).filter(isAny)
  const counts = new Set([...Array.from({ length: togetherMax }, (_, index) => index + 1), able.length])
  const groups = [...counts].map((count) => together(able.slice(0, count).flatMap(([all]) => all ?? [])))
  for (const keywords of [...able.flat(), ...groups]) {
    yield
    if (guardHolds(consensus, within(budget, { keywords })) !== true) return false
  }
  return true
}

function isAny(ways: readonly Approvals[]): boolean {
  return ways.length > 0
}

/** The first of the ways of each user is that with all credentials. */
function together(approvals: readonly Approvals[]): Approvals {
  return {
    approvers: approvals.flatMap(({ approvers }) => approvers),
    credentials: approvals.flatMap(({ credentials }) => credentials),
  }
}
