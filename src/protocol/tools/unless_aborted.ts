/**
 * Waits for something, but no longer than until the signal: then it rejects with `reason`. Its listener ends with it, so
 * that a signal which outlives thousands of these keeps nothing of them.
 */
export function unlessAborted<T>(signal: AbortSignal, asked: Promise<T>, reason: () => unknown): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const end = () => aborted.reject(reason())
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  return Promise.race([asked, aborted.promise]).finally(() => signal.removeEventListener('abort', end))
}
