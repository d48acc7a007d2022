import { hexToBytes } from '@noble/hashes/utils.js'
import { encodeFunctionData, parseAbi, serializeTransaction, type TransactionSerializable } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { finished } from '../../../protocol/tools/steps.ts'
import { decodeTransactionHex } from '../unsigned_transaction.ts'
import { ethereumStruct } from './ethereum_struct.ts'
import { parseEthereumTransaction } from './ethereum_transaction.ts'

const parsedTransaction = (bytes: Uint8Array) => finished(parseEthereumTransaction(bytes))

const account = privateKeyToAccount(`0x${'46'.repeat(32)}`)
// The x coordinate and the parity of y.
const publicKey = hexToBytes(
  `${Number.parseInt(account.publicKey.slice(-1), 16) % 2 === 0 ? '02' : '03'}${account.publicKey.slice(4, 68)}`,
)
const to = `0x${'Ab'.repeat(20)}`.toLowerCase() as `0x${string}`
const abi = parseAbi(['function transfer(address to, uint256 amount)'])
const data = encodeFunctionData({ abi, args: [to, 7n] })
const common = { nonce: 3, gas: 21_000n, to, value: 5n, data }
const fees = { chainId: 1, maxFeePerGas: 9n, maxPriorityFeePerGas: 2n }

function structOf(transaction: TransactionSerializable, ...abis: readonly string[]) {
  const parsed = parsedTransaction(decodeTransactionHex(serializeTransaction(transaction)))
  return finished(ethereumStruct(parsed, { publicKey, abis })).struct
}

const seen = { from: account.address.toLowerCase(), to, data, value: 5n, gas: 21_000n, nonce: 3n }
const nothing = {
  chain_id: undefined,
  max_fee_per_gas: undefined,
  max_priority_fee_per_gas: undefined,
  max_fee_per_blob_gas: undefined,
  function_name: undefined,
  function_signature: undefined,
  contract_call_args: undefined,
}
const seenFees = { chain_id: 1n, gas_price: 9n, max_fee_per_gas: 9n, max_priority_fee_per_gas: 2n }

for (const [claim, transaction, expected] of [
  ['legacy without a chain', { type: 'legacy', gasPrice: 4n }, { type: 'LEGACY', gas_price: 4n }],
  ['legacy', { type: 'legacy', gasPrice: 4n, chainId: 10 }, { type: 'LEGACY', gas_price: 4n, chain_id: 10n }],
  ['type 1', { type: 'eip2930', gasPrice: 4n, chainId: 1 }, { type: 'TYPE_1', gas_price: 4n, chain_id: 1n }],
  ['type 2', { type: 'eip1559', ...fees }, { type: 'TYPE_2', ...seenFees }],
  [
    'type 3',
    { type: 'eip4844', ...fees, maxFeePerBlobGas: 8n, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] },
    { type: 'TYPE_3', ...seenFees, max_fee_per_blob_gas: 8n },
  ],
  [
    'type 4',
    {
      type: 'eip7702',
      ...fees,
      authorizationList: [{ address: to, chainId: 1, nonce: 0, yParity: 0, r: '0x01', s: '0x01' }],
    },
    { type: 'TYPE_4', ...seenFees },
  ],
] as const) {
  test(`eth.tx of ${claim}`, () => {
    const struct = structOf({ ...common, ...transaction } as TransactionSerializable)
    expect(struct).toStrictEqual({ ...nothing, ...seen, ...expected })
  })
}

test('a transaction that creates a contract has an empty to, and its data is no call', () => {
  const struct = structOf({ ...common, to: undefined, type: 'eip1559', ...fees }, JSON.stringify(abi))
  expect(struct).toMatchObject({ to: '', function_name: undefined })
})

test('with the ABI of the contract the call has names', () => {
  expect(structOf({ ...common, type: 'eip1559', ...fees }, JSON.stringify(abi))).toMatchObject({
    function_name: 'transfer',
    function_signature: '0xa9059cbb',
    contract_call_args: new Map<string, unknown>([
      ['to', to],
      ['amount', 7n],
    ]),
  })
})

describe('with several ABIs of the contract', () => {
  const read = (...abis: readonly (readonly object[])[]) => {
    const texts = abis.map((one) => JSON.stringify(one))
    const parsed = parsedTransaction(
      decodeTransactionHex(serializeTransaction({ ...common, type: 'eip1559', ...fees })),
    )
    const { struct, usedInterfaces } = finished(ethereumStruct(parsed, { publicKey, abis: texts }))
    const { function_name: name, contract_call_args: args } = struct
    const used = (usedInterfaces.get(to) ?? []).map((text) => texts.indexOf(text))
    return { name, args: args instanceof Map ? [...args.keys()] : args, used }
  }
  const other = parseAbi(['function approve(address spender, uint256 amount)'])
  const swapped = parseAbi(['function transfer(address amount, uint256 to)'])

  test('the one that knows the call reads it, in whatever order they are', () => {
    expect(read(other, abi)).toEqual({ name: 'transfer', args: ['to', 'amount'], used: [1] })
    expect(read(abi, other)).toEqual({ name: 'transfer', args: ['to', 'amount'], used: [0] })
  })

  test('all that declare the function alike are used', () => {
    const alike = parseAbi(['function transfer(address to, uint amount) returns (bool)', 'error Denied()'])
    expect(read(abi, other, alike)).toEqual({ name: 'transfer', args: ['to', 'amount'], used: [0, 2] })
  })

  test('the call is not known when two contradict each other, within one ABI or among several', () => {
    const unknown = { name: undefined, args: undefined, used: [] }
    expect(read(abi, swapped)).toEqual(unknown)
    expect(read(swapped, abi)).toEqual(unknown)
    expect(read([...abi, ...swapped])).toEqual(unknown)
    // The selector is that of transfer(address,uint256).
    expect(read(abi, parseAbi(['function many_msg_babbage(bytes1 a)']))).toEqual(unknown)
  })
})
