import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  erc20Abi,
  getAddress,
  type Hex,
  maxUint256,
  multicall3Abi,
  parseAbi,
  serializeTransaction,
  size,
  zeroAddress,
} from 'viem'
import { expect, test } from 'vitest'
import type { Value } from '../../src/contract/explanation/explanation.ts'
import { encodedCall } from '../support/contract_calls.ts'
import { explaining, memberOf, plain, valuesAt, warningsOf } from '../support/explanations.ts'
import { newAccount, startOrganization } from '../support/organization.ts'
import { membersOf, signedDocuments } from '../support/signed_documents.ts'

const organization = await startOrganization()
const { done } = organization
const explain = explaining(organization)
const { addresses } = await done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
const [signWith] = addresses
const [outer, token, someone, shop] = ['a1', 'b2', 'c3', 'd4'].map((pair) => getAddress(`0x${pair.repeat(20)}`)) as [
  ...[Address, Address, Address, Address],
]
/** `MultiSend` of Safe 1.4.1. */
const safeMultiSend = getAddress('0x38869bf66a61cf6bdb996a6ae40d5853fd43b526')
const zeros: Hex = `0x${'00'.repeat(32)}`

async function explainCall(data: Hex) {
  const fields = { type: 'eip1559', chainId: 1, nonce: 7, gas: 21_000n, maxFeePerGas: 2n, to: outer } as const
  const unsignedTransaction = serializeTransaction({ ...fields, data })
  const explained = await explain('sign_transaction', {
    ...{ signWith, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction },
  })
  const [call] = valuesAt(explained.explanation, 'calls', 'call')
  return { ...explained, call, title: explained.lines[0], calls: callsIn(call) }
}

function callsIn(call: Value | undefined): readonly Value[] {
  const calls = memberOf(call, 'calls')
  return calls?.kind === 'list' ? calls.items : []
}

const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [someone, maxUint256] })
const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [someone, 5n] })
const ownership = encodedCall('transferOwnership(address)', [someone])

type Call = { readonly to: Address; readonly value: bigint; readonly data: Hex }

const safeExecution = ({ to, value, data }: Call, { operation = 0, gasPrice = 0n, signatures = '0x' as Hex } = {}) =>
  encodedCall('execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)', [
    to,
    value,
    data,
    operation,
    0n,
    21_000n,
    gasPrice,
    zeroAddress,
    someone,
    signatures,
  ])
const multiSend = (calls: readonly Call[], operation = 0) =>
  encodedCall('multiSend(bytes)', [
    concat(
      calls.map(({ to, value, data }) =>
        encodePacked(
          ['uint8', 'address', 'uint256', 'uint256', 'bytes'],
          [operation, to, value, BigInt(size(data)), data],
        ),
      ),
    ),
  ])
const userOperation = (sender: Address, callData: Hex) => [sender, 0n, '0x', callData, zeros, 0n, zeros, '0x', '0x']

const callsType = [
  {
    type: 'tuple[]',
    components: [
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'data', type: 'bytes' },
    ],
  },
] as const

const modes = {
  batch: `0x01${'00'.repeat(31)}`,
  withData: `0x01000000000078210001${'00'.repeat(22)}`,
  ofBatches: `0x01000000000078210002${'00'.repeat(22)}`,
} as const

