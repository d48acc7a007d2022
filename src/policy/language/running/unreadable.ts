import type { Struct } from '../values.ts'

/** Fields that may be missing though the request has them, each with a field that is there then. */
const besides: ReadonlyMap<string, string> = new Map([
  ['contract_call_args', 'function_name'],
  ['program_call_args', 'instruction_name'],
  ['chain_id', 'nonce'],
])

/**
 * Whether a field is missing though the request has it. The user who asks chooses that. An uploaded interface declares
 * the function of a call, and its arguments are encoded in another way than the usual one, or are too many to read. Or
 * a transaction or an authorization names no chain, and is valid on every one. Or a whole wallet is exported, and with it
 * any account.
 */
export function isUnreadable(struct: Struct, name: string): boolean {
  if (struct.is_any === true) return true
  const besideIt = besides.get(name)
  return besideIt !== undefined && struct[name] === undefined && struct[besideIt] !== undefined
}

/** Whether an item of `lamport_transfers` moves lamports without saying how many, as `CloseAccount` does. */
export function isUnsaid(struct: Struct, name: string): boolean {
  return name === 'amount' && struct.amount === undefined && struct.instruction_name !== undefined
}
