import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  maxUint256,
  numberToHex,
  serializeTransaction,
  zeroAddress,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { encodedCall } from '../support/contract_calls.ts'
import { explaining, warningsOf } from '../support/explanations.ts'
import { newAccount, startOrganization } from '../support/organization.ts'
import { membersOf, signedDocuments } from '../support/signed_documents.ts'

/** Harmless or small things beside what takes much: none may take its place in a title. */

const organization = await startOrganization()
const explain = explaining(organization)
const { addresses } = await organization.done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
const own = String(addresses[0]) as Address
const [outer, shop, eve, token] = ['a1', 'b2', 'ee', 'c3'].map((pair) => `0x${pair.repeat(20)}`) as [
  ...[Address, Address, Address, Address],
]
const ether = 10n ** 18n

const encoded = (declaration: string, ...args: readonly unknown[]) => encodedCall(declaration, args)

/** The title of a transaction with this data, with addresses in lower case. */
async function titleOf(data: Hex, to: Address = outer): Promise<string> {
  const { lines } = await explained(data, to)
  return String(lines[0]).toLowerCase()
}

function explained(data: Hex, to: Address) {
  const fields = { type: 'eip1559', chainId: 1, nonce: 7, gas: 21_000n, maxFeePerGas: 2n } as const
  const unsignedTransaction = serializeTransaction({ ...fields, to, data })
  const type = 'TRANSACTION_TYPE_ETHEREUM'
  return explain('sign_transaction', { signWith: own, type, unsignedTransaction })
}

