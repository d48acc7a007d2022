import { itemsAt, memberAt, openDocumentInSteps } from '../../../policy/contracts/document.ts'
import { functionsOf, signatureOf } from '../../../policy/contracts/ethereum/ethereum_functions.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import type { Row } from '../../explanation/explanation.ts'
import { address, code, list, listed, number, row, rowsOf, text } from '../../explanation/values.ts'
import type { SmartContractInterface } from '../../records/records.ts'

type Given = Pick<
  SmartContractInterface,
  'type' | 'smartContractAddress' | 'label' | 'notes' | 'smartContractInterface'
>

/** Shows an interface: the contract, and the functions whose calls it names. Its text is a checked ABI or IDL. */
export function* interfaceRows(given: Given): Steps<readonly Row[]> {
  const { type, smartContractAddress, label, notes, smartContractInterface } = given
  const names = yield* type === 'ETHEREUM' ? signaturesIn(smartContractInterface) : namesIn(smartContractInterface)
  yield
  return [
    ...rowsOf({
      label: text(label),
      chain: code(type === 'ETHEREUM' ? 'ethereumLike' : 'solana'),
      contract: address(smartContractAddress),
      notes: notes === '' ? undefined : text(notes),
      characters: number(smartContractInterface.length),
    }),
    row('functions', list(listed(names, text))),
  ]
}

function* signaturesIn(abi: string): Steps<readonly string[]> {
  return (yield* functionsOf(abi)).map(signatureOf)
}

function* namesIn(idl: string): Steps<readonly string[]> {
  const instructions = itemsAt(memberAt(yield* openDocumentInSteps(idl, 'smartContractInterface'), 'instructions'))
  return instructions.map((instruction) => String(memberAt(instruction, 'name').value))
}