/** Each function that holds calls, as viem encodes one with this call. */
const holders: Readonly<Record<string, (call: Call) => Hex>> = {
  execTransaction: (call) => safeExecution(call),
  multiSend: (call) => multiSend([call]),
  'multiSend in execTransaction': (call) =>
    safeExecution({ to: safeMultiSend, value: 0n, data: multiSend([call]) }, { operation: 1 }),
  execute: ({ to, value, data }) => encodedCall('execute(address,uint256,bytes)', [to, value, data]),
  'execute with an operation': ({ to, value, data }) =>
    encodedCall('execute(address,uint256,bytes,uint8)', [to, value, data, 0]),
  'executeUserOp of a Safe': ({ to, value, data }) =>
    encodedCall('executeUserOp(address,uint256,bytes,uint8)', [to, value, data, 0]),
  'executeUserOpWithErrorString of a Safe': ({ to, value, data }) =>
    encodedCall('executeUserOpWithErrorString(address,uint256,bytes,uint8)', [to, value, data, 0]),
  'execute of ERC-7579': ({ to, value, data }) =>
    encodedCall('execute(bytes32,bytes)', [zeros, encodePacked(['address', 'uint256', 'bytes'], [to, value, data])]),
  'a batch of ERC-7579': (call) =>
    encodedCall('execute(bytes32,bytes)', [`0x01${'00'.repeat(31)}`, encodeAbiParameters(callsType, [[call]])]),
  executeBatch: ({ to, value, data }) =>
    encodedCall('executeBatch(address[],uint256[],bytes[])', [[to], [value], [data]]),
  'executeBatch of tuples': ({ to, value, data }) =>
    encodedCall('executeBatch((address,uint256,bytes)[])', [[[to, value, data]]]),
  aggregate3Value: ({ to: target, value, data: callData }) =>
    encodeFunctionData({
      abi: parseAbi([
        'struct Call { address target; bool allowFailure; uint256 value; bytes callData; }',
        'function aggregate3Value(Call[] calls) payable',
      ]),
      args: [[{ target, allowFailure: true, value, callData }]],
    }),
  handleOps: ({ to, value, data }) =>
    encodedCall('handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)', [
      [userOperation(outer, encodedCall('execute(address,uint256,bytes)', [to, value, data]))],
      signWith,
    ]),
  schedule: ({ to, value, data }) =>
    encodedCall('schedule(address,uint256,bytes,bytes32,bytes32,uint256)', [to, value, data, zeros, zeros, 0n]),
  propose: ({ to, value, data }) =>
    encodedCall('propose(address[],uint256[],bytes[],string)', [[to], [value], [data], 'why']),
}

test.each(Object.entries(holders))(
  '%s: the title says what the call in it does, and nothing is unread',
  async (_, hold) => {
    const lets = `${someone} may spend UNLIMITED tokens of ${token}`
    const approving = await explainCall(hold({ to: token, value: 0n, data: approve }))
    expect(approving.lines).toContain(`warning: [${lets}]`)
    const codes = warningsOf(approving.explanation)
    expect(codes).toEqual(['letsSpend', 'unlimited'])
    const owning = await explainCall(hold({ to: shop, value: 3n, data: ownership }))
    expect(owning.title).toMatch(/^WARNING: control of 0xd4D4.* goes to 0xc3C3/i)
    expect(
      owning.explanation.title.warnings?.map(({ code, values }) => [code, ...(values?.map(plain) ?? [])]),
    ).toContainEqual(['goesTo', 3n, shop])
    const unread = await explainCall(hold({ to: token, value: 0n, data: '0xdeadbeef00' }))
    expect(warningsOf(unread.explanation)).toContain('innerBytes')
    const bytes = unread.explanation.title.warnings?.find(({ code }) => code === 'innerBytes')?.values?.map(plain)
    expect(bytes?.[0]).toBe(5n)
  },
)

test('aggregate and aggregate3 of Multicall3 are read as viem encodes them', async () => {
  const calls = [
    { target: token, allowFailure: false, callData: transfer },
    { target: shop, allowFailure: true, callData: ownership },
  ]
  for (const functionName of ['aggregate3', 'aggregate'] as const) {
    const abi =
      functionName === 'aggregate3'
        ? multicall3Abi
        : parseAbi(['struct C { address target; bytes callData; }', 'function aggregate(C[] calls) payable'])
    const { explanation, calls: shown } = await explainCall(
      encodeFunctionData({ abi, functionName, args: [calls] } as never),
    )
    expect(warningsOf(explanation)).toEqual(['changesControl', 'goesTo'])
    expect(shown.map((one) => plain(memberOf(one, 'contract')))).toEqual([token, shop])
    expect(shown.map((one) => plain(memberOf(one, 'function')))).toEqual(['transfer', 'transferOwnership'])
    expect(plain(memberOf(memberOf(shown[0], 'asToken'), 'amount'))).toBe(5n)
    expect(plain(memberOf(shown[1], 'arguments'))).toEqual({ newOwner: someone })
  }
})

test('a Safe that runs code of another contract, or pays for the execution, says so in the title', async () => {
  const call = { to: shop, value: 0n, data: ownership }
  const { explanation, title } = await explainCall(
    safeExecution(call, { operation: 1, gasPrice: 2n, signatures: '0x0102' }),
  )
  expect(warningsOf(explanation)).toEqual(['delegateCall', 'changesControl', 'refundsFee', 'innerBytes'])
  expect(title).toContain(`. Call “execTransaction” of ${outer}`)
})

