import { Failure } from '../../src/protocol/wire/failures.ts'

/** Returns the `Failure` that `run` throws. Throws any other error, and when `run` throws nothing. */
export function failureOf(run: () => unknown): Failure {
  try {
    run()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}

/** Returns the result of `run`, or undefined when it throws a `Failure`. Any other error is a bug and is thrown. */
export function unlessRefused<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
