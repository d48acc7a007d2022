import type { VaultRequest } from '../../link/verbs.ts'
import { errorAnswer, Failure } from '../../protocol/wire/failures.ts'
import { jsonBytes } from '../../protocol/wire/json.ts'

type Source = 'sourceAddress' | 'isLocal' | 'requestId' | 'proxied'

export type Request = Pick<VaultRequest, 'path' | 'body' | 'stamps' | 'dialect' | Source>

/**
 * `organizationId` and `activityId` are for the log: the organization that the request names, and the activity that it
 * made or changed. `userId`: whose stamp the vault has verified.
 */
export type Answer = {
  readonly status: number
  readonly body: Uint8Array
  readonly retryAfterSeconds?: number
  readonly organizationId?: string
  readonly activityId?: string
  readonly userId?: string
}

/**
 * `endsMs`: when the client is told that it took too long, by `performance.now()`. `onVerified`: called when the vault has
 * verified the stamp. `goesOn`: it will be asked again, once the promise resolves.
 */
export type TimedRequest = Request &
  Pick<VaultRequest, 'organizationId' | 'credential'> & {
    readonly endsMs: number
    readonly onVerified: (userId: string, step: { readonly goesOn: boolean }) => Promise<void>
  }

/** Larger bodies begin in a turn of the event loop each. The answer about a larger activity may delay small ones. */
export const smallBytesMax = 65_536
/** How long a request may take until its answer is known, waiting for its turn included. */
export const answerMsMax = 10_000

export function unavailable(reason: string): Answer {
  const failure = new Failure('UNAVAILABLE', reason)
  return { status: failure.httpStatus, body: jsonBytes(errorAnswer(failure)), retryAfterSeconds: 1 }
}
