import { signs } from '../../contract/operation.ts'
import type { Claims } from './claims.ts'

export type WhenToRun = {
  /** The organization that the request names, in whose queue it waits; undefined when it names none. */
  readonly queue: string | undefined
  /** The credential that the stamp names, verified or not. */
  readonly credential: string | undefined
  /** Whether the request waits from the start. Any other request waits once it has lost to another commit. */
  readonly waits: boolean
  /** Whether the vault may decide from memory: earlier requests of this kind read the same records. */
  readonly mayRecall: boolean
  /** Whether the operation is known to take long, however small the request is. */
  readonly takesLong: boolean
}

/** All who ask an auth proxy are one credential of the organization, so that they take no turns of its users. */
const proxied = 'auth proxy'

/** Says when a request runs, by what it claims: at once or in a queue, and beside which others. */
export function whenToRun(claims: Claims | undefined): WhenToRun {
  const atOnce = { waits: false, mayRecall: false, takesLong: false }
  if (claims === undefined) return { queue: undefined, credential: undefined, ...atOnce }
  const { organizationId: queue, operation, isAttested, parameters } = claims
  const named = { ...atOnce, queue, credential: claims.credential?.key }
  switch (operation.kind) {
    case 'proxied':
      // A login by an ID token may wait for an issuer, and the questions change nothing.
      return { ...named, credential: proxied, waits: operation.name?.startsWith('otp_') === true }
    case 'query':
      return { ...named, takesLong: operation.takesLong }
    case 'activity': {
      // The vault may wait for an issuer, and a queue would make others wait too. On a later attempt the keys are there.
      const waits = !operation.concurrent && !isAttested && !parameters().hasOidcTokens
      // An attested stamp uses up a token, and used tokens are always read from the database.
      return { ...named, waits, mayRecall: signs(operation) && !isAttested }
    }
  }
}
