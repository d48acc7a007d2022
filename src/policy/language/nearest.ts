import { editDistance } from '../../protocol/tools/edit_distance.ts'

/** Longer words are no slips of somebody's fingers, and would take long to compare. */
const wordCharactersMax = 40
const slipsMax = 2

/** A hint such as `; did you mean 'value'?` where a candidate is a slip or two away, else nothing. */
export function nearest(word: string, candidates: readonly string[]): string {
  if (word.length > wordCharactersMax) return ''
  const [best] = candidates
    .map((candidate) => ({ candidate, slips: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.slips - b.slips)
  if (best === undefined || best.slips > slipsMax || best.slips >= best.candidate.length) return ''
  return `; did you mean '${best.candidate}'?`
}
