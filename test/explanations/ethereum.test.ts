import { Interface } from 'ethers'
import {
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  maxUint256,
  parseAbi,
  parseTransaction,
  serializeTransaction,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { recoverAuthorizationAddress } from 'viem/utils'
import { expect, test } from 'vitest'
import { explaining, memberOf, plain, valuesAt } from '../support/explanations.ts'
import { newAccount, startOrganization } from '../support/organization.ts'

const organization = await startOrganization()
const { done } = organization
const explain = explaining(organization)
const { addresses } = await done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
const [signWith] = addresses
const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const contract = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'

function explainTransaction(fields: object) {
  const unsignedTransaction = serializeTransaction({
    ...{ type: 'eip1559', chainId: 1, nonce: 7, gas: 21_000n, to: contract },
    ...{ maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
    ...fields,
  })
  return explain('sign_transaction', { signWith, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction })
}

const signature =
  'function pay((address to, uint256 amount, string memo)[] payments, bytes32 invoice, bool urgent, int64[2] limits)'
const abi = parseAbi([signature])
const args = [
  [
    { to, amount: 5n, memo: 'rent' },
    { to: other, amount: maxUint256, memo: 'ünïcode' },
  ],
  `0x${'ab'.repeat(32)}`,
  true,
  [-3n, 4n],
] as const

test('a call by an uploaded ABI has the names and arguments that ethers wrote and viem reads', async () => {
  const { smartContractInterfaceId } = await done('create_smart_contract_interface', {
    ...{ smartContractAddress: contract, label: 'Payroll', type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM' },
    smartContractInterface: JSON.stringify(abi),
  })
  const data = new Interface([signature]).encodeFunctionData('pay', args)
  const { explanation, lines } = await explainTransaction({ data })
  const read = decodeFunctionData({ abi, data: `0x${data.slice(2)}` })
  const [payments, invoice, urgent, limits] = read.args ?? []
  const [call] = valuesAt(explanation, 'calls', 'call')
  expect(plain(memberOf(call, 'function'))).toBe(read.functionName)
  expect(plain(memberOf(call, 'arguments'))).toEqual({ payments, invoice, urgent, limits })
  expect(lines[0]).toBe(`Call “pay” of ${contract}`)
  expect(lines).toContain(`decoded by the interface: “Payroll” (smart contract interface ${smartContractInterfaceId})`)
  expect(lines.join('\n')).toContain('UNLIMITED')
  const cut = await explainTransaction({ data: data.slice(0, -64) })
  expect(cut.lines).toContain('arguments: [The arguments are not encoded as the interface says]')
})

test('an approval of everything says so in its title and names the spender that viem reads', async () => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [to, maxUint256] })
  const { explanation, lines } = await explainTransaction({ data, to: other })
  const { args: read } = decodeFunctionData({ abi: erc20Abi, data })
  const [token] = valuesAt(explanation, 'calls', 'asToken')
  expect([plain(memberOf(token, 'spender')), plain(memberOf(token, 'amount'))]).toEqual(read)
  expect(lines[0]).toContain(`Let ${to} spend ${maxUint256}`)
  expect(lines).toContain('unlimited: [UNLIMITED: the greatest amount that there is]')
  expect(valuesAt(explanation, 'transfers', 'transfer')).toEqual([])
})

test('a transfer of a token from another account names both accounts, and that the number may name a token', async () => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [to, other, 9n] })
  const { explanation, lines } = await explainTransaction({ data })
  const [shown] = valuesAt(explanation, 'transfers', 'transfer')
  expect([plain(memberOf(shown, 'from')), plain(memberOf(shown, 'to')), plain(memberOf(shown, 'amount'))]).toEqual(
    decodeFunctionData({ abi: erc20Abi, data }).args,
  )
  expect(lines.some((line) => line.startsWith('read as: [Read as a fungible token'))).toBe(true)
})

test('addresses with other bits above their 20 bytes are no transfer, and the call is unknown', async () => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 9n] })
  const { explanation, lines } = await explainTransaction({
    data: `${data.slice(0, 10)}01${data.slice(12)}`,
    to: other,
  })
  expect(valuesAt(explanation, 'transfers', 'transfer')).toEqual([])
  expect(lines).toContain('not known: [Unknown call, selector: “0xa9059cbb”]')
})

test('authorizations of EIP-7702 name the accounts and code that viem recovers', async () => {
  const accounts = [0, 1, 2].map(() => privateKeyToAccount(generatePrivateKey()))
  const authorizationList = await Promise.all(
    accounts.map((account, nonce) =>
      account.signAuthorization({ address: nonce === 0 ? to : other, chainId: nonce === 1 ? 0 : 1, nonce }),
    ),
  )
  const { explanation } = await explainTransaction({ type: 'eip7702', authorizationList })
  const shown = valuesAt(explanation, 'authorizations', 'authorization')
  const authorities = await Promise.all(
    authorizationList.map((authorization) => recoverAuthorizationAddress({ authorization })),
  )
  expect(shown.map((one) => plain(memberOf(one, 'authority')))).toEqual(authorities)
  expect(shown.map((one) => plain(memberOf(one, 'codeAt')))).toEqual([to, other, other])
  expect(memberOf(shown[1], 'chain')).toEqual({ kind: 'note', code: 'everyChain' })
})

test('chain, recipient, amount and fee are those that viem parses', async () => {
  const fields = { type: 'eip1559', chainId: 137, nonce: 1, gas: 54_321n, to, value: 123_456_789n } as const
  const { explanation } = await explainTransaction(fields)
  const read = parseTransaction(serializeTransaction({ ...fields, maxFeePerGas: 2_000_000_000n }))
  const [chain] = valuesAt(explanation, 'transaction', 'chain')
  expect(plain(chain)).toBe(`eip155:${read.chainId}`)
  const [transfer] = valuesAt(explanation, 'transfers', 'transfer')
  expect(plain(memberOf(transfer, 'to'))).toBe(getAddress(read.to ?? '0x'))
  expect(plain(memberOf(transfer, 'amount'))).toBe(read.value)
  expect(valuesAt(explanation, 'transaction', 'maxFee').map(plain)).toEqual([54_321n * 2_000_000_000n])
})