const signature = (v: number): Hex => `0x${'7f'.repeat(64)}${v.toString(16).padStart(2, '0')}`

test.each<[string, readonly number[], Hex, bigint | undefined]>([
  ['of keys, of messages and of owners who approved the hash', [27, 28, 31, 32, 1], '0x', undefined],
  ['of a contract', [0], '0xc0ffee', 68n],
  ['of a contract after one of a key', [27, 0], '0xc0ffee', 68n],
  ['of a contract before one of a key', [0, 27], '0xc0ffee', 133n],
  ['with bytes behind them', [27], '0xc0ffee', 3n],
  ['of another kind', [29], '0x', 65n],
])('signatures of a Safe %s: those that can hold nothing are no unread bytes', async (_, kinds, rest, unread) => {
  const signatures = concat([...kinds.map(signature), rest])
  const { explanation } = await explainCall(safeExecution({ to: shop, value: 0n, data: transfer }, { signatures }))
  const bytes = explanation.title.warnings?.find(({ code }) => code === 'innerBytes')?.values?.map(plain)
  expect(bytes?.[0]).toBe(unread)
  const empty = await explainCall(
    safeExecution({ to: shop, value: 0n, data: '0x' }, { signatures: concat(kinds.map(signature)) }),
  )
  expect(warningsOf(empty.explanation).includes('innerBytes')).toBe(unread !== undefined && unread !== 3n)
})

test('address zero in a batch is the account itself or nobody: what a call changes is said of the account, and of a value both', async () => {
  const either = `goes to address zero, where it is lost, or back to ${outer} itself, as its code decides`
  const batch = (call: Call) =>
    encodedCall('execute(bytes32,bytes)', [modes.batch, encodeAbiParameters(callsType, [[call]])])
  const bySafe = (call: Call) =>
    safeExecution({ to: safeMultiSend, value: 0n, data: multiSend([call]) }, { operation: 1 })
  for (const hold of [batch, bySafe]) {
    const paid = await explainCall(hold({ to: zeroAddress, value: 7n, data: '0x' }))
    expect(paid.lines).toContain(`warning: [0.000000000000000007 ETH (7 wei) ${either}]`)
    expect(warningsOf(paid.explanation)).not.toContain('goesTo')
    const owned = await explainCall(hold({ to: zeroAddress, value: 0n, data: ownership }))
    expect(owned.title).toContain(`WARNING: control of ${outer} itself goes to ${someone}`)
  }
  const calledAlone = await explainCall(multiSend([{ to: zeroAddress, value: 7n, data: '0x' }]))
  expect(warningsOf(calledAlone.explanation)).toEqual(['lostOrOwn'])
})

test('whoever gets the fees of operations of accounts is named, unless it is the account that signs', async () => {
  const handle = (beneficiary: string) =>
    encodedCall('handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)', [
      [userOperation(outer, encodedCall('execute(address,uint256,bytes)', [token, 0n, transfer]))],
      beneficiary,
    ])
  const other = await explainCall(handle(shop))
  expect(other.lines).toContain(`warning: [${shop} gets the fees of the operations]`)
  expect(warningsOf(other.explanation)).toEqual(['goesTo', 'goesTo'])
  expect(warningsOf((await explainCall(handle(String(signWith)))).explanation)).toEqual(['goesTo'])
})

test('what a contract calls with the money of others does not come back to it', async () => {
  const toItself = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [outer, 5n] })
  const paid = { to: outer, value: 7n, data: '0x' } as const
  const lists = ({ to, value, data }: Call) => [[to], [value], [data]]
  const byOthers = [
    (call: Call) => encodedCall('propose(address[],uint256[],bytes[],string)', [...lists(call), 'why']),
    (call: Call) => encodedCall('execute(address[],uint256[],bytes[],bytes32)', [...lists(call), zeros]),
    ({ to, value, data }: Call) =>
      encodedCall('aggregate3Value((address,bool,uint256,bytes)[])', [[[to, false, value, data]]]),
  ]
  for (const hold of byOthers) {
    expect(warningsOf((await explainCall(hold(paid))).explanation)).toEqual(['goesTo'])
    expect(warningsOf((await explainCall(hold({ to: token, value: 0n, data: toItself }))).explanation)).toEqual([
      'goesTo',
    ])
  }
  const byItself = encodedCall('execute(address,uint256,bytes)', [token, 0n, toItself])
  expect(warningsOf((await explainCall(byItself)).explanation)).toEqual(['toOwn'])
})

