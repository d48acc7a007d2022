import {
  type Address,
  concat,
  encodeFunctionData,
  encodePacked,
  erc20Abi,
  type Hex,
  maxUint256,
  serializeTransaction,
  size,
  zeroAddress,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { encodedCall } from '../support/contract_calls.ts'
import { explaining, warningsOf } from '../support/explanations.ts'
import { newAccount, startOrganization } from '../support/organization.ts'
import { membersOf, signedDocuments } from '../support/signed_documents.ts'

/** Batches as Safe{Wallet} makes them: the Safe runs the code of a known contract, which makes the calls one by one. */

const organization = await startOrganization()
const explain = explaining(organization)
const { addresses } = await organization.done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
const own = String(addresses[0]) as Address
const [safe, bob, eve, token, module] = ['a1', 'b2', 'ee', 'c3', 'd4'].map((pair) => `0x${pair.repeat(20)}`) as [
  ...[Address, Address, Address, Address, Address],
]

/** https://github.com/safe-global/safe-deployments/tree/main/src/assets */
const multiSends = {
  'MultiSend 1.3.0': '0xA238CBeb142c10Ef7Ad8442C6D1f9E89e07e7761',
  'MultiSend 1.3.0 (eip155)': '0x998739BFdAAdde7C933B942a68053933098f9EDa',
  'MultiSend 1.3.0 (zksync)': '0x0dFcccB95225ffB03c6FBB2559B530C2B7C8A912',
  'MultiSend 1.4.1': '0x38869bf66a61cF6bDB996A6aE40D5853Fd43B526',
  'MultiSend 1.5.0': '0x218543288004CD07832472D464648173c77D7eB7',
  'MultiSendCallOnly 1.3.0': '0x40A2aCCbd92BCA938b02010E17A5b8929b49130D',
  'MultiSendCallOnly 1.3.0 (eip155)': '0xA1dabEF33b3B82c7814B6D82A79e50F4AC44102B',
  'MultiSendCallOnly 1.3.0 (zksync)': '0xf220D3b4DFb23C4ade8C88E526C1353AbAcbC38F',
  'MultiSendCallOnly 1.4.1': '0x9641d764fc13c8B624c04430C7356C1C7C8102e2',
  'MultiSendCallOnly 1.5.0': '0xA83c336B20401Af773B6219BA5027174338D1836',
} as const satisfies Readonly<Record<string, Address>>
const multiSend = multiSends['MultiSend 1.4.1']

type Call = { readonly to: Address; readonly value?: bigint; readonly data?: Hex; readonly operation?: number }

const batchOf = (...calls: readonly Call[]) =>
  encodedCall('multiSend(bytes)', [
    concat(
      calls.map(({ to, value = 0n, data = '0x', operation = 0 }) =>
        encodePacked(
          ['uint8', 'address', 'uint256', 'uint256', 'bytes'],
          [operation, to, value, BigInt(size(data)), data],
        ),
      ),
    ),
  ])

/** The transaction of a Safe as its owners sign it. */
async function signed({ to, data = '0x', operation = 1 }: Call) {
  const payload = JSON.stringify({
    types: {
      EIP712Domain: membersOf('uint256 chainId,address verifyingContract'),
      SafeTx: membersOf(signedDocuments.SafeTx.SafeTx),
    },
    domain: { chainId: 1, verifyingContract: safe },
    primaryType: 'SafeTx',
    message: {
      ...{ to, value: '0', data, operation, safeTxGas: '0', baseGas: '0', gasPrice: '0', nonce: '5' },
      ...{ gasToken: zeroAddress, refundReceiver: zeroAddress },
    },
  })
  const { explanation, lines } = await explain('sign_raw_payload', {
    ...{ signWith: own, payload, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
  })
  return { codes: warningsOf(explanation), title: String(lines[0]).toLowerCase() }
}

/** The same as somebody executes it. */
async function executed({ to, data = '0x', operation = 1 }: Call) {
  const declaration = 'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)'
  const execution = [to, 0n, data, operation, 0n, 0n, 0n, zeroAddress, zeroAddress, `0x${'11'.repeat(64)}1b`]
  const fields = { type: 'eip1559', chainId: 1, nonce: 7, gas: 21_000n, maxFeePerGas: 2n, to: safe } as const
  const unsignedTransaction = serializeTransaction({ ...fields, data: encodedCall(declaration, execution) })
  const { explanation, lines } = await explain('sign_transaction', {
    ...{ signWith: own, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction },
  })
  return { codes: warningsOf(explanation), title: String(lines[0]).toLowerCase() }
}

const transfer = (to: Address, amount: bigint): Call => ({
  to: token,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] }),
})
const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [eve, maxUint256] })
const honest = [transfer(bob, 5n), transfer(eve, 7n)]

describe.each([
  ['signed', signed],
  ['executed', executed],
])('a batch of a Safe that is %s', (_, show) => {
  test.each(Object.entries(multiSends))('by %s says what its calls do, and nothing of its code', async (_name, to) => {
    const { codes, title } = await show({ to, data: batchOf(...honest) })
    expect(codes).toEqual(['goesTo', 'goesTo'])
    expect(title).toContain(`warning: ${eve} gets 7 of`)
  })

  test('with a takeover in it begins otherwise than an honest one', async () => {
    const unlimited = await show({ to: multiSend, data: batchOf(...honest, { to: token, data: approve }) })
    expect(unlimited.title).toContain(`warning: ${eve} may spend unlimited tokens of ${token}`)
    const enable = encodedCall('enableModule(address)', [module])
    const enabled = await show({ to: multiSend, data: batchOf(...honest, { to: safe, data: enable }) })
    expect(enabled.title).toMatch(new RegExp(`^warning: control of ${safe}[a-z ]* goes to ${module}`))
  })

  test('names first the code of another contract in it, before all that it gives away', async () => {
    const theirs = { to: eve, data: '0x8129fc1c', operation: 1 } as const
    const ownership = encodedCall('transferOwnership(address)', [bob])
    const data = batchOf({ to: token, data: ownership }, ...honest, theirs)
    const { title } = await show({ to: multiSend, data })
    expect(title).toContain(`warning: the code at ${eve} acts as the account itself`)
    const inside = await show({ to: multiSend, data: batchOf({ to: multiSend, data, operation: 1 }) })
    expect(inside.title).toContain(`warning: the code at ${eve} acts as the account itself`)
  })

  test('has a warning of the code if another contract runs, or if it is not read whole', async () => {
    const data = batchOf(...honest)
    expect((await show({ to: eve, data })).title).toContain(`warning: the code at ${eve} acts as the account itself`)
    for (const unread of ['0x', '0x12345678', `${data}00`, data.slice(0, -64)] as readonly Hex[]) {
      expect((await show({ to: multiSend, data: unread })).codes).toContain('delegateCall')
    }
    const cut = encodedCall('multiSend(bytes)', [`0x00${bob.slice(2)}`])
    expect((await show({ to: multiSend, data: cut })).codes.slice(0, 2)).toEqual(['unreadable', 'delegateCall'])
  })
})
