import { expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { submit, query, found, done, anotherUser } = await startOrganization()
const create = async () =>
  (
    await done('create_smart_contract_interface', {
      smartContractAddress: `0x${'ab'.repeat(20)}`,
      smartContractInterface: '[]',
      type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
      label: 'empty',
    })
  ).smartContractInterfaceId

test('one interface is deleted, the others stay', async () => {
  const [first, second] = [await create(), await create()]
  const result = await done('delete_smart_contract_interface', { smartContractInterfaceId: first.toUpperCase() })
  expect(result).toStrictEqual({ smartContractInterfaceId: first })
  const { smartContractInterfaces } = await found('list_smart_contract_interfaces')
  expect(smartContractInterfaces).toMatchObject([{ smartContractInterfaceId: second }])
  const text = `there is no smart contract interface ${first} in this organization`
  expectRefused(await query('get_smart_contract_interface', { smartContractInterfaceId: first }), 404, text)
  expectRefused(await submit('delete_smart_contract_interface', { smartContractInterfaceId: first }), 404, text)
})

test('invalid deletions are refused', async () => {
  const smartContractInterfaceId = await create()
  const { apiKey } = await anotherUser()
  expectRefused(await submit('delete_smart_contract_interface', { smartContractInterfaceId }, { apiKey }), 403)
  const absent = await submit('delete_smart_contract_interface', { smartContractInterfaceId: absentId })
  expectRefused(absent, 404, `there is no smart contract interface ${absentId}`)
})