const transfer = (to: Address, amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
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

test('lists of a batch that do not fit together are a warning', async () => {
  const unequal = encoded('executeBatch(address[],uint256[],bytes[])', [eve], [ether, ether], ['0x'])
  expect((await explained(unequal, outer)).explanation.title.warnings?.[0]?.code).toBe('unreadable')
})

test('a Safe gives itself nothing, also by code of another contract', async () => {
  const data = batch([outer, 9n * ether, '0x'], [token, 0n, approve(outer, maxUint256)], [eve, 1n, '0x'])
  const numbers = { safeTxGas: '0', baseGas: '0', gasPrice: '0', nonce: '5' }
  const payload = JSON.stringify({
    types: {
      EIP712Domain: membersOf('uint256 chainId,address verifyingContract'),
      SafeTx: membersOf(signedDocuments.SafeTx.SafeTx),
    },
    domain: { chainId: 1, verifyingContract: outer },
    primaryType: 'SafeTx',
    message: {
      ...numbers,
      to: shop,
      value: '0',
      data,
      operation: 1,
      gasToken: zeroAddress,
      refundReceiver: zeroAddress,
    },
  })
  const { explanation } = await explain('sign_raw_payload', {
    ...{ signWith: own, payload, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
  })
  expect(warningsOf(explanation).slice(0, 4)).toEqual(['delegateCall', 'goesTo', 'toOwn', 'toOwn'])
})

const letAll = (operator: Address) => encoded('setApprovalForAll(address,bool)', operator, true)
/** Documents by which one key alone has the account `outer` act, and what of it goes to that key. */
const taken: readonly (readonly [name: string, call: readonly [Address, bigint, Hex], said: RegExp])[] = [
  ['a module', [outer, 0n, encoded('enableModule(address)', own)], /^warning: control of 0xa1\S*[a-z ]* goes to/],
  ['an owner', [outer, 0n, encoded('transferOwnership(address)', own)], /^warning: control of 0xa1\S*[a-z ]* goes to/],
  ['a guard', [outer, 0n, encoded('setGuard(address)', own)], /^warning: control of 0xa1\S*[a-z ]* goes to/],
  ['coins', [own, 1_000n * ether, '0x'], /^warning: “treasury” \(0x\w+\) gets 1000 eth/],
  ['tokens', [token, 0n, approve(own, maxUint256)], /^warning: “treasury” \(0x\w+\) may spend unlimited tokens/],
  ['single tokens', [token, 0n, letAll(own)], /^warning: “treasury” \(0x\w+\) may move every token of/],
]

const operationOf = (callData: Hex) =>
  documentOf('PackedUserOperation', {
    ...{ sender: outer, nonce: '0', initCode: '0x', callData, preVerificationGas: '0', paymasterAndData: '0x' },
    ...{ accountGasLimits: numberToHex(0n, { size: 32 }), gasFees: numberToHex(0n, { size: 32 }) },
  })

/** A document with its types. ERC-7739: an account wraps that of another contract. */
const documentTypes = {
  ...signedDocuments,
  TypedDataSign: {
    TypedDataSign:
      'PermitSingle contents,string name,string version,uint256 chainId,address verifyingContract,bytes32 salt',
    ...signedDocuments.PermitSingle,
  },
}

async function documentOf(type: keyof typeof documentTypes, message: Readonly<Record<string, unknown>>) {
  const payload = JSON.stringify({
    types: {
      EIP712Domain: membersOf('uint256 chainId,address verifyingContract'),
      ...Object.fromEntries(Object.entries(documentTypes[type]).map(([name, members]) => [name, membersOf(members)])),
    },
    domain: { chainId: 1, verifyingContract: shop },
    ...{ primaryType: type, message },
  })
  const { lines } = await explain('sign_raw_payload', {
    ...{ signWith: own, payload, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
  })
  return String(lines[0]).toLowerCase()
}

describe('in any order of the request', () => {
  const paid = [eve, 1_000n * ether, '0x'] as const
  const withdraw = (assets: bigint) => encoded('withdraw(uint256,address,address)', assets, shop, outer)
  const listed = (ids: readonly bigint[]) =>
    encoded('safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)', outer, shop, ids, ids, '0x')
  const handleOps = 'handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)'
  const junkOperation = [
    shop,
    0n,
    '0x',
    '0x',
    numberToHex(0n, { size: 32 }),
    0n,
    numberToHex(0n, { size: 32 }),
    '0x',
    '0x',
  ]

  test('a stated amount of a vault stands where others do, the greatest of one vault first', async () => {
    for (const vaultCall of [withdraw(1n), encoded('deposit(uint256,address)', 1n, shop)])
      expect(await titleOf(batch(paid, [token, 0n, vaultCall]))).toContain(`; ${eve} gets 1000 eth`)
    expect(await titleOf(batch([token, 0n, withdraw(1n)], [token, 0n, withdraw(9n)]))).toContain(
      `warning: ${shop} gets 9 of the smallest unit of the token that the vault`,
    )
  })

  test('lists of tokens stand where amounts do, and empty ones give nothing', async () => {
    expect(await titleOf(batch(paid, [token, 0n, listed([1n])]))).toContain(`; ${eve} gets 1000 eth`)
    expect(await titleOf(batch([token, 0n, listed([])], paid))).toContain(`warning: ${eve} gets 1000 eth`)
  })

  test('fees of operations stand behind amounts, and no operation has any', async () => {
    const some = encoded(handleOps, [junkOperation], shop)
    for (const order of [batch([token, 0n, some], paid), batch(paid, [token, 0n, some])])
      expect(await titleOf(order)).toContain(`warning: ${eve} gets 1000 eth`)
    const { explanation } = await explained(batch([token, 0n, encoded(handleOps, [], shop)]), outer)
    expect(warningsOf(explanation)).not.toContain('goesTo')
  })

  test('an allowance without a bound stands before the tokens of one contract', async () => {
    const calls = [
      [shop, 0n, letAll(shop)],
      [token, 0n, approve(eve, maxUint256)],
    ] as const
    for (const order of [calls, calls.toReversed()])
      expect(await titleOf(batch(...order))).toContain(`warning: ${eve} may spend unlimited tokens of ${token}`)
    const some = batch([token, 0n, approve(eve, 5n)], [shop, 0n, letAll(shop)])
    expect(await titleOf(some)).toContain(`warning: ${shop} may move every token of ${shop}`)
  })

  test.each([
    ['gets another module', encoded('enableModule(address)', eve), `control of ${outer} itself goes to ${eve}`],
    [
      'needs fewer owners',
      encoded('changeThreshold(uint256)', 1n),
      `who controls ${outer} itself changes: “changethreshold”`,
    ],
  ])('that the account which acts %s stands before control of another contract', async (_, data, said) => {
    const calls = [
      [shop, 0n, encoded('transferOwnership(address)', shop)],
      [outer, 0n, data],
    ] as const
    for (const order of [calls, calls.toReversed()]) {
      expect(await titleOf(batch(...order))).toContain(`warning: ${said}`)
      expect(await operationOf(batch(...order))).toContain(`warning: ${said}`)
    }
  })

  test('a contract that only controls itself inside is not the account that acts', async () => {
    const ownership = encoded('transferOwnership(address)', shop)
    const itself = encoded('execute(address,uint256,bytes)', shop, 0n, ownership)
    const calls = [
      [shop, 0n, itself],
      [outer, 0n, encoded('enableModule(address)', eve)],
    ] as const
    expect(await titleOf(batch(...calls))).toContain(`warning: control of ${outer} itself goes to ${eve}`)
  })
})

describe('what an account of several gives to the one key that signs is no gift to itself', () => {
  test.each(taken)('%s beside 1 wei for somebody else', async (_, call, said) => {
    // Of one rank, the greatest comes first. Of others, the worse.
    const data = batch([shop, 1n, '0x'], call)
    expect(await operationOf(data)).toMatch(said)
    expect(await titleOf(data)).toMatch(said)
  })

  test('control in the operation itself', async () => {
    expect(await operationOf(encoded('transferOwnership(address)', own))).toMatch(/^warning: control of 0xa1/)
  })

  test('a permit of another owner', async () => {
    const permit = { owner: outer, spender: own, value: '5', nonce: '0', deadline: '9' }
    expect(await documentOf('Permit', permit)).toMatch(/^warning: “treasury” \(0x\w+\) may spend 5 of/)
    expect(await documentOf('Permit', { ...permit, owner: own })).toMatch(/^warning: to the account that signs/)
  })

  test('a permit that names no owner, in a document of another account', async () => {
    const details = { token, amount: '5', expiration: '9', nonce: '0' }
    const contents = { details, spender: own, sigDeadline: '9' }
    const domain = { name: 'Permit2', version: '1', chainId: '1', salt: numberToHex(0n, { size: 32 }) }
    const wrapped = { contents, ...domain, verifyingContract: outer }
    expect(await documentOf('TypedDataSign', wrapped)).toMatch(/^warning: “treasury” \(0x\w+\) may spend 5 of/)
    expect(await documentOf('PermitSingle', contents)).toMatch(/^warning: to the account that signs/)
  })

  test('but what it does with itself is one, and the fees of handleOps for the key are no warning', async () => {
    const itself = batch([outer, 9n * ether, '0x'], [token, 0n, approve(outer, maxUint256)], [shop, 1n, '0x'])
    expect(await operationOf(itself)).toContain(`warning: ${shop} gets 0.000000000000000001 eth`)
    const declaration = 'handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)'
    const fields = ['0x', numberToHex(0n, { size: 32 }), 0n, numberToHex(0n, { size: 32 }), '0x', '0x']
    const data = encoded(declaration, [[outer, 0n, '0x', ...fields]], own)
    const { explanation } = await explained(data, shop)
    expect(warningsOf(explanation)).not.toContain('goesTo')
    expect(warningsOf(explanation)).not.toContain('toOwn')
  })
})

test('what an account of ERC-4337 pays to itself makes no fee a small one', async () => {
  const type = signedDocuments.PackedUserOperation.PackedUserOperation
  const warningsIn = async (to: Address) => {
    const callData = encoded('execute(address,uint256,bytes)', to, 100n * ether, '0x')
    const [accountGasLimits, gasFees] = [0n, 10n ** 12n].map((number) => numberToHex(number, { size: 32 }))
    const gas = { accountGasLimits, gasFees, preVerificationGas: '9000000' }
    const payload = JSON.stringify({
      types: {
        EIP712Domain: membersOf('uint256 chainId,address verifyingContract'),
        PackedUserOperation: membersOf(type),
      },
      domain: { chainId: 1, verifyingContract: outer },
      primaryType: 'PackedUserOperation',
      message: { sender: shop, nonce: '0', initCode: '0x', callData, ...gas, paymasterAndData: '0x' },
    })
    const { explanation } = await explain('sign_raw_payload', {
      ...{ signWith: own, payload, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
    })
    return warningsOf(explanation)
  }
  expect(await warningsIn(eve)).toEqual(['goesTo'])
  expect(await warningsIn(shop)).toEqual(['highFee', 'toOwn'])
})

describe('what an own account gets comes after what others get', () => {
  test('from an account of EIP-7702 to itself', async () => {
    const title = await titleOf(batch([own, 1_000n * ether, '0x'], [eve, 99n * ether, '0x']), own)
    expect(title).toContain(`warning: ${eve} gets 99 eth`)
    const tokens = await titleOf(batch([token, 0n, transfer(own, 10n ** 30n)], [token, 0n, transfer(eve, 7n)]), own)
    expect(tokens).toContain(`warning: ${eve} gets 7 of`)
  })

  test('an allowance or control for itself', async () => {
    const ownership = encoded('transferOwnership(address)', own)
    for (const decoy of [approve(own, maxUint256), ownership, encoded('setApprovalForAll(address,bool)', own, true)]) {
      const title = await titleOf(batch([shop, 0n, decoy], [token, 0n, transfer(eve, 7n)]), own)
      expect(title).toContain(`warning: ${eve} gets 7 of`)
    }
    expect(await titleOf(ownership)).toContain(
      `warning: to the account that signs, or back to the one that calls: control of ${outer} goes to “treasury”`,
    )
  })

  test('from a contract that calls for itself, also by code of another one', async () => {
    const selfPaid = batch([outer, 9n * ether, '0x'], [token, 0n, transfer(outer, 9n)], [eve, 1n, '0x'])
    expect(await titleOf(selfPaid)).toContain(`warning: ${eve} gets 0.000000000000000001 eth`)
    const declaration = 'execTransactionFromModule(address,uint256,bytes,uint8)'
    const byCode = encoded(declaration, shop, 0n, selfPaid, 1)
    const { explanation } = await explained(byCode, outer)
    expect(explanation.title.warnings?.map(({ code }) => code).slice(0, 3)).toEqual(['delegateCall', 'goesTo', 'toOwn'])
  })

  test('and not what a contract takes from somebody else, or the caller of its own code', async () => {
    const taken = encoded('transferFrom(address,address,uint256)', own, outer, 5n)
    expect(await titleOf(batch([token, 0n, taken]))).toContain(`warning: ${outer} gets 5 of`)
    expect(await titleOf(encoded('multicall(bytes[])', [transfer(outer, 5n)]))).toContain(`warning: ${outer} gets 5 of`)
  })
})

describe('more than a little of the coin of a chain stands in the title, whatever stands before it', () => {
  const given = 10_000n * ether
  const gift = `${eve} gets 10000 eth (${given} wei)`
  const withGift = (decoy: Hex, to: Address = outer) => titleOf(batch([token, 0n, decoy], [eve, given, '0x']), to)

  test.each([
    ['one unit of a token', transfer(shop, 1n), `${shop} gets 1 of the smallest unit of the token ${token}`],
    ['an allowance of one unit', approve(shop, 1n), `${shop} may spend 1 of the smallest unit of the token ${token}`],
    ['control of a contract', encoded('transferOwnership(address)', shop), `control of ${token} goes to ${shop}`],
  ])('%s', async (_, decoy, said) => {
    for (const to of [outer, own]) {
      const title = await withGift(decoy, to)
      expect(title).toContain(`warning: ${said}`)
      expect(title).toContain(`; ${gift}. call`)
    }
  })

  test('the greatest gift stands there, and a small one only where nothing is worse', async () => {
    const gifts = batch([token, 0n, transfer(shop, 1n)], [shop, ether, '0x'], [eve, given, '0x'])
    expect(await titleOf(gifts)).toContain(`; ${gift}, and 1 more. call`)
    const small = await titleOf(batch([shop, ether / 1000n, '0x'], [token, 0n, transfer(eve, 1n)]))
    expect(small).toContain(`warning: ${eve} gets 1 of the smallest unit of the token ${token}, and 1 more. call`)
  })

  test('a little of the coin, or much, hides no token', async () => {
    for (const value of [ether / 1000n, ether]) {
      const title = await titleOf(batch([shop, value, '0x'], [token, 0n, transfer(eve, 10n ** 12n)]))
      expect(title).toContain(`warning: ${eve} gets ${10n ** 12n} of the smallest unit of the token`)
    }
  })
})
