/**
 * Why a text is no expression of the policy language, and where. Never leaves this folder: `policy_expressions.ts` makes
 * a `Failure` of it.
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
