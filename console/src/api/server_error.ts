/** The server refused a request. Its message says which field or rule, and how to mend it. */
export class ServerError extends Error {
  override readonly name: string = 'ServerError'
  readonly httpStatus: number

  constructor(httpStatus: number, message: string) {
    super(message)
    this.httpStatus = httpStatus
  }

  /** Reads the answer of a refusal. A proxy may have written another than the server does. */
  static of(httpStatus: number, text: string): ServerError {
    return new ServerError(httpStatus, messageIn(text) ?? `HTTP ${httpStatus}`)
  }
}

/** The server does not accept the key of the session: it has expired, or was removed. */
export class SessionRefused extends ServerError {
  /** The refused key, which may be an older one than the session has by now. */
  readonly publicKey: string

  constructor(publicKey: string, message: string) {
    super(401, message)
    this.publicKey = publicKey
  }
}

/** No answer came. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

function messageIn(text: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    const isAnswer = typeof answer === 'object' && answer !== null && 'message' in answer
    return isAnswer && typeof answer.message === 'string' ? answer.message : undefined
  } catch {
    return undefined
  }
}
