import { encodeFunctionData, erc20Abi, parseAbi, serializeTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  type Ask,
  expectRefused,
  newAccount,
  newPolicy,
  type Parameters,
  startOrganization,
} from '../support/organization.ts'

/** Denials hold whatever values the user who asks puts into a request. */

const token = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const treasury = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function adjust(int256 delta)',
  'function pay(address[] recipients)',
])
const addressOf = (index: number) => `0x${index.toString(16).padStart(40, '0')}` as const

async function start() {
  const organization = await startOrganization()
  const { submit, done, anotherUser } = organization
  const ada = await anotherUser('ada')
  const { addresses } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
  const [ethereum] = addresses
  await done('create_smart_contract_interface', {
    smartContractAddress: token,
    smartContractInterface: JSON.stringify(treasury),
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: 'treasury',
    notes: '',
  })
  const consensus = `approvers.any(user, user.id == '${ada.userId}')`
  const allow = { effect: 'EFFECT_ALLOW', policyName: 'allow', consensus, condition: "activity.action == 'SIGN'" }
  await done('create_policy', newPolicy(allow))

  const sign = (type: string, parameters: Parameters, ask: Ask = ada) =>
    submit('sign_transaction', { type: `TRANSACTION_TYPE_${type}`, ...parameters }, ask)
  return {
    ...organization,
    deny: (condition: string, more: Parameters = {}) =>
      done('create_policy', newPolicy({ policyName: condition.slice(0, 50), condition, ...more })),
    call(data: `0x${string}`, ask?: Ask) {
      const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, gas: 65_000n, to: token, data })
      return sign('ETHEREUM', { signWith: ethereum, unsignedTransaction }, ask)
    },
  }
}

const denied = 'denied this action'

describe('a denial with a sum', () => {
  test('denies the largest amounts, also of several terms', async () => {
    const { deny, call } = await start()
    await deny("eth.tx.contract_call_args['amount'] + eth.tx.gas > 100000")
    const approve = (amount: bigint) =>
      call(encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [addressOf(1), amount] }))
    expect((await approve(5n)).status).toBe(200)
    expectRefused(await approve(100_000n), 403, denied)
    expectRefused(await approve(2n ** 256n - 1n), 403, denied)
    expectRefused(await approve(2n ** 256n - 65_000n), 403, denied)
  })

  test('denies the smallest amounts', async () => {
    const { deny, call } = await start()
    await deny("eth.tx.contract_call_args['delta'] + 5 < 0")
    const adjust = (delta: bigint) => call(encodeFunctionData({ abi: treasury, functionName: 'adjust', args: [delta] }))
    expect((await adjust(-5n)).status).toBe(200)
    for (const delta of [-6n, -(2n ** 127n), -(2n ** 127n) - 1n, -(2n ** 255n)]) {
      expectRefused(await adjust(delta), 403, denied)
    }
  })

  test('denies when the sum of a limit is at the top', async () => {
    const { deny, call, done } = await start()
    await done('create_policy', newPolicy({ policyName: 'none', condition: "eth.tx.to == '0x'" }))
    await deny("spent('eth.tx.value', '24h') + eth.tx.contract_call_args['amount'] >= 5")
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [addressOf(1), 2n ** 256n - 1n] })
    expectRefused(await call(data), 403, denied)
  })
})