test('amounts that may be numbers of tokens have no sum, and each says both', async () => {
  const take = (amount: bigint) => encodedCall('transferFrom(address,address,uint256)', [outer, someone, amount])
  const either = (amount: bigint) =>
    `${amount} of the smallest unit of the token ${token} (or its token with that number)`
  const batch = multiSend([7n, 9n, 9n].map((amount) => ({ to: token, value: 0n, data: take(amount) })))
  const { explanation, lines, title } = await explainCall(batch)
  expect(title).toContain(`WARNING: 2 times: ${someone} gets ${either(9n)}, and 1 more. `)
  expect(lines).toContain(`warning: [${someone} gets ${either(7n)}]`)
  expect(warningsOf(explanation)).toEqual(['severalTimes', 'goesTo'])
  const allowing = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [someone, 7n] })
  const allowed = await explainCall(safeExecution({ to: token, value: 0n, data: allowing }))
  expect(allowed.title).toContain(`WARNING: ${someone} may spend ${either(7n)}. `)
  const burning = await explainCall(safeExecution({ to: token, value: 0n, data: encodedCall('burn(uint256)', [7n]) }))
  expect(burning.title).toContain(`WARNING: ${either(7n)} in the account of the caller are destroyed. `)
})

test('what code does in a delegate call, it does with the account and not with its own contract', async () => {
  const owners = encodedCall('swapOwner(address,address,address)', [zeroAddress, shop, someone])
  const several = encodedCall('multicall(bytes[])', [[owners]])
  for (const data of [
    safeExecution({ to: shop, value: 0n, data: owners }, { operation: 1 }),
    safeExecution({ to: shop, value: 0n, data: several }, { operation: 1 }),
    encodedCall('execute(bytes32,bytes)', [`0xff${'00'.repeat(31)}`, concat([shop, owners])]),
  ]) {
    const { explanation, lines, title } = await explainCall(data)
    expect(title).toContain(
      `WARNING: the code at ${shop} acts as the account itself, and may do everything with it, and 2 more. `,
    )
    expect(lines).toContain(`warning: [control of ${outer} itself goes to ${someone}]`)
    expect(warningsOf(explanation)).toEqual(['delegateCall', 'changesControl', 'changesWhoControls'])
  }
})

test('tokens that a call lists, and a permit for all, name their contract in another call', async () => {
  const [ids, role] = [[7n, 8n], zeros]
  const batch = encodedCall('safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)', [
    ...[outer, someone, ids, ids, '0x'],
  ])
  const both = await explainCall(multiSend([token, shop].map((to) => ({ to, value: 0n, data: batch }))))
  expect(both.title).toContain(`WARNING: ${someone} gets the tokens of ${token} that it lists, and 1 more. `)
  expect(both.lines).toContain(`warning: [${someone} gets the tokens of ${shop} that it lists]`)
  const permit = encodedCall('permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)', [
    ...[outer, someone, 1n, 2n, true, 27, role, role],
  ])
  const all = await explainCall(safeExecution({ to: token, value: 0n, data: permit }))
  expect(all.title).toContain(`WARNING: ${someone} may spend UNLIMITED tokens of ${token}. `)
})

test('a delegate call sends nothing: its value is ignored', async () => {
  const call = { to: shop, value: 10n ** 18n, data: ownership }
  for (const data of [
    safeExecution(call, { operation: 1 }),
    multiSend([call], 1),
    encodedCall('execute(address,uint256,bytes,uint8)', [call.to, call.value, call.data, 1]),
  ]) {
    const { explanation, calls } = await explainCall(data)
    expect(warningsOf(explanation)).toEqual(['delegateCall', 'changesControl'])
    expect(memberOf(calls[0], 'amount')).toBeUndefined()
  }
})

test.each([2, 3])(
  'operation %i of an account of ERC-6551 creates a contract, which gets the value',
  async (operation) => {
    const { explanation, calls, lines } = await explainCall(
      encodedCall('execute(address,uint256,bytes,uint8)', [zeroAddress, 5n, '0x600160005500', operation]),
    )
    expect(warningsOf(explanation)).toEqual(['goesTo', 'createsContract', 'innerBytes'])
    expect(lines).toContain('warning: [a contract is created with 6 bytes of code, which are not read]')
    expect(lines[0]).toContain('WARNING: a new contract gets 0.000000000000000005 ETH')
    expect(plain(calls[0])).toEqual({ contract: 'newContract', amount: 5n, data: '0x600160005500' })
  },
)

