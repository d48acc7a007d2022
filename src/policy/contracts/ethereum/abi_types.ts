export type AbiParameter = { readonly name: string; readonly type: AbiType }
export type AbiType =
  | { readonly kind: 'address' | 'bool' }
  | { readonly kind: 'bytes' | 'string' }
  | { readonly kind: 'fixedBytes'; readonly length: number }
  | { readonly kind: 'integer'; readonly signed: boolean; readonly bits: number }
  | { readonly kind: 'tuple'; readonly components: readonly AbiParameter[] }
  /** `length` is undefined for `T[]`. */
  | { readonly kind: 'array'; readonly element: AbiType; readonly length: number | undefined }
  /** A type that no compiler encodes yet. */
  | { readonly kind: 'fixedPoint' }
