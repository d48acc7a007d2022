import type { Struct } from '../expression_values.ts'

/**
 * Fields that may be missing though the request has them, each with a field that is there then. The user who asks chooses
 * that, and what is signed stays the same or as dangerous. `src/policy/optional_fields.test.ts` has an answer
 * for every optional field.
 */
const besides: ReadonlyMap<string, string> = new Map([
  /** An interface declares the call, and its arguments have an unusual encoding or are too many to read. */
  ['contract_call_args', 'function_name'],
  ['program_call_args', 'instruction_name'],
  /** It is valid on every chain. */
  ['chain_id', 'nonce'],
  /** A PSBT without previous transactions: no signature commits to these, nor perhaps to the fee. */
  ['fee', 'locktime'],
  /** `Transfer` of the token programs names accounts and no mint. */
  ['token_mint', 'withheld_fee'],
  /** `CloseAccount` and the like move all that there is. */
  ['amount', 'instruction_name'],
])

/** Whether a field is missing though the request has it. Then nobody knows what it would say. */
export function isUnreadable(struct: Struct, name: string): boolean {
  // A whole wallet is exported, and with it any account.
  if (struct.is_any === true) return true
  if (struct[name] !== undefined) return false
  const besideIt = besides.get(name)
  // A domain of typed data without a chain is one of every chain.
  return (besideIt !== undefined && struct[besideIt] !== undefined) || (name === 'chain_id' && isDomain(struct))
}

/**
 * Whether there is no such thing in what the user who asks chose to have signed, though a rule that guards is about it: a
 * call of a function that no interface declares is certainly none of those that have a name. The thing equals nothing.
 */
export function isNothing(struct: Struct, name: string): boolean {
  if (struct[name] !== undefined) return false
  if (namesOfFunction.has(name)) return typeof struct.data === 'string' && struct.data !== '0x'
  if (namesOfInstruction.has(name)) return struct.is_unnamed === true
  return namesOfDomain.has(name) && isDomain(struct)
}

const namesOfFunction: ReadonlySet<string> = new Set(['function_name', 'function_signature'])
const namesOfInstruction: ReadonlySet<string> = new Set(['instruction_name', 'discriminator'])
const namesOfDomain: ReadonlySet<string> = new Set(['name', 'version', 'verifying_contract'])

function isDomain(struct: Struct): boolean {
  return Object.hasOwn(struct, 'verifying_contract')
}
