import { createValue } from '../api/value.ts'
import { isUuid } from '../stamping/encoding.ts'

/**
 * A link that registers a passkey: of `claviger console-link` for a user, of an invitation, or of another page of the
 * console. `privateKey` is the private half of a key of P-256, in 64 hex digits, which works once.
 */
export type Link = {
  readonly way: 'firstStart' | 'invitation' | 'passkey'
  readonly organizationId: string
  /** The user, or the invitation. */
  readonly id: string
  readonly privateKey: string
}

/** By the first part of the path. */
const ways: ReadonlyMap<string, Link['way']> = new Map([
  ['first-start', 'firstStart'],
  ['invitation', 'invitation'],
  ['passkey', 'passkey'],
])

export function createLinks() {
  /** The link that was opened and is not done with. `incomplete`: a part of it is missing. */
  const opened = createValue<Link | 'incomplete' | undefined>(undefined)
  function takeUp(): void {
    const link = linkIn(location.hash)
    if (link === undefined) return
    history.replaceState(null, '', '#/')
    opened.set(link)
  }
  return {
    opened,
    forget: () => opened.set(undefined),
    /** Takes a link out of the address bar and the browser's history. From then on it is in memory alone. */
    start(): void {
      takeUp()
      addEventListener('hashchange', takeUp) // a link that was pasted into an open page
    },
  }
}

/** `undefined`: a path of another kind. */
function linkIn(hash: string): Link | 'incomplete' | undefined {
  const [, name = '', organizationId = '', id = '', privateKey = ''] = hash.split('/')
  const way = hash.startsWith('#/') ? ways.get(name) : undefined
  if (way === undefined) return undefined
  const isWhole = isUuid(organizationId) && isUuid(id) && /^[0-9a-f]{64}$/i.test(privateKey)
  return isWhole ? { way, organizationId, id, privateKey } : 'incomplete'
}
