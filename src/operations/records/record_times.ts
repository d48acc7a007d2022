/** The times of a record, in milliseconds since 1970. */
export type Times = { readonly createdAtMs: number; readonly updatedAtMs: number }