test('a call in a call that an interface reads is named in the title, whatever it leaves unread', async () => {
  const vault = getAddress(`0x${'e5'.repeat(20)}`)
  const payOut = encodedCall('payOut(uint256,address,address)', [10n ** 24n, someone, outer])
  const call = { to: vault, value: 0n, data: payOut }
  const known = 'whose effect is not known here'
  const unread = await explainCall(safeExecution(call))
  expect(unread.lines).toContain(`warning: [there is a call of ${payOut.slice(0, 10)} (4 bytes) of ${vault}, ${known}]`)
  await done('create_smart_contract_interface', {
    smartContractAddress: vault,
    label: 'Vault',
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    smartContractInterface: JSON.stringify(
      parseAbi(['function payOut(uint256 shares, address receiver, address owner)']),
    ),
  })
  const named = `there is a call of “payOut” of ${vault}, ${known}`
  const execute = ({ to, value, data }: Call) => encodedCall('execute(address,uint256,bytes)', [to, value, data])
  for (const data of [
    execute(call),
    safeExecution(call),
    multiSend([call]),
    execute({ ...call, data: execute(call) }),
  ]) {
    const { explanation, title } = await explainCall(data)
    expect(title).toContain(`WARNING: ${named}. Call `)
    expect(warningsOf(explanation)).toEqual(['callsInside'])
  }
  expect((await explainCall(multiSend([call, call]))).title).toContain(`WARNING: 2 times: ${named}. Call `)
  const accepting = await explainCall(execute({ ...call, data: encodedCall('acceptOwnership()', []) }))
  expect(accepting.title).toContain(`WARNING: there is a call of “acceptOwnership” of ${vault}, ${known}. Call `)
})

test('a call of a token in another encoding says that who gets what cannot be read, alone and in another call', async () => {
  const [who, what] = ['an address that cannot be read', 'an amount that cannot be read']
  const functions = [
    ['transfer(address,uint256)', [someone, 9n], `${who} gets ${what}`],
    ['transferFrom(address,address,uint256)', [someone, shop, 9n], `${who} gets ${what}`],
    ['approve(address,uint256)', [someone, 9n], `${who} may spend ${what}`],
    ['increaseAllowance(address,uint256)', [someone, 9n], `${who} may spend ${what}`],
    ['setApprovalForAll(address,bool)', [someone, true], `${who} may move every token of ${token}`],
  ] as const
  for (const [declaration, args, text] of functions) {
    const data = encodedCall(declaration, args)
    const dirty: Hex = `0x${data.slice(2, 10)}01${data.slice(12)}`
    const inside = await explainCall(safeExecution({ to: token, value: 0n, data: dirty }))
    expect(inside.title).toContain(`WARNING: ${text}, and 1 more. Call `)
    expect(warningsOf(inside.explanation).slice(1)).toEqual(['innerBytes'])
    expect((await explainCall(dirty)).title).toContain(`WARNING: ${text.replace(token, outer)}, and 1 more. Call `)
  }
})

test('what the same one gets in many calls is one sum in the title, and equal allowances are counted', async () => {
  const many = (call: Call) => multiSend(Array.from({ length: 50 }, () => call))
  const ether = await explainCall(many({ to: someone, value: 10n ** 20n, data: '0x' }))
  expect(ether.title).toMatch(`WARNING: ${someone} gets 5000 ETH (5${'0'.repeat(21)} wei). `)
  const tokens = await explainCall(
    safeExecution({ to: shop, value: 0n, data: many({ to: token, value: 0n, data: transfer }) }),
  )
  expect(tokens.title).toMatch(`WARNING: ${someone} gets 250 of the smallest unit of the token ${token}. `)
  const allowing = await explainCall(many({ to: token, value: 0n, data: approve }))
  expect(allowing.title).toMatch(`WARNING: 50 times: ${someone} may spend UNLIMITED tokens of ${token}`)
  const decoy = { to: someone, value: 1n, data: '0x' } as const
  const split = await explainCall(multiSend([decoy, { ...decoy, value: 10n ** 20n }]))
  const before = await explainCall(
    multiSend([
      { ...decoy, to: shop },
      { ...decoy, value: 10n ** 20n },
    ]),
  )
  expect(before.title).toMatch(`WARNING: ${someone} gets 100 ETH`)
  expect(split.title).toMatch(`WARNING: ${someone} gets 100.000000000000000001 ETH (100000000000000000001 wei). `)
})

