import type { Struct } from './values.ts'

/** Fields with arguments of a call, each with the field that names the function which the call was declared with. */
const declaredBy: ReadonlyMap<string, string> = new Map([
  ['contract_call_args', 'function_name'],
  ['program_call_args', 'instruction_name'],
])

/**
 * Whether a field is missing though the call has it: an uploaded interface declares the function, and the arguments are
 * encoded in another way than the usual one, or are too many to read. The user who asks chooses the encoding.
 */
export function isUnreadable(struct: Struct, name: string): boolean {
  const declaring = declaredBy.get(name)
  return declaring !== undefined && struct[name] === undefined && struct[declaring] !== undefined
}
