declare const isChecked: unique symbol

/** The id of a record as records have it: in lower case. */
export type Id = string & { readonly [isChecked]: true }

/** Returns an id that does not come from a checked field. */
export function asId(text: string): Id {
  return text.toLowerCase() as Id
}

/** The ids of a list, each once, in the given order. */
export function distinctIds<T extends string>(ids: readonly T[]): T[] {
  return [...new Set(ids)]
}

const isId = Symbol('id')

/** Members for the schema of a text that is the id of something here, or may be one. No document shows the key. */
export const idField = { [isId]: true }

/** Whether texts with this schema are ids. A text of any other field is what somebody wrote, even where it looks like one. */
export function isIdField(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.hasOwn(schema, isId)
}
