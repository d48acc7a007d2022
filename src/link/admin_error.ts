/** The operator made a mistake, or no server answers; the message says which. */
export class AdminError extends Error {
  override readonly name: string = 'AdminError'
}

/** No server is running on the data folder. */
export class AdminUnreachable extends AdminError {
  override readonly name = 'AdminUnreachable'
}
