import { useValue } from '../api/value.ts'
import type { Session } from '../stamping/key_store.ts'
import { useConsole } from './console.ts'

/** The session of a page, which is only shown to somebody who is logged in. */
export function useSession(): Session {
  const current = useValue(useConsole().sessions.state)
  if (current.kind === 'out') throw new Error('this page is shown to nobody who is logged out')
  return current.session
}
