import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import { row } from '../../contract/explanation/shown_values.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { smartContractInterface } from '../../contract/needs.ts'
import { shownInterface } from './shared/interface_changes.ts'

export default defineActivity({
  name: 'delete_smart_contract_interface',
  summary: 'Deletes a smart contract interface.',
  policy: { resource: 'SMART_CONTRACT_INTERFACE', action: 'DELETE' },
  parameters: fields({ smartContractInterfaceId: Uuid }),
  result: Type.Object({ smartContractInterfaceId: Type.String() }),
  needs: ({ smartContractInterfaceId }) => [smartContractInterface(smartContractInterfaceId)],
  *explain({ parameters: { smartContractInterfaceId }, now }) {
    const deleted = now.named(smartContractInterfaceId)
    const kept = now.find('smart_contract_interface', smartContractInterfaceId)
    const rows = kept === undefined ? [] : (yield* shownInterface(kept)).rows
    return yield* changesContent(now, {
      code: 'delete_smart_contract_interface',
      subject: [deleted],
      rows: [row('deleted', deleted), ...rows],
    })
  },

  run({ organization, parameters: { smartContractInterfaceId } }) {
    organization.smartContractInterfaces.remove(smartContractInterfaceId)
    return { smartContractInterfaceId }
  },
})
