import { useSyncExternalStore } from 'react'

/** A value that changes outside of components. Those that look at it by `useValue` are drawn anew. */
export type Value<T> = ReturnType<typeof createValue<T>>

export function createValue<T>(first: T) {
  let value = first
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next: T): void {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function useValue<T>({ subscribe, get }: Pick<Value<T>, 'subscribe' | 'get'>): T {
  return useSyncExternalStore(subscribe, get)
}
