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
import { explaining, labelOf, memberOf, plain, valuesAt, warningsOf } from '../support/explanations.ts'
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
  const unlimited = 'WARNING: UNLIMITED: the greatest amount that there is, and 1 more. '
  expect(lines[0]).toBe(`${unlimited}Call “pay” of ${contract}`)
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
  expect(lines[0]).toContain(
    `WARNING: UNLIMITED: the greatest amount that there is. Let ${to} spend UNLIMITED tokens of ${other}`,
  )
  expect(lines).toContain(`amount: ${maxUint256} of the smallest unit of the token ${other}`)
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

const unread = 'an address that cannot be read gets an amount that cannot be read'

test('addresses with other bits above their 20 bytes are no transfer, and the title says that nobody can read who gets it', async () => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 9n] })
  const { explanation, lines } = await explainTransaction({
    data: `${data.slice(0, 10)}01${data.slice(12)}`,
    to: other,
  })
  expect(valuesAt(explanation, 'transfers', 'transfer')).toEqual([])
  expect(lines[0]).toBe(`WARNING: ${unread}, and 1 more. Call “transfer” of ${other}`)
  expect(lines).toContain('warning: [64 bytes that are signed are not read]')
  expect(lines).toContain('arguments: [The arguments are not encoded as the interface says]')
})

const transferData = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 9n] })

test.each([
  [
    'a known call with a byte too many',
    `${transferData}00`,
    1,
    `Send 9 of the smallest unit of the token ${other} to ${to}`,
  ],
  ['a known call with a word too many', transferData + '11'.repeat(32), 32, `Send 9 of the smallest unit`],
  ['a known call with a byte too few', transferData.slice(0, -2), 63, `Call “transfer” of ${other}`],
  ['a known selector alone', '0xa9059cbb', 0, `Call “transfer” of ${other}`],
  ['an unknown call', '0xdeadbeef00', 5, `Call 0xdeadbeef (4 bytes) of ${other}`],
  ['less than a selector', '0xde', 1, `Call 0xde (1 bytes) of ${other}`],
  ['the code of a new contract', '0x600160005500', 6, 'Create a contract', null],
])(
  '%s: its title says how many bytes are not read',
  async (_, data, bytes, title, recipient: string | null = other) => {
    const { lines } = await explainTransaction({ data, to: recipient })
    expect(lines[0]).toContain(title)
    expect(lines).toContain(
      `warning: [${bytes === 0 ? 'This cannot be read' : `${bytes} bytes that are signed are not read`}]`,
    )
  },
)

test('a transaction for every chain says so in its title', async () => {
  const { explanation } = await explainTransaction({
    ...{ type: 'legacy', chainId: undefined, gasPrice: 1n, to },
    ...{ maxFeePerGas: undefined, maxPriorityFeePerGas: undefined },
  })
  expect(warningsOf(explanation)).toEqual(['everyChain'])
})

