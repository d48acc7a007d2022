import pg from 'pg'

/**
 * Codes with which the server ends the connection: a broken protocol, an operator, a crash, a dropped database, and
 * limits of a session or a transaction. The severity says nothing: it comes in the language of the server.
 */
const endingCodes = /^(?:08|57P0|25P03|25P04)/

/** Whether the server ends the connection with this error. */
export function isEnding(error: unknown): boolean {
  return error instanceof pg.DatabaseError && endingCodes.test(error.code ?? '')
}

/** The error code of the server (SQLSTATE); undefined when the connection failed and not a statement. */
export function stateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && !isEnding(error) ? error.code : undefined
}

/** The answers to statements behind one that failed in a transaction: it is aborted, and nothing is prepared there. */
const consequences: readonly (string | undefined)[] = ['25P02', '26000']

/** Whether a statement failed because one before it in its transaction has failed. */
export function isConsequence(error: unknown): boolean {
  return consequences.includes(stateOf(error))
}

/**
 * Waits for the answers to all that was sent, given in that order. A failed statement makes those behind it fail too,
 * so the first cause is thrown.
 * @throws Error of the statement that failed.
 */
export async function answered(sent: readonly Promise<unknown>[]): Promise<void> {
  const reasons = (await Promise.allSettled(sent)).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (reasons.length === 0) return
  throw reasons.find((reason) => !isConsequence(reason)) ?? reasons[0]
}
