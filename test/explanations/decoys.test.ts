import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  maxUint256,
  parseAbi,
  serializeTransaction,
  zeroAddress,
} from 'viem'
import { expect, test } from 'vitest'
import { explaining } from '../support/explanations.ts'
import { newAccount, startOrganization } from '../support/organization.ts'

/** Harmless or small things beside what takes much: none may take its place in a title. */

const organization = await startOrganization()
const explain = explaining(organization)
const { addresses } = await organization.done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
const own = String(addresses[0]) as Address
const [outer, shop, eve, token] = ['a1', 'b2', 'ee', 'c3'].map((pair) => `0x${pair.repeat(20)}`) as [
  ...[Address, Address, Address, Address],
]
const ether = 10n ** 18n

const encoded = (declaration: string, ...args: readonly unknown[]): Hex => {
  const functions: readonly string[] = [`function ${declaration}`]
  return encodeFunctionData({ abi: parseAbi(functions), args } as never)
}

/** The title of a transaction with this data, with addresses in lower case. */
async function titleOf(data: Hex, to: Address = outer): Promise<string> {
  const fields = { type: 'eip1559', chainId: 1, nonce: 7, gas: 21_000n, maxFeePerGas: 2n } as const
  const unsignedTransaction = serializeTransaction({ ...fields, to, data })
  const type = 'TRANSACTION_TYPE_ETHEREUM'
  const { lines } = await explain('sign_transaction', { signWith: own, type, unsignedTransaction })
  return String(lines[0]).toLowerCase()
}

const approve = (spender: Address, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] })

/** Calls in one, with the value of each. */
const batch = (...calls: readonly (readonly [to: Address, value: bigint, data: Hex])[]) =>
  encoded('executeBatch(address[],uint256[],bytes[])', ...[0, 1, 2].map((part) => calls.map((call) => call[part])))

test('an allowance of everything stands before one of 1', async () => {
  const title = await titleOf(batch([token, 0n, approve(eve, 1n)], [token, 0n, approve(eve, maxUint256)]))
  expect(title).toContain(`warning: ${eve} may spend unlimited tokens of ${token}`)
})

test('what a Safe pays for its execution stands beside an ordinary payment', async () => {
  const declaration = 'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)'
  const refund = [10n ** 10n, 10n ** 12n, zeroAddress, eve, '0x']
  const title = await titleOf(encoded(declaration, shop, ether, '0x', 0, 0n, ...refund))
  expect(title).toContain(`warning: ${shop} gets 1 eth`)
  expect(title).toContain(`the safe pays ${eve} 0.000001 eth`)
  expect(title).toContain('at least 10000 eth')
})
