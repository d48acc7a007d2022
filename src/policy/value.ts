/**
 * What conditions of rules see of a request: plain values, integers as bigint. A struct is a plain object whose fields
 * are named as in conditions; a field that is undefined has no value for this request. A map is a `Map`.
 */
export type Value = boolean | bigint | string | readonly Value[] | ReadonlyMap<string, Value> | Struct

export type Struct = { readonly [field: string]: Value | undefined }
