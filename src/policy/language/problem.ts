import { type Message, textOf } from './message.ts'

/**
 * The reason why a text is no expression of the policy language, and the place. Never leaves this folder:
 * `policy_expressions.ts` turns it into a `Failure`.
 */
export class Problem extends Error {
  override readonly name = 'Problem'
  /** In UTF-16 units from the start of the text; a column is one more. */
  readonly offset: number
  /** `message` is its English text. */
  readonly reason: Message

  constructor(offset: number, reason: Message) {
    super(textOf(reason))
    this.offset = offset
    this.reason = reason
  }
}
