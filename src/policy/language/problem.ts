/**
 * The reason why a text is no expression of the policy language, and the place. Never leaves this folder:
 * `policy_expressions.ts` turns it into a `Failure`.
 */
export class Problem extends Error {
  override readonly name = 'Problem'
  /** In UTF-16 units from the start of the text; a column is one more. */
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}
