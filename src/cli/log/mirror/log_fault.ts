/** A log that does not verify. `isFork`: it shows another history than it showed before, and the copy has the proof. */
export class LogFault extends Error {
  override readonly name = 'LogFault'
  readonly isFork: boolean

  constructor(message: string, { isFork = false }: { readonly isFork?: boolean } = {}) {
    super(message)
    this.isFork = isFork
  }
}
