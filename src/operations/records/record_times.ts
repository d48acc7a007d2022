/** Of a record, in milliseconds since the epoch. */
export type Times = { readonly createdAtMs: number; readonly updatedAtMs: number }
