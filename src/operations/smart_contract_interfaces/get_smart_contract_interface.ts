import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { smartContractInterface } from '../../contract/needs.ts'
import { SmartContractInterfaceView, smartContractInterfaceView } from './shared/smart_contract_interfaces.ts'

export default defineQuery({
  name: 'get_smart_contract_interface',
  summary: 'Returns one smart contract interface.',
  parameters: fields({ organizationId: Uuid, smartContractInterfaceId: Uuid }),
  result: Type.Object({ smartContractInterface: SmartContractInterfaceView }),
  needs: ({ smartContractInterfaceId }) => [smartContractInterface(smartContractInterfaceId)],

  run({ organization, parameters }) {
    const contract = organization.smartContractInterfaces.get(parameters.smartContractInterfaceId)
    return { smartContractInterface: smartContractInterfaceView(contract, organization.organizationId) }
  },
})
