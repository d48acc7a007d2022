import { hexToBytes } from '@noble/hashes/utils.js'
import { readAbiArguments } from '../../../../policy/contracts/ethereum/abi_values.ts'
import { batchContracts } from '../../../../policy/contracts/ethereum/batch_contracts.ts'
import type { Note, Value } from '../../explanation.ts'
import { noteOf } from '../../shown_values.ts'
import { packed } from './held_calls.ts'
import { knownFunctionIn } from './known_functions.ts'

type Delegated = { readonly to: string; readonly data: string }

/** Warns that another contract's code acts as the account. A batch that is read whole does only what its calls do. */
export function delegateNotes(call: Delegated, shownTo: Value): readonly Note[] {
  return batchContracts.has(call.to) && isWholeBatch(call) ? [] : [noteOf('delegateCall', shownTo)]
}

function isWholeBatch({ to, data }: Delegated): boolean {
  const known = knownFunctionIn(data)
  if (known?.calls !== packed) return false
  const reading = readAbiArguments(hexToBytes(data.slice(8)), known.parameters)
  if (reading.kind !== 'read' || reading.unreadBytes > 0) return false
  return packed(reading.args, { contract: to, self: undefined }) !== undefined
}