test('a call in a call is read by the ABI of its own contract, and a known name stays there too', async () => {
  await done('create_smart_contract_interface', {
    ...{ smartContractAddress: shop, label: 'Shop', type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM' },
    smartContractInterface: JSON.stringify(
      parseAbi(['function buy(uint256 item, bytes note)', 'function collate_propagate_storage(bytes16 data)']),
    ),
  })
  const buy = encodedCall('buy(uint256,bytes)', [7n, '0xabcd'])
  const bought = await explainCall(safeExecution({ to: shop, value: 0n, data: buy }))
  expect(plain(bought.calls[0])).toMatchObject({ function: 'buy', arguments: { item: 7n, note: '0xabcd' } })
  expect(bought.lines.some((line) => line.startsWith('decoded by the interface: “Shop”'))).toBe(true)
  expect(warningsOf(bought.explanation)).toEqual(['callsInside', 'innerBytes'])
  expect(bought.lines).toContain('warning: [2 bytes among the values are not read and may hold further calls]')
  const burned = await explainCall(
    safeExecution({ to: shop, value: 0n, data: encodedCall('burn(uint256)', [5n << 128n]) }),
  )
  expect(plain(burned.calls[0])).toMatchObject({ function: 'burn', claimed: { function: 'collate_propagate_storage' } })
  expect(warningsOf(burned.explanation)).toEqual(['destroysTokens', 'otherNames'])
})

test('what an upgrade calls is a call of the contract itself, and an upgrade without a call is none', async () => {
  const upgradeWith = (data: Hex) => encodedCall('upgradeToAndCall(address,bytes)', [shop, data])
  const { explanation, calls } = await explainCall(upgradeWith(ownership))
  expect(explanation.title.warnings?.map(({ values = [] }) => values.map(plain))).toEqual([
    [outer, shop],
    [outer, someone],
  ])
  expect(calls.map((one) => plain(memberOf(one, 'contract')))).toEqual([outer])
  const alone = await explainCall(upgradeWith('0x'))
  expect(warningsOf(alone.explanation)).toEqual(['changesControl'])
  expect(alone.calls).toEqual([])
})

test('what an admin of proxies calls with an upgrade is a call of the proxy', async () => {
  const upgrade = encodedCall('upgradeAndCall(address,address,bytes)', [token, shop, ownership])
  const { explanation, calls } = await explainCall(upgrade)
  expect(explanation.title.warnings?.map(({ code, values = [] }) => [code, ...values.map(plain)])).toEqual([
    ['changesControl', token, shop],
    ['changesControl', token, someone],
  ])
  expect(calls.map((one) => plain(memberOf(one, 'contract')))).toEqual([token])
})

const executionOf = (mode: Hex, data: Hex) => encodedCall('execute(bytes32,bytes)', [mode, data])
const toSelf = { to: zeroAddress, value: 0n, data: ownership } as const
const opData: Hex = `0x${'5a'.repeat(65)}`
const calledAlone = encodeAbiParameters(callsType, [[toSelf]])
const calledWithData = encodeAbiParameters([...callsType, { type: 'bytes' }], [[toSelf], opData])

test.each([
  ['a batch', executionOf(modes.batch, calledAlone), undefined],
  ['a batch of the mode with data, without any', executionOf(modes.withData, calledAlone), undefined],
  ['a batch with data', executionOf(modes.withData, calledWithData), 65n],
  [
    'a batch of batches',
    executionOf(modes.ofBatches, encodeAbiParameters([{ type: 'bytes[]' }], [[calledAlone, calledWithData]])),
    65n,
  ],
])('ERC-7821: %s is read, and address zero in it is the account itself', async (_, data, unread) => {
  const { explanation, calls } = await explainCall(data)
  const [first, second] = explanation.title.warnings ?? []
  const itself = { code: 'itself', values: [{ address: outer }] }
  expect(first).toMatchObject({ code: 'changesControl', values: [itself, { address: someone }] })
  expect(new Set(calls.map((one) => plain(memberOf(one, 'contract'))))).toEqual(new Set([outer]))
  expect([second?.code, second?.values?.map(plain)[0]]).toEqual(
    unread === undefined ? [undefined, undefined] : ['innerBytes', unread],
  )
})

test('data beside the calls of a mode that has none stays bytes', async () => {
  const { explanation, calls } = await explainCall(executionOf(modes.batch, calledWithData))
  expect(warningsOf(explanation)).toEqual(['unreadable', 'innerBytes'])
  expect(calls).toEqual([])
})

test('the call in typed data of an account of ERC-4337 is read as one of the account', async () => {
  const rest = 'bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData'
  for (const [primaryType, account] of [
    ['PackedUserOperation', 'sender'],
    ['SafeOp', 'safe'],
  ] as const) {
    const members = membersOf(`address ${account},uint256 nonce,bytes initCode,bytes callData,${rest}`)
    const { explanation } = await explain('sign_raw_payload', {
      ...{ signWith, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
      payload: JSON.stringify({
        types: {
          EIP712Domain: membersOf('uint256 chainId,address verifyingContract'),
          [primaryType]: members,
        },
        primaryType,
        domain: { chainId: 1, verifyingContract: outer },
        message: {
          ...{ [account]: shop, nonce: 1, initCode: '0x', accountGasLimits: zeros, preVerificationGas: 0 },
          ...{ callData: encodedCall('execute(address,uint256,bytes)', [token, 0n, approve]) },
          ...{ gasFees: zeros, paymasterAndData: '0x0102' },
        },
      }),
    })
    const unknown = primaryType === 'SafeOp' ? ['unknownDocument'] : []
    expect(warningsOf(explanation)).toEqual(['letsSpend', 'innerBytes', 'unlimited', ...unknown])
    expect(explanation.title.warnings?.[1]?.values?.map(plain)).toEqual([2n])
    expect(callsIn(valuesAt(explanation, 'typedData', 'call')[0])).toHaveLength(1)
  }
})

test('an approval of 0 ends an allowance or lets somebody take the token number 0, and only the contract knows which', async () => {
  const approveNone = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [someone, 0n] })
  const { explanation, title } = await explainCall(encodedCall('multicall(bytes[])', [[approveNone]]))
  expect(title).toMatch(
    `WARNING: ${someone} may take the token number 0 of ${outer} if it has single tokens, and an allowance ends if not. `,
  )
  expect(warningsOf(explanation)).toEqual(['endsOrLetsTake'])
})

