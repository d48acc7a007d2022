import { editDistance } from '../../protocol/tools/edit_distance.ts'

/** The candidate with the smallest edit distance from `word`. */
export function nearestOf(word: string, candidates: readonly string[]): string | undefined {
  return candidates.toSorted((a, b) => editDistance(word, a) - editDistance(word, b))[0]
}
