import { onceFor } from './once_for.ts'
import type { Steps } from './steps.ts'

/** Returns a function that calls `make` when it is first called, and returns that value every time. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The same for work in steps, which must end before it is asked for again. */
export function lazilyInSteps<T>(make: () => Steps<T>): () => Steps<T> {
  let made: { readonly value: T } | undefined
  return function* () {
    made ??= { value: yield* make() }
    return made.value
  }
}

/** The same for each key, as `onceFor` keeps values. */
export function onceForInSteps<K extends object, T>(make: (key: K) => Steps<T>): (key: K) => Steps<T> {
  const once = onceFor((key: K) => lazilyInSteps(() => make(key)))
  return (key) => once(key)()
}
