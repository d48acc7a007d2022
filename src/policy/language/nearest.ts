import { editDistance } from '../../protocol/tools/edit_distance.ts'
import { type Message, message } from './message.ts'

/** A longer word is no typing error, and comparing it would take long. */
const wordCharactersMax = 40
const slipsMax = 2

/** Returns a hint such as `; did you mean 'value'?` if a candidate differs by at most two slips. */
export function nearest(word: string, candidates: readonly string[]): Message | undefined {
  if (word.length > wordCharactersMax) return undefined
  const [best] = candidates
    .map((candidate) => ({ candidate, slips: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.slips - b.slips)
  if (best === undefined || best.slips > slipsMax || best.slips >= best.candidate.length) return undefined
  return message`; did you mean '${best.candidate}'?`
}
