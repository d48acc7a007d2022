/** Returns a function that asks once for all who ask before the answer is there. A later one is asked anew. */
export function singleFlight<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined
    })
    return asked
  }
}
