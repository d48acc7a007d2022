import { failures, passingFailures } from './failure_table.ts'

export type FailureCode = keyof typeof failures

type FailureDetail = {
  /** The faulty field, as a path from the body's root: `parameters.accounts[2].path`. */
  readonly fieldPath?: string
  /** The right value, as a sentence part: `a UUID`. */
  readonly expected?: string
  /** Further text after the table's message. Never contains a secret or internals of the server. */
  readonly reason?: string
  /** The reason why the rules denied the request, for programs to read. */
  readonly denied?: Denial
  readonly cause?: unknown
}

type Denial = {
  readonly reason: string
  /**
   * For callers who may read policies: `explanation` says which clause decided, and `unseen` why a policy that denies
   * could not see the request.
   */
  readonly evaluations: readonly {
    readonly policyId: string
    readonly outcome: string
    readonly explanation?: string | undefined
    readonly unseen?: object | undefined
  }[]
}

/** A refusal that the caller caused and can correct. Its message goes to the caller, its cause to the log only. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: FailureCode
  readonly fieldPath: string | undefined
  readonly expected: string | undefined
  readonly denied: Denial | undefined

  /** A text alone is the reason. */
  constructor(code: FailureCode, given: FailureDetail | string = {}) {
    const detail = typeof given === 'string' ? { reason: given } : given
    super(messageOf(code, detail), { cause: detail.cause })
    this.code = code
    this.fieldPath = detail.fieldPath
    this.expected = detail.expected
    this.denied = detail.denied
  }

  get httpStatus(): number {
    return failures[this.code].httpStatus
  }

  /** Whether the same request may be taken later, because time alone brings room or a service back. */
  get isPassing(): boolean {
    return passingFailures.includes(this.code)
  }
}

/** Returns the failure of one field, with what is right there as a sentence part: `a UUID`. */
export function fieldInvalid(fieldPath: string, expected: string): Failure {
  return new Failure('FIELD_INVALID', { fieldPath, expected })
}

/** Returns the failure of one field, with what is wrong there. */
export function fieldRefused(fieldPath: string, reason: string): Failure {
  return new Failure('FIELD_INVALID', { fieldPath, reason })
}

/** Returns what `make` returns, or the failure that it throws. Any other error is thrown. */
export function orFailure<T>(make: () => T): T | Failure {
  try {
    return make()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

function messageOf(code: FailureCode, { fieldPath, expected, denied, reason = denied?.reason }: FailureDetail): string {
  const field = fieldPath === undefined ? [] : [expected === undefined ? fieldPath : `${fieldPath} must be ${expected}`]
  const rest = [...field, ...(reason === undefined ? [] : [reason])].join(': ')
  const { message } = failures[code]
  if (rest === '') return message
  // Clients match on the whole sentence, its full stop included, so a sentence of its own follows.
  if (message.endsWith('.')) return `${message} ${fieldPath === undefined ? 'Reason: ' : ''}${rest}`
  return `${message}: ${rest}`
}

/** The error body of the interface: `{ code, message, details, turnkeyErrorCode? }`. */
export type ErrorAnswer = {
  readonly code: number
  readonly message: string
  readonly details: readonly unknown[]
  readonly turnkeyErrorCode?: string
}

export function errorAnswer(failure: Failure): ErrorAnswer {
  const { grpcCode, turnkeyErrorCode } = failures[failure.code]
  const category =
    turnkeyErrorCode === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/errors.v1.TurnkeyErrorDetail', turnkeyErrorCode }]
  const violation =
    failure.fieldPath === undefined
      ? []
      : [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ field: failure.fieldPath, description: failure.expected ?? failure.message }],
          },
        ]
  const denial =
    failure.denied === undefined
      ? []
      : [
          {
            '@type': 'type.googleapis.com/errors.v1.PolicyEnginePermissionError',
            message: failure.denied.reason,
            policyEvaluations: failure.denied.evaluations,
          },
        ]
  return {
    code: grpcCode,
    message: failure.message,
    details: [...category, ...violation, ...denial],
    ...(turnkeyErrorCode === undefined ? {} : { turnkeyErrorCode }),
  }
}
