import type { BookedHead } from '../booked_head.ts'
import type { CountEntry } from '../entries.ts'

/** A question to the books without whose answer a decision cannot go on. */
export type Wanted =
  | { readonly of: 'head'; readonly organizationId: string }
  | { readonly of: 'take'; readonly organizationId: string; readonly head: BookedHead }
  | { readonly of: 'amounts'; readonly name: string; readonly exceptKey: string | undefined }
  | { readonly of: 'count'; readonly entries: readonly CountEntry[]; readonly seen: ReadonlyMap<string, number> }

/** The decision cannot go on before the books have been asked. It is then made again. It is not a failure. */
export class LookNeeded extends Error {
  override readonly name = 'LookNeeded'
  readonly wanted: Wanted

  constructor(wanted: Wanted) {
    super('the books have to be asked')
    this.wanted = wanted
  }
}
