import type { Chance } from '../histories/schedule.ts'

/** What a client may do. */
export type Action =
  | 'sign'
  | 'revoke'
  | 'add a key'
  | 'quorum'
  | 'vote'
  | 'approve by the same bytes'
  | 'guess'
  | 'log in'
  | 'spend'
  | 'spend under a control'
  | 'sub-organization'
  | 'tag'
  | 'import target'
  | 'tags'
  | 'activities'
  | 'keys'
  | 'configuration'

/** How often clients do what, by subject. A few kinds of requests at a time meet more often than all kinds. */
const subjects: readonly { readonly [A in Action]?: number }[] = [
  { sign: 8, revoke: 4, 'add a key': 2, keys: 1 },
  { quorum: 3, tag: 3, 'sub-organization': 3, vote: 10, 'approve by the same bytes': 4, tags: 1, activities: 1 },
  { tag: 4, tags: 4, 'sub-organization': 2, quorum: 1 },
  { guess: 8, revoke: 3 },
  { 'log in': 6, guess: 1 },
  { 'log in': 4, guess: 4, revoke: 5 },
  { spend: 6, tag: 1, revoke: 1 },
  { 'spend under a control': 6, tag: 1, activities: 1 },
  { 'import target': 8, tag: 1, revoke: 1 },
]
const always: { readonly [A in Action]?: number } = { activities: 1, configuration: 1, keys: 1, tags: 1 }

/** How often the clients of one history do what. */
export function weightsBy(chance: Chance): ReadonlyMap<Action, number> {
  const chosen = chance.happens(0.7) ? [chance.pick(subjects)] : [chance.pick(subjects), chance.pick(subjects)]
  const weights = new Map<Action, number>()
  for (const subject of [...chosen, always]) {
    for (const [action, weight] of Object.entries(subject) as [Action, number][]) {
      weights.set(action, (weights.get(action) ?? 0) + 2 * weight)
    }
  }
  return weights
}

/** One of these, at random. */
export function weighted<T>(chance: Chance, weights: ReadonlyMap<T, number>): T {
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
  let left = chance.below(total)
  for (const [one, weight] of weights) {
    if (left < weight) return one
    left -= weight
  }
  throw new Error('there is something to do')
}
