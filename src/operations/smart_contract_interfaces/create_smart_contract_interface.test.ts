import { erc20Abi } from 'viem'
import { describe, expect, test } from 'vitest'
import { expectRefused, type Parameters, startOrganization, uuid } from '../../../test/support/organization.ts'

const { submit, found, done, anotherUser } = await startOrganization()
const ethereum = {
  smartContractAddress: '0x6B175474E89094C44Da98b954EedeAC495271d0F',
  smartContractInterface: JSON.stringify(erc20Abi, null, 2),
  type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
  label: 'Dai',
}
const solana = {
  smartContractAddress: 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
  smartContractInterface: '{"instructions":[{"name":"route","accounts":[],"args":[{"name":"amount","type":"u64"}]}]}',
  type: 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA',
  label: 'Jupiter',
  notes: 'a note',
}

test('an interface of each type is kept as it was given', async () => {
  for (const [given, type] of [
    [ethereum, 'ETHEREUM'],
    [solana, 'SOLANA'],
  ] as const) {
    const { smartContractInterfaceId } = await done('create_smart_contract_interface', given)
    expect(smartContractInterfaceId).toEqual(uuid)
    const { smartContractInterface } = await found('get_smart_contract_interface', { smartContractInterfaceId })
    expect(smartContractInterface).toMatchObject({ ...given, type })
  }
})

test('the largest interface is kept; one more character is refused', async () => {
  const docs = (characters: number) => `[{"type":"receive","docs":"${'x'.repeat(characters)}"}]`
  const most = docs(400_000 - docs(0).length)
  const { smartContractInterfaceId } = await done('create_smart_contract_interface', {
    ...ethereum,
    smartContractInterface: most,
  })
  const { smartContractInterface } = await found('get_smart_contract_interface', { smartContractInterfaceId })
  expect(smartContractInterface.smartContractInterface).toBe(most)
  const answer = await submit('create_smart_contract_interface', { ...ethereum, smartContractInterface: ` ${most}` })
  expectRefused(answer, 400, 'parameters.smartContractInterface must be a text of at most 400000 characters')
})

describe('an interface that contradicts another one of its address is refused', () => {
  const idlOf = (name: string, accounts: readonly object[] = []) => ({
    ...solana,
    smartContractInterface: JSON.stringify({
      instructions: [{ name: 'route', accounts, args: [{ name, type: 'u64' }] }],
    }),
  })
  const abiOf = (smartContractAddress: string, name: string) => ({
    ...ethereum,
    smartContractAddress,
    smartContractInterface: JSON.stringify([{ name: 'f', inputs: [{ name, type: 'uint' }] }]),
  })
  const mend = 'delete that interface first, or declare the function in the same way'

  test('for Ethereum, until the other is deleted; the case of the address does not matter', async () => {
    const address = `0x${'aB'.repeat(20)}`
    const { smartContractInterfaceId } = await done('create_smart_contract_interface', abiOf(address, 'a'))
    const other = abiOf(address.toLowerCase(), 'b')
    const reason = `the function f(uint256) is declared in another way by the interface ${smartContractInterfaceId}`
    expectRefused(await submit('create_smart_contract_interface', other), 400, reason)
    expectRefused(await submit('create_smart_contract_interface', other), 400, mend)
    await done('create_smart_contract_interface', abiOf(`0x${'ac'.repeat(20)}`, 'b'))
    await done('delete_smart_contract_interface', { smartContractInterfaceId })
    await done('create_smart_contract_interface', other)
  })

  test('for Solana', async () => {
    await done('create_smart_contract_interface', idlOf('amount'))
    const upload = (given: Parameters) => submit('create_smart_contract_interface', given)
    expectRefused(await upload(idlOf('lamports')), 400, 'the function route is declared in another way')
    expectRefused(await upload(idlOf('amount', [{ name: 'from' }])), 400, mend)
    const smartContractAddress = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
    expect((await upload({ ...idlOf('lamports'), smartContractAddress })).status).toBe(200)
  })
})

describe('invalid requests are refused', () => {
  const address = 'parameters.smartContractAddress must be'
  test.each<[string, Parameters, string]>([
    [
      'a Solana address for Ethereum',
      { ...ethereum, smartContractAddress: solana.smartContractAddress },
      `${address} an Ethereum address`,
    ],
    [
      'an Ethereum address without 0x',
      { ...ethereum, smartContractAddress: '6b175474e89094c44da98b954eedeac495271d0f' },
      `${address} an Ethereum address`,
    ],
    [
      'an Ethereum address for Solana',
      { ...solana, smartContractAddress: ethereum.smartContractAddress },
      `${address} the address of a Solana program`,
    ],
    [
      '33 bytes for Solana',
      { ...solana, smartContractAddress: `${solana.smartContractAddress}11` },
      `${address} the address of a Solana`,
    ],
    [
      'an IDL for Ethereum',
      { ...ethereum, smartContractInterface: solana.smartContractInterface },
      'smartContractInterface: the document must be a list',
    ],
    [
      'an ABI for Solana',
      { ...solana, smartContractInterface: ethereum.smartContractInterface },
      'smartContractInterface: the document must be an object',
    ],
    [
      'a text that is not JSON',
      { ...ethereum, smartContractInterface: 'function f()' },
      'smartContractInterface must be the text of a JSON document',
    ],
    [
      'nothing',
      { ...ethereum, smartContractInterface: '' },
      'smartContractInterface must be the text of a JSON document',
    ],
    [
      'a wrong type inside',
      { ...ethereum, smartContractInterface: '[{"name":"f","inputs":[{"type":"uint7"}]}]' },
      '[0].inputs[0].type must be an ABI type',
    ],
    [
      'an unknown type',
      { ...ethereum, type: 'ETHEREUM' },
      'parameters.type must be one of SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    ],
    ['no label', { ...ethereum, label: '' }, 'parameters.label must be a text of 1 to 256 characters'],
  ])('%s', async (_name, given, text) => {
    expectRefused(await submit('create_smart_contract_interface', given), 400, text)
  })

  test('a request by a user outside of the root quorum', async () => {
    const { apiKey } = await anotherUser()
    expectRefused(await submit('create_smart_contract_interface', ethereum, { apiKey }), 403)
  })
})
