import type { Client } from '../api/client.ts'
import { isUuid } from '../stamping/encoding.ts'
import type { Sessions } from './sessions.ts'

/** The part of the page's address that was for a login. */
export type LoginLink = {
  /** The organization of a link `#/login/ID`. */
  readonly organizationId?: string
  /** Why the login at an issuer did not end well, if one did not. */
  readonly error?: unknown
}

/** Takes a link to a login, or the answer of an issuer, out of the address bar before the first page is shown. */
export async function takeLoginLink(client: Client, sessions: Sessions): Promise<LoginLink> {
  const { hash } = location
  const [, id = ''] = /^#\/login\/([^/?]+)/.exec(hash) ?? []
  if (isUuid(id)) {
    forgetHash()
    return { organizationId: id.toLowerCase() }
  }
  const answer = new URLSearchParams(hash.slice(1))
  if (hash.startsWith('#/') || !answer.has('state')) return {}
  forgetHash()
  try {
    const { comeBack } = await import('./token_logins.ts')
    await sessions.begin(await comeBack(client, answer))
    return {}
  } catch (error) {
    return { error }
  }
}

function forgetHash(): void {
  history.replaceState(null, '', '#/')
}
