import { editDistance } from './edit_distance.ts'

/** A longer word is no typing error, and comparing it would take long. */
const wordCharactersMax = 64
const slipsMax = 2

/** Returns the candidate that is most like the word, if they differ by at most two slips. Case does not count. */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > wordCharactersMax) return undefined
  const [best] = [...candidates]
    .map((candidate) => ({ candidate, slips: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.slips - b.slips)
  if (best === undefined || best.slips > slipsMax || best.slips >= best.candidate.length) return undefined
  return best.candidate
}