test('what is beyond a limit of the server stands in front, with the limit', async () => {
  const decoy = { to: token, value: 0n, data: encodedCall('transferOwnership(address)', [someone]) }
  const many = await explainCall(
    multiSend([decoy, ...Array.from({ length: 150 }, () => ({ ...decoy, data: transfer }))]),
  )
  const calls =
    'calls in it are not read: more than 100, or more than 4 levels of them. The limit is the server’s, not the chain’s'
  expect(many.title).toContain(`WARNING: ${calls}, and `)
  const ids = Array.from({ length: 5_000 }, () => 1n)
  const large = encodedCall('safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)', [
    ...[outer, someone, ids, ids, '0x'],
  ])
  const values = 'not read: more than 5000 values, or too many levels. The limit is the server’s, not the chain’s'
  expect((await explainCall(large)).title).toContain(`WARNING: ${values}, and `)
  expect((await explainCall(multiSend([decoy, { ...decoy, data: large }]))).title).toContain(`WARNING: ${values}, and `)
})

test('a long name of a function is cut in the title, which says so, and pushes nothing out of it', async () => {
  const long = getAddress(`0x${'f6'.repeat(20)}`)
  const nameOf = (length: number) => `harmless${'_'.repeat(length - 13)}drain`
  const functions: readonly string[] = [500, 2_000].map((length) => `function ${nameOf(length)}(uint256 amount)`)
  await done('create_smart_contract_interface', {
    ...{ smartContractAddress: long, label: 'Long', type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM' },
    smartContractInterface: JSON.stringify(parseAbi(functions)),
  })
  for (const [length, codes] of [
    [500, ['callsInside']],
    [2_000, ['callsInside', 'cutText']],
  ] as const) {
    const data = encodedCall(`${nameOf(length)}(uint256)`, [5n])
    const { title, explanation } = await explainCall(safeExecution({ to: long, value: 0n, data }))
    expect(warningsOf(explanation)).toEqual(codes)
    expect(title).toContain(
      `WARNING: there is a call of “${nameOf(length).slice(0, 80)}” (the beginning of ${length} characters) of ${long}, whose`,
    )
  }
})

test('a function that holds calls in another encoding says in front that they cannot be read', async () => {
  const sound = safeExecution({ to: token, value: 0n, data: approve })
  const dirty: Hex = `0x${sound.slice(2, 10)}01${sound.slice(12)}`
  expect((await explainCall(dirty)).title).toContain('WARNING: This cannot be read, and 1 more. Call “execTransaction”')
  const decoy = { to: token, value: 0n, data: ownership }
  const inside = await explainCall(multiSend([decoy, { to: shop, value: 0n, data: dirty }]))
  expect(warningsOf(inside.explanation).slice(0, 2)).toEqual(['unreadable', 'changesControl'])
})

test('parts that do not fit together, deep calls and very many calls stay bytes with a warning', async () => {
  const broken = await explainCall(encodedCall('executeBatch(address[],bytes[])', [[token, shop], [approve]]))
  expect(warningsOf(broken.explanation)).toEqual(['unreadable', 'innerBytes'])
  const other = multiSend([{ to: token, value: 0n, data: approve }], 2)
  expect(warningsOf((await explainCall(other)).explanation)).toEqual(['unreadable', 'innerBytes'])
  const sound = multiSend([{ to: token, value: 0n, data: approve }])
  const packedAlone = encodedCall('multiSend(bytes)', [`0x${'00'.repeat(84)}`])
  expect(warningsOf((await explainCall(packedAlone)).explanation)).toEqual(['unreadable', 'innerBytes'])
  expect(warningsOf((await explainCall(sound)).explanation)).toEqual(['letsSpend', 'unlimited'])
  let deep: Hex = approve
  for (let depth = 0; depth < 6; depth += 1) deep = encodedCall('execute(address,uint256,bytes)', [token, 0n, deep])
  expect(warningsOf((await explainCall(deep)).explanation)).toEqual(['callsBeyondLimit', 'innerBytes'])
  const many = multiSend(Array.from({ length: 150 }, () => ({ to: token, value: 0n, data: transfer })))
  expect(warningsOf((await explainCall(many)).explanation)).toEqual(['callsBeyondLimit', 'goesTo', 'innerBytes'])
})

test('the call in typed data of a Safe is read as well', async () => {
  const typed = (data: Hex) =>
    explain('sign_raw_payload', {
      ...{ signWith, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
      payload: JSON.stringify({
        types: {
          EIP712Domain: membersOf('uint256 chainId,address verifyingContract'),
          SafeTx: membersOf(signedDocuments.SafeTx.SafeTx),
        },
        primaryType: 'SafeTx',
        domain: { chainId: 1, verifyingContract: outer },
        message: {
          ...{ to: token, value: 0, data, operation: 0, safeTxGas: 0, baseGas: 0, gasPrice: 0, nonce: 1 },
          ...{ gasToken: zeroAddress, refundReceiver: zeroAddress },
        },
      }),
    })
  const read = await typed(approve)
  expect(warningsOf(read.explanation)).toEqual(['letsSpend', 'unlimited'])
  expect(plain(valuesAt(read.explanation, 'typedData', 'call')[0])).toMatchObject({
    function: 'approve',
    contract: token,
  })
  expect(warningsOf((await typed('0xdeadbeef')).explanation)).toEqual(['callsInside', 'innerBytes'])
  expect(warningsOf((await typed(`${transfer}ff`)).explanation)).toEqual(['goesTo', 'unreadBytes'])
})

test('a call in a batch without data and value runs code of a contract, and is shown', async () => {
  const batchOf = (...to: readonly Address[]) =>
    encodedCall('executeBatch(address[],uint256[],bytes[])', [to, to.map(() => 0n), to.map(() => '0x')])
  const empty = await explainCall(batchOf(someone, shop))
  expect(empty.calls.map((call) => plain(memberOf(call, 'contract')))).toEqual([someone, shop])
  expect(warningsOf(empty.explanation)).toEqual(['callsInside', 'callsInside'])
  // An account may call itself to use up a nonce, and nothing else is done then.
  const own = await explainCall(batchOf(outer, getAddress(String(signWith))))
  expect([own.calls, warningsOf(own.explanation)]).toEqual([[], []])
  const upgrade = await explainCall(encodedCall('upgradeAndCall(address,address,bytes)', [shop, someone, '0x']))
  expect(warningsOf(upgrade.explanation)).not.toContain('callsInside')
})
