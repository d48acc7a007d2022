/** Returns a function that asks once for all who ask before the answer is there. A later one is asked anew. */
export function singleFlight<T>(ask: () => Promise<T>): () => Promise<T> {
  const askOf = singleFlights<undefined, T>(ask)
  return () => askOf(undefined)
}

/** The same, once for each question. `keyOf`: two questions with one key are the same. */
export function singleFlights<Question, T>(
  ask: (question: Question) => Promise<T>,
  keyOf: (question: Question) => unknown = (question) => question,
): (question: Question) => Promise<T> {
  const asked = new Map<unknown, Promise<T>>()
  return (question) => {
    const key = keyOf(question)
    const answer = asked.get(key) ?? ask(question).finally(() => asked.delete(key))
    asked.set(key, answer)
    return answer
  }
}
