import { expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization, timestamp } from '../../../test/support/organization.ts'

const { server, organizationId, query, found, done } = await startOrganization()
const given = {
  smartContractAddress: `0x${'ab'.repeat(20)}`,
  smartContractInterface: ' [ ] ',
  label: 'empty',
}
const { smartContractInterfaceId } = await done('create_smart_contract_interface', {
  ...given,
  type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
})

test('an interface is shown with every field; absent notes are empty', async () => {
  const parameters = { smartContractInterfaceId: smartContractInterfaceId.toUpperCase() }
  expect(await found('get_smart_contract_interface', parameters)).toStrictEqual({
    smartContractInterface: {
      ...given,
      organizationId,
      smartContractInterfaceId,
      type: 'ETHEREUM',
      notes: '',
      createdAt: timestamp,
      updatedAt: timestamp,
    },
  })
})

test('an unknown or foreign id is 404', async () => {
  const other = await server.createOrganization()
  const ask = { organizationId: other.organizationId, apiKey: other.apiKey }
  const ids = (id: string) => ({ smartContractInterfaceId: id })
  const text = (id: string) => `there is no smart contract interface ${id} in this organization`
  const found404 = await query('get_smart_contract_interface', ids(smartContractInterfaceId), ask)
  expectRefused(found404, 404, text(smartContractInterfaceId))
  expectRefused(await query('get_smart_contract_interface', ids(absentId)), 404, text(absentId))
})
