import { hash } from 'node:crypto'
import Type from 'typebox'
import { optional } from '../../../contract/fields/fields.ts'
import { texts, view } from '../../../contract/fields/named.ts'
import { shown } from '../../../contract/fields/shown.ts'
import type { SmartContractInterface } from '../../../contract/records/records.ts'
import { times, timesView } from '../../../contract/records/views.ts'

export const SmartContractInterfaceView = view('SmartContractInterface', {
  ...texts(
    'organizationId',
    'smartContractInterfaceId',
    'smartContractAddress',
    'smartContractInterface',
    'type',
    'label',
    'notes',
  ),
  ...times,
})

export function smartContractInterfaceView(
  contract: SmartContractInterface,
  organizationId: string,
): Type.Static<typeof SmartContractInterfaceView> {
  return shown(SmartContractInterfaceView, { ...contract, organizationId, ...timesView(contract) })
}

export const SmartContractInterfaceReference = view('SmartContractInterfaceReference', {
  smartContractInterfaceId: Type.String(),
  smartContractAddress: Type.String(),
  digest: optional(Type.String()),
})

/** The address by which calls name the contract: Ethereum's in lower case. */
export function calledAddress({
  type,
  smartContractAddress,
}: Pick<SmartContractInterface, 'type' | 'smartContractAddress'>): string {
  return type === 'ETHEREUM' ? smartContractAddress.toLowerCase() : smartContractAddress
}

/** `digest`: SHA-256 of the text, hex. */
export function smartContractInterfaceReference({
  smartContractInterfaceId,
  smartContractAddress,
  smartContractInterface,
}: SmartContractInterface): Type.Static<typeof SmartContractInterfaceReference> {
  return { smartContractInterfaceId, smartContractAddress, digest: hash('sha256', smartContractInterface) }
}
