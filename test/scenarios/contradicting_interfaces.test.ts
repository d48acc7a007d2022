import { encodeFunctionData, erc20Abi, serializeTransaction } from 'viem'
import { expect, test } from 'vitest'
import { expectRefused, newAccount, startOrganization } from '../support/organization.ts'

/** The meaning of a call does not depend on who uploaded an interface last. */

const token = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const recipient = '0x1f9090aaE28b8a3dCeaDf281B0F12828e676c326'
const stranger = '0x000000000000000000000000000000000000dEaD'

const erc20 = {
  smartContractAddress: token,
  smartContractInterface: JSON.stringify(erc20Abi),
  type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
  label: 'Token',
}

/** The ABI of `transfer` with these names of its arguments. Their types give the same selector. */
const transferOf = (first: string, second: string, more: object = {}) => ({
  ...erc20,
  smartContractInterface: JSON.stringify([
    {
      type: 'function',
      name: 'transfer',
      inputs: [
        { name: first, type: 'address' },
        { name: second, type: 'uint256' },
      ],
    },
  ]),
  ...more,
})

const { submit, found, done, anotherUser } = await startOrganization()
const { addresses } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
const { smartContractInterfaceId } = await done('create_smart_contract_interface', erc20)
const payer = await anotherUser('payer')
const uploader = await anotherUser('uploader')
const isBy = ({ userId }: { readonly userId: string }) => `approvers.any(user, user.id == '${userId}')`
await done('create_policy', {
  policyName: 'payments',
  effect: 'EFFECT_ALLOW',
  consensus: isBy(payer),
  condition: `eth.tx.contract_call_args['recipient'] == '${recipient.toLowerCase()}'`,
  notes: '',
})
await done('create_policy', {
  policyName: 'uploads',
  effect: 'EFFECT_ALLOW',
  consensus: isBy(uploader),
  condition: "activity.resource == 'SMART_CONTRACT_INTERFACE' && activity.action == 'CREATE'",
  notes: '',
})

function paymentTo(to: `0x${string}`) {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 5n] })
  const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, to: token, data })
  return { signWith: addresses[0], unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }
}

test('a user who may only upload interfaces cannot make a payment to a stranger pass a policy', async () => {
  const pay = (to: `0x${string}`) => submit('sign_transaction', paymentTo(to), { apiKey: payer.apiKey })
  expectRefused(await pay(stranger), 403)
  const upload = (given: object) => submit('create_smart_contract_interface', { ...given }, { apiKey: uploader.apiKey })
  for (const smartContractAddress of [token, token.toLowerCase()]) {
    const answer = await upload(transferOf('to', 'recipient', { smartContractAddress }))
    expectRefused(answer, 400, `transfer(address,uint256)`)
    expectRefused(answer, 400, smartContractInterfaceId)
    expectRefused(answer, 400, 'delete that interface first, or declare the function in the same way')
  }
  expectRefused(await pay(stranger), 403)
  expect((await upload(transferOf('recipient', 'amount'))).status).toBe(200)
  expect((await pay(recipient)).status).toBe(200)
  expectRefused(await pay(stranger), 403)
})

test('the answers name the interfaces that the call was read by', async () => {
  const other = transferOf('to', 'amount', { smartContractAddress: stranger })
  await done('create_smart_contract_interface', other)
  const { smartContractInterfaces } = await found('list_smart_contract_interfaces')
  const ids = smartContractInterfaces.flatMap(
    (one: { smartContractAddress: string; smartContractInterfaceId: string }) =>
      one.smartContractAddress === token ? [one.smartContractInterfaceId] : [],
  )
  expect(ids).toContain(smartContractInterfaceId)
  const type = 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'
  const activity = { type, parameters: paymentTo(recipient), userId: payer.userId }
  const { simulations } = await found('simulate', { activity })
  expect(simulations).toMatchObject([{ decision: 'ALLOW', smartContractInterfaceIds: ids }])
  const past = await found('simulate', { past: { filterByType: [type], limit: '1' } })
  expect(past.simulations).toMatchObject([{ smartContractInterfaceIds: ids }])

  const { body } = await submit('sign_transaction', paymentTo(recipient), { apiKey: payer.apiKey })
  const { policyEvaluations } = await found('get_policy_evaluations', { activityId: body.activity.id })
  expect(policyEvaluations).toMatchObject([{ smartContractInterfaceIds: ids }])
})

test('a call that no interface knows is read by none', async () => {
  const parameters = {
    ...paymentTo(recipient),
    unsignedTransaction: serializeTransaction({ type: 'eip1559', chainId: 1 }),
  }
  const activity = { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', parameters, userId: payer.userId }
  const { simulations } = await found('simulate', { activity })
  expect(simulations[0]).not.toHaveProperty('smartContractInterfaceIds')
})
