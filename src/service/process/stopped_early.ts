/** A signal has ended the server before it was ready. */
export class StoppedEarly extends Error {
  override readonly name = 'StoppedEarly'

  constructor(signal: NodeJS.Signals) {
    super(`${signal} has ended the start`)
  }
}
