import { isUuid } from '../stamping/encoding.ts'
import { beginSession } from './session.tsx'

/**
 * The part of the page's address that is for a login: the organization of a link `#/login/ID`, or the answer of an
 * issuer. It is taken out of the address bar before the first page is shown.
 */
let linkedOrganization: string | undefined
let returnError: unknown

export async function startLoginLinks(): Promise<void> {
  const { hash } = location
  const [, id = ''] = /^#\/login\/([^/?]+)/.exec(hash) ?? []
  if (isUuid(id)) {
    linkedOrganization = id.toLowerCase()
    forgetHash()
    return
  }
  const answer = new URLSearchParams(hash.slice(1))
  if (hash.startsWith('#/') || !answer.has('state')) return
  forgetHash()
  try {
    const { comeBack } = await import('./token_logins.ts')
    await beginSession(await comeBack(answer))
  } catch (error) {
    returnError = error
  }
}

function forgetHash(): void {
  history.replaceState(null, '', '#/')
}

export const organizationOfLink = () => linkedOrganization
/** Why the login at an issuer did not end well, if one did not. */
export const errorOfReturn = () => returnError
