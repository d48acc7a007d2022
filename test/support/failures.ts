import { Failure } from '../../src/protocol/wire/failures.ts'

/** The refusal that this ends in. Throws whatever else was thrown, and when nothing was. */
export function failureOf(run: () => unknown): Failure {
  try {
    run()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}

/** What it gives; undefined when it refuses. Throws whatever else was thrown: that is what a test looks for. */
export function unlessRefused<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
