import { nearestWord } from '../../protocol/tools/nearest_word.ts'
import { type Message, message } from './message.ts'

/** Returns a hint such as `; did you mean 'value'?` if a candidate differs by a typing error. */
export function nearest(word: string, candidates: readonly string[]): Message | undefined {
  const found = nearestWord(word, candidates)
  return found === undefined ? undefined : message`; did you mean '${found}'?`
}
