import Type from 'typebox'
import { defineActivity } from '../define.ts'
import { fields, Uuid } from '../fields/fields.ts'
import { smartContractInterface } from '../needs.ts'

export default defineActivity({
  name: 'delete_smart_contract_interface',
  summary: 'Deletes a smart contract interface.',
  policy: { resource: 'SMART_CONTRACT_INTERFACE', action: 'DELETE' },
  parameters: fields({ smartContractInterfaceId: Uuid }),
  result: Type.Object({ smartContractInterfaceId: Type.String() }),
  needs: ({ smartContractInterfaceId }) => [smartContractInterface(smartContractInterfaceId)],

  run({ organization, parameters: { smartContractInterfaceId } }) {
    organization.smartContractInterfaces.remove(smartContractInterfaceId)
    return { smartContractInterfaceId }
  },
})
