import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { SmartContractInterfaceView, smartContractInterfaceView } from './shared/smart_contract_interfaces.ts'

export default defineQuery({
  name: 'list_smart_contract_interfaces',
  summary: 'Lists the smart contract interfaces of the organization.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ smartContractInterfaces: Type.Array(SmartContractInterfaceView) }),
  needs: () => [all('smart_contract_interface')],

  run({ organization: { organizationId, smartContractInterfaces } }) {
    return {
      smartContractInterfaces: smartContractInterfaces
        .all()
        .map((contract) => smartContractInterfaceView(contract, organizationId)),
    }
  },
})
