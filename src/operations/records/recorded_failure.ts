import type { Failure } from '../../protocol/wire/failures.ts'

/**
 * A refusal that writes what the operation has changed so far all the same: a wrong passcode is counted. There is no
 * activity of it.
 */
export class RecordedFailure extends Error {
  override readonly name = 'RecordedFailure'
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}
