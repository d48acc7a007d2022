import type { Failure } from '../../protocol/wire/failures.ts'

/** A refusal whose changes are written all the same: a wrong passcode must be counted. It makes no activity. */
export class RefusalWithChanges extends Error {
  override readonly name = 'RefusalWithChanges'
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}
