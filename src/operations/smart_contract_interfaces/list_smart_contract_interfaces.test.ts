import { expect, test } from 'vitest'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'

const interfaceOf = (label: string, smartContractInterface = '[]') => ({
  smartContractAddress: `0x${'ab'.repeat(20)}`,
  smartContractInterface,
  type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
  label,
})

test('interfaces are listed in order of creation, each as `get_smart_contract_interface` shows it', async () => {
  const { found, done, submit } = await startOrganization({ limits: { smartContractInterfacesMax: 3 } })
  expect(await found('list_smart_contract_interfaces')).toStrictEqual({ smartContractInterfaces: [] })
  const smartContractInterfaces = []
  for (const label of ['b', 'a', 'c']) {
    const ids = await done('create_smart_contract_interface', interfaceOf(label))
    smartContractInterfaces.push((await found('get_smart_contract_interface', ids)).smartContractInterface)
  }
  expect(await found('list_smart_contract_interfaces')).toStrictEqual({ smartContractInterfaces })
  const answer = await submit('create_smart_contract_interface', interfaceOf('d'))
  expectRefused(answer, 429, 'an organization has at most 3 smart contract interfaces')
})

test('the interfaces of an organization have a total limit', async () => {
  const { found, done, submit } = await startOrganization()
  const large = `[{"type":"receive","docs":"${'x'.repeat(399_900)}"}]`
  const smartContractInterfaces = []
  for (let count = 1; count <= 20; count += 1) {
    const { smartContractInterfaceId } = await done('create_smart_contract_interface', interfaceOf('large', large))
    smartContractInterfaces.push({ smartContractInterfaceId })
  }
  const answer = await submit('create_smart_contract_interface', interfaceOf('one more', large))
  expectRefused(answer, 429, 'have at most 8000000 characters together')
  expect((await found('list_smart_contract_interfaces')).smartContractInterfaces).toMatchObject(smartContractInterfaces)
})
