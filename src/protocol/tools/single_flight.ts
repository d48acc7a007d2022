/** Returns a function that asks once for all who ask before the answer is there. A later one is asked anew. */
export function singleFlight<T>(ask: () => Promise<T>): () => Promise<T> {
  const askOf = singleFlights<undefined, T>(ask)
  return () => askOf(undefined)
}

/** The same, once for each key. */
export function singleFlights<Key, T>(ask: (key: Key) => Promise<T>): (key: Key) => Promise<T> {
  const asked = new Map<Key, Promise<T>>()
  return (key) => {
    const answer = asked.get(key) ?? ask(key).finally(() => asked.delete(key))
    asked.set(key, answer)
    return answer
  }
}
