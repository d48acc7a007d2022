import type { Static, TObject } from 'typebox'

type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T

/** An optional member may be undefined. */
type Members<T> = { readonly [K in keyof T]: Frozen<T[K]> | (object extends Pick<T, K> ? undefined : never) }

/** The members that the schema of an answer names, in its order. Those that are undefined are left out. */
export function shown<S extends TObject>(schema: S, members: Members<Static<S>>): Static<S> {
  const named = Object.keys(schema.properties).map((name) => [name, Reflect.get(members, name)] as const)
  return Object.fromEntries(named.filter(([, member]) => member !== undefined)) as Static<S>
}
