import { createValue } from './value.ts'

/** `offline`: the browser has no network. `unreachable`: it has one, and the last request got no answer. */
type State = 'connected' | 'offline' | 'unreachable'

export type Connection = ReturnType<typeof createConnection>

/** Whether the server answers. The browser knows only whether there is some network at all. */
export function createConnection() {
  const isHeard = createValue(true)
  return {
    heard: () => isHeard.set(true),
    unheard: () => isHeard.set(false),
    get(): State {
      if (!navigator.onLine) return 'offline'
      return isHeard.get() ? 'connected' : 'unreachable'
    },
    subscribe(listener: () => void): () => void {
      const over = new AbortController()
      addEventListener('online', listener, over)
      addEventListener('offline', listener, over)
      const unsubscribe = isHeard.subscribe(listener)
      return () => {
        over.abort()
        unsubscribe()
      }
    },
  }
}
