/** The operator made a mistake, or no server answers; the message says which. */
export class AdminError extends Error {
  override readonly name: string = 'AdminError'
}

/** Nobody answers on a socket. */
export class AdminUnreachable extends AdminError {
  override readonly name = 'AdminUnreachable'
}
