declare const isId: unique symbol

/** The id of a record as records have it: in lower case. */
export type Id = string & { readonly [isId]: true }

/** Returns an id that does not come from a checked field. */
export function asId(text: string): Id {
  return text.toLowerCase() as Id
}

/** The ids of a list, each once, in the given order. */
export function distinctIds<T extends string>(ids: readonly T[]): T[] {
  return [...new Set(ids)]
}
