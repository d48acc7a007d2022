/** The value that a text or bytes stand for, or why they stand for none. */
export type Reading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'malformed'; readonly reason: string }

/** Never leaves this room: `reading` turns it into a value. */
export class Malformed extends Error {}

/** Reads something by a function that throws `Malformed`. */
export function reading<T>(read: () => T): Reading<T> {
  try {
    return { kind: 'read', value: read() }
  } catch (error) {
    if (error instanceof Malformed) return { kind: 'malformed', reason: error.message }
    throw error
  }
}

/** The value, for a reader within another one; throws `Malformed` if there is none. */
export function inner<T>(found: Reading<T>): T {
  if (found.kind === 'malformed') throw new Malformed(found.reason)
  return found.value
}

/** Returns a form that was just written. Throws a RangeError if it cannot be read: then the value has no form. */
export function readable<Form>(form: Form, read: (form: Form) => Reading<unknown>): Form {
  const found = read(form)
  if (found.kind === 'malformed') throw new RangeError(found.reason)
  return form
}
