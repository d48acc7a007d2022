import { withoutEnd } from '../tools/without_end.ts'

/**
 * Returns the address of a server as paths that begin with a slash are put behind it: without a slash at its end.
 * Undefined if it is no http or https address, or has what such an address cannot have: a user, a password, a query, a
 * fragment, or two slashes in a row before the last part of its path.
 */
export function baseUrlOf(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  const { origin, username, password, search, hash } = url
  const path = withoutEnd(url.pathname, '/')
  return `${username}${password}${search}${hash}` === '' && !path.includes('//') ? `${origin}${path}` : undefined
}
