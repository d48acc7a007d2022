import type { Pause } from './pause.ts'

/** Long work that stops at each `yield`, so that other requests can be served in between. */
export type Steps<T> = Generator<void, T>

/** Does all steps at once. */
export function finished<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Does the steps with pauses between them. */
export async function inSteps<T>(steps: Steps<T>, pause: Pause): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    await pause()
  }
}

/** Work that is one step. */
// biome-ignore lint/correctness/useYield: it has nothing to stop for
export function* oneStep<T>(work: () => T): Steps<T> {
  return work()
}
