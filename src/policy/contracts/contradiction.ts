/**
 * A function or an instruction that a new interface declares in another way than one that is there. `index` is the place
 * of the latter in the given list.
 */
export type Contradiction = { readonly index: number; readonly functionName: string }
