/** The times of a record, in milliseconds since 1970. */
export type Times = { readonly createdAtMs: number; readonly updatedAtMs: number }

/** A record as an operation makes it: the writer adds the times. */
export type WithoutTimes<T> = Omit<T, keyof Times>