test('what a transaction names beside its call is shown whole: storage keys and hashes of blobs', async () => {
  const storageKeys = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`]
  const accessList = [{ address: to, storageKeys }]
  const blobs = { type: 'eip4844', maxFeePerBlobGas: 1n, blobVersionedHashes: [`0x01${'ab'.repeat(31)}`] }
  const { explanation } = await explainTransaction({ ...blobs, accessList })
  expect(valuesAt(explanation, 'transaction', 'accessList').map(plain)).toEqual([[{ address: to, storageKeys }]])
  expect(valuesAt(explanation, 'transaction', 'blobHashes').map(plain)).toEqual([blobs.blobVersionedHashes])
})

async function upload(smartContractAddress: string, signatures: readonly string[], label = 'Uploaded') {
  return done('create_smart_contract_interface', {
    ...{ smartContractAddress, label, type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM' },
    smartContractInterface: JSON.stringify(parseAbi(signatures)),
  })
}

test('an ABI that swaps the names of a known function renames nothing: ours come first, and the title warns', async () => {
  const token = getAddress(`0x${'c1'.repeat(20)}`)
  await upload(token, [
    'function transfer(address from, uint256 fee)',
    'function transferFrom(address recipient, address sender, uint256 amount)',
    'function approve(address spender, uint256 amount)',
  ])
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [to, other, 9n] })
  const { explanation, lines } = await explainTransaction({ data, to: token })
  expect(lines[0]).toBe(
    `WARNING: an uploaded interface gives other names to “transferFrom”, which is known without it. Send 9 of the smallest unit of the token ${token} (or its token with that number) to ${other}`,
  )
  const rows = explanation.sections.find(({ kind }) => kind === 'calls')?.rows ?? []
  expect(rows.map(labelOf)).toEqual(['asToken', 'call', 'data'])
  const [known, call] = rows.map(({ value }) => value)
  expect([plain(memberOf(known, 'from')), plain(memberOf(known, 'to'))]).toEqual([to, other])
  expect(plain(memberOf(call, 'function'))).toBe('transferFrom')
  expect(plain(memberOf(memberOf(call, 'claimed'), 'arguments'))).toEqual({ recipient: to, sender: other, amount: 9n })
  const transfer = await explainTransaction({ data: transferData, to: token })
  expect(warningsOf(transfer.explanation)).toEqual(['otherNames'])
  const sound = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [to, 1n] })
  expect(warningsOf((await explainTransaction({ data: sound, to: token })).explanation)).toEqual([])
})

test('a call by an ABI says what its arguments leave unread, and that bytes in them may hold calls', async () => {
  const safe = getAddress(`0x${'c2'.repeat(20)}`)
  const functions = ['function run(address to, bytes data)', 'function pay((address to, uint256 amount)[] payments)']
  await upload(safe, functions)
  const contractOf = new Interface(functions)
  const run = contractOf.encodeFunctionData('run', [to, '0x01020304'])
  const read = await explainTransaction({ data: run, to: safe })
  expect(read.lines[0]).toBe(
    `WARNING: 4 bytes among the values are not read and may hold further calls, and 1 more. Call “run” of ${safe}`,
  )
  const tail = await explainTransaction({ data: `${run}c0ffee`, to: safe })
  expect(tail.lines[0]).toBe(`WARNING: 3 bytes that are signed are not read, and 2 more. Call “run” of ${safe}`)
  const cut = await explainTransaction({ data: run.slice(0, -64), to: safe })
  expect(cut.lines[0]).toBe(`WARNING: 96 bytes that are signed are not read, and 1 more. Call “run” of ${safe}`)
})

test('the calls in a multicall keep their known names, and what is unlimited in one stands in the title', async () => {
  const token = getAddress(`0x${'c4'.repeat(20)}`)
  const functions = ['function multicall(bytes[] data)', 'function approve(address owner, uint256 amount)']
  await upload(token, functions)
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [to, maxUint256] })
  const data = new Interface(functions).encodeFunctionData('multicall', [[approve]])
  const { explanation, lines } = await explainTransaction({ data, to: token })
  expect(warningsOf(explanation)).toEqual(['letsSpend', 'unlimited', 'otherNames'])
  expect(lines).toContain(`spender: ${to}`)
})

test('what a call of a token does stands in the title in a multicall, and beside an amount', async () => {
  const token = getAddress(`0x${'c6'.repeat(20)}`)
  const functions = parseAbi(['function multicall(bytes[] data)'])
  await upload(token, ['function multicall(bytes[] data)'])
  const nft = parseAbi(['function setApprovalForAll(address,bool)'])
  const ofToken = (amount: bigint) => `${amount} of the smallest unit of the token ${token}`
  const either = (amount: bigint) => `${ofToken(amount)} (or its token with that number)`
  const calls = [
    [
      encodeFunctionData({ abi: nft, functionName: 'setApprovalForAll', args: [to, true] }),
      `${to} may move every token of ${token}`,
    ],
    [encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [to, 5n] }), `${to} may spend ${either(5n)}`],
    [encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 6n] }), `${to} gets ${ofToken(6n)}`],
    [
      encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [other, to, 6n] }),
      `${to} gets ${either(6n)}`,
    ],
  ] as const
  for (const [call, effect] of calls) {
    const data = encodeFunctionData({ abi: functions, functionName: 'multicall', args: [[call]] })
    const inMulticall = (await explainTransaction({ data, to: token })).lines[0]
    expect(inMulticall).toContain(`WARNING: ${effect}`)
    expect(inMulticall).toContain(`. Call “multicall” of ${token}`)
    const beside = (await explainTransaction({ data: call, to: token, value: 1n })).lines[0]
    expect(beside).toContain(`WARNING: ${effect}. Call `)
    expect(beside).toContain(`of ${token} with 0.000000000000000001 ETH (1 wei)`)
  }
  const ended = encodeFunctionData({ abi: nft, functionName: 'setApprovalForAll', args: [to, false] })
  expect((await explainTransaction({ data: ended, to: token, value: 1n })).lines[0]).toMatch(/^Call /)
})

test('an allowance that hardly any token has is as good as unlimited', async () => {
  const titleOf = async (amount: bigint) => {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [to, amount] })
    return (await explainTransaction({ data, to: other })).lines[0]
  }
  for (const amount of [maxUint256 - 1n, 2n ** 128n]) {
    expect(await titleOf(amount)).toMatch(
      /^WARNING: as good as UNLIMITED: hardly any token has so much\. Let 0x\w+ spend as good as UNLIMITED tokens of 0x/,
    )
  }
  expect(await titleOf(2n ** 128n - 1n)).toMatch(/^Let /)
})

test('a function with the name of a known one, and another selector, says so in its title', async () => {
  const borrower = getAddress(`0x${'c5'.repeat(20)}`)
  const functions = ['function approve(address spender, uint128 amount)']
  await upload(borrower, functions)
  const data = new Interface(functions).encodeFunctionData('approve', [to, 5n])
  const { lines } = await explainTransaction({ data, to: borrower })
  expect(lines[0]).toBe(
    `WARNING: “approve” has the name of a known function and is another one, and 1 more. Call “approve” of ${borrower}`,
  )
})

test('2,600 recipients are more than this server reads, and not badly encoded', async () => {
  const payroll = getAddress(`0x${'c3'.repeat(20)}`)
  const functions = ['function pay((address to, uint256 amount)[] payments)']
  await upload(payroll, functions)
  const data = new Interface(functions).encodeFunctionData('pay', [Array(2_600).fill([to, 5n])])
  const { lines } = await explainTransaction({ data, to: payroll })
  const limit = 'not read: more than 5000 values, or too many levels. The limit is the server’s, not the chain’s'
  expect(lines[0]).toBe(`WARNING: ${limit}, and 2 more. Call “pay” of ${payroll}`)
  expect(lines).toContain(`warning: [${data.length / 2 - 5} bytes that are signed are not read]`)
  expect(lines).toContain(`arguments: [${limit}]`)
})

test('an operator of all tokens, and a larger allowance, are named in the title', async () => {
  const nft = parseAbi(['function setApprovalForAll(address,bool)', 'function increaseAllowance(address,uint256)'])
  const titleOf = async (functionName: 'setApprovalForAll' | 'increaseAllowance', second: boolean | bigint) => {
    const data = encodeFunctionData({ abi: nft, functionName, args: [to, second] } as never)
    return (await explainTransaction({ data, to: other })).lines[0]
  }
  expect(await titleOf('setApprovalForAll', true)).toBe(`Let ${to} move every token of ${other}`)
  expect(await titleOf('setApprovalForAll', false)).toBe(`No longer let ${to} move the tokens of ${other}`)
  expect(await titleOf('increaseAllowance', 7n)).toBe(
    `Let ${to} spend 7 of the smallest unit of the token ${other} more`,
  )
})

test('an amount for a new contract without code is lost, and a call of the own account names who gets what', async () => {
  const lost = await explainTransaction({ to: undefined, value: 5n })
  expect(lost.lines[0]).toBe(
    'WARNING: 0.000000000000000005 ETH (5 wei) in a new contract are destroyed. Create a contract with 0.000000000000000005 ETH (5 wei)',
  )
  const created = await explainTransaction({ to: undefined, value: 5n, data: '0x600160' })
  expect(created.lines[0]).toMatch(/^WARNING: 3 bytes that are signed are not read\. Create a contract with /)
  const unknown = await explainTransaction({ to: other, value: 5n, data: '0xdeadbeef00' })
  expect(unknown.lines[0]).toBe(
    `WARNING: 5 bytes that are signed are not read. Call 0xdeadbeef (4 bytes) of ${other} with 0.000000000000000005 ETH (5 wei)`,
  )
  const account = privateKeyToAccount(generatePrivateKey())
  const authorizationList = [await account.signAuthorization({ address: contract, chainId: 1, nonce: 0 })]
  const data = new Interface(['function execute(address,uint256,bytes)']).encodeFunctionData('execute', [to, 5n, '0x'])
  const self = await explainTransaction({ type: 'eip7702', authorizationList, to: signWith, data })
  expect(warningsOf(self.explanation)).toEqual(['changesControl', 'goesTo'])
  expect(self.lines[0]).toContain(`Change the code of accounts, and call “execute” of ${signWith}`)
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

test('more authorizations than are read stand in front of the title', async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const one = await account.signAuthorization({ address: other, chainId: 1, nonce: 0 })
  const { explanation, lines } = await explainTransaction({ type: 'eip7702', authorizationList: Array(101).fill(one) })
  expect(warningsOf(explanation)).toEqual(['beyondLimit', 'changesControl', 'tooMuch'])
  expect(lines[0]).toMatch(/^WARNING: not read: more than 100 values/)
})

test('an authorization for no address ends the code of the account, and gives control to nobody', async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const address = `0x${'00'.repeat(20)}` as const
  const authorizationList = [await account.signAuthorization({ address, chainId: 1, nonce: 0 })]
  expect((await explainTransaction({ type: 'eip7702', authorizationList })).lines[0]).toBe(
    'Change the code of accounts',
  )
  const { lines } = await explain('sign_raw_payload', {
    ...{ signWith, encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', hashFunction: 'HASH_FUNCTION_NO_OP' },
    payload: JSON.stringify({ address, chainId: 1, nonce: 0 }),
  })
  expect(lines[0]).toBe('Let no code act for the account any more')
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

test('a call without the arguments of its function says in the title that it cannot be read', async () => {
  const alone = await explainTransaction({ data: '0xa9059cbb' })
  expect(alone.lines[0]).toBe(`WARNING: This cannot be read, and 1 more. Call “transfer” of ${contract}`)
  const bell = getAddress(`0x${'be'.repeat(20)}`)
  await done('create_smart_contract_interface', {
    ...{ smartContractAddress: bell, label: 'Bell', type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM' },
    smartContractInterface: JSON.stringify(parseAbi(['function ring(uint256 times)', 'function stop()'])),
  })
  const titleOf = async (name: string) => {
    const data = new Interface([`function ${name}`]).getFunction(name)?.selector
    return (await explainTransaction({ to: bell, data })).lines[0]
  }
  expect(await titleOf('ring(uint256)')).toBe(`WARNING: This cannot be read, and 1 more. Call “ring” of ${bell}`)
  expect(await titleOf('stop()')).toMatch(/^WARNING: nothing but the uploaded interface says .* Call “stop” of /)
})
