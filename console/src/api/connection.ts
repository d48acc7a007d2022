import { useSyncExternalStore } from 'react'

/** Whether the server answers. The browser knows only whether there is some network at all. */
let isHeard = true
const listeners = new Set<() => void>()

export function heard(): void {
  set(true)
}

export function unheard(): void {
  set(false)
}

/** `offline`: the browser has no network. `unreachable`: it has one, and the last request got no answer. */
export type Connection = 'connected' | 'offline' | 'unreachable'

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, connection)
}

function connection(): Connection {
  if (!navigator.onLine) return 'offline'
  return isHeard ? 'connected' : 'unreachable'
}

function set(next: boolean): void {
  if (next === isHeard) return
  isHeard = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}
