import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  hashTypedData,
  keccak256,
  maxUint256,
  parseAbi,
  parseEther,
  stringToBytes,
  toHex,
  toPrefixedMessage,
} from 'viem'
import { zksync } from 'viem/chains'
import { hashMessage as hashWrappedMessage } from 'viem/experimental/erc7739'
import { getApprovalBasedPaymasterInput } from 'viem/zksync'
import { expect, test } from 'vitest'
import { explaining, memberOf, plain, valuesAt, warningsOf } from '../support/explanations.ts'
import { newAccount, startOrganization } from '../support/organization.ts'
import { membersOf, signedDocuments } from '../support/signed_documents.ts'

/** Typed data that is itself a payment, a power or a hash. */

const organization = await startOrganization()
const explain = explaining(organization)
const { addresses } = await organization.done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
const signWith = String(addresses[0])
const account = getAddress(signWith)
const [token, someone, shop, other] = ['b2', 'c3', 'd4', 'e5'].map((pair) => getAddress(`0x${pair.repeat(20)}`)) as [
  ...[Address, Address, Address, Address],
]
const [zeros, ones]: readonly [Hex, Hex] = [`0x${'00'.repeat(32)}`, `0x${'11'.repeat(32)}`]
const zeroAddress = `0x${'00'.repeat(20)}`

type Given = {
  readonly types: Readonly<Record<string, string>>
  readonly message: object
  readonly domain?: object
  readonly domainType?: string
}

/** Explains a document of the first of its types. */
function explainDocument({ types, message, domain = {}, domainType }: Given) {
  const [primaryType = ''] = Object.keys(types)
  const members = domainType ?? 'string name,string version,uint256 chainId,address verifyingContract'
  const document = {
    types: Object.fromEntries(
      Object.entries({ EIP712Domain: members, ...types }).map(([name, text]) => [name, membersOf(text)]),
    ),
    domain: { ...{ name: 'App', version: '1', chainId: 1, verifyingContract: token }, ...domain },
    ...{ primaryType, message },
  }
  return explain('sign_raw_payload', {
    ...{ signWith, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
    payload: JSON.stringify(document, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  })
}

const permitType = signedDocuments.Permit.Permit
const permit = { owner: account, spender: someone, value: 10n ** 30n, nonce: 1n, deadline: 1n }
const lets = `${someone} may spend 1${'0'.repeat(30)} of the smallest unit of the token ${token}`
const hash = hashTypedData({
  ...{ domain: { chainId: 1 }, types: { Permit: membersOf(permitType) }, primaryType: 'Permit', message: permit },
} as never)
const [onlyHash, mayHold] = [
  'only a hash is signed: nobody can tell what it stands for',
  'values of 32 bytes may be hashes, and nobody can tell what they stand for: 1 of them',
]

test.each<readonly [string, string, object, string]>([
  ['an account of Coinbase', 'bytes32 hash', { hash }, onlyHash],
  ['a Kernel', 'bytes32 hash,bytes32 none', { hash, none: zeros }, mayHold],
  ['bytes of a Safe', 'bytes message', { message: hash }, onlyHash],
  ['a login', 'string site,bytes32 hash', { site: 'shop.example', hash }, mayHold],
  ['an agent', 'string source,bytes32[] ids', { source: 'a', ids: [zeros, hash] }, mayHold],
  ['a text', 'string message', { message: hash.slice(2) }, onlyHash],
  ['a number', 'uint256 orderHash,string site', { orderHash: hash, site: 'a' }, mayHold],
])('a hash in typed data stands in the title: %s', async (_, type, message, text) => {
  const { explanation, lines } = await explainDocument({ types: { Message: type }, message })
  expect(lines).toContain(`warning: [${text}]`)
  expect(lines[0]).toMatch(/^WARNING: .*hash/)
  expect(warningsOf(explanation)).toContain('unknownDocument')
})

test('32 zeros are no hash, and neither are those of documents that are known as a whole', async () => {
  const empty = await explainDocument({ types: { Login: 'string site,bytes32 id' }, message: { site: 'a', id: zeros } })
  expect(warningsOf(empty.explanation)).toEqual(['unknownDocument'])
  expect(empty.lines[0]).toBe(
    'WARNING: nobody but its contract says what this document does. Sign typed data “Login” “App”',
  )
  const nonce = 'address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce'
  const times = { validAfter: 0, validBefore: 1 }
  const sending = await explainDocument({
    types: { TransferWithAuthorization: nonce },
    message: { from: account, to: someone, value: 5, ...times, nonce: ones },
  })
  expect(warningsOf(sending.explanation)).toEqual(['goesTo'])
  const canceling = { types: { CancelAuthorization: 'address authorizer,bytes32 nonce' } }
  const canceled = await explainDocument({ ...canceling, message: { authorizer: account, nonce: ones } })
  expect(warningsOf(canceled.explanation)).toEqual([])
  const salted = await explainDocument({
    types: { Permit: permitType },
    message: permit,
    domainType: 'string name,uint256 chainId,address verifyingContract,bytes32 salt',
    domain: { salt: ones, version: undefined },
  })
  expect(warningsOf(salted.explanation)).toEqual(['letsSpend'])
})

const wrapping = 'string name,string version,uint256 chainId,address verifyingContract,bytes32 salt'
const wrapped = { name: 'Account', version: '1', chainId: 1, verifyingContract: account, salt: ones }

test('a known document inside of another one is read: of ERC-7739, and in any other', async () => {
  const nested = await explainDocument({
    types: { TypedDataSign: `Permit contents,${wrapping}`, Permit: permitType },
    message: { contents: permit, ...wrapped },
  })
  expect(nested.lines[0]).toBe(`WARNING: ${lets}. Sign typed data “Permit” “App” as the account ${account}`)
  const unknown = await explainDocument({
    types: { TypedDataSign: `Login contents,${wrapping}`, Login: 'string site' },
    message: { contents: { site: 'a' }, ...wrapped },
  })
  expect(warningsOf(unknown.explanation)).toEqual(['unknownDocument'])
  const listed = await explainDocument({
    types: { Batch: 'Permit[] permits', Permit: permitType },
    message: { permits: [permit, { ...permit, spender: shop }] },
  })
  expect(warningsOf(listed.explanation)).toEqual(['letsSpend', 'letsSpend', 'unknownDocument'])
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [someone, 7n] })
  const forward = { from: account, to: token, value: 3n, gas: 1n, nonce: 1n, data: approve }
  const forwarded = await explainDocument({
    types: {
      TypedDataSign: `ForwardRequest contents,${wrapping}`,
      ForwardRequest: 'address from,address to,uint256 value,uint256 gas,uint256 nonce,bytes data',
    },
    message: { contents: forward, ...wrapped },
  })
  expect(warningsOf(forwarded.explanation)).toEqual(['letsSpend', 'goesTo'])
  expect(plain(memberOf(valuesAt(forwarded.explanation, 'typedData', 'call')[0], 'function'))).toBe('approve')
})

test('a message that an account wraps (ERC-7739) is read as a message that is signed alone', async () => {
  const explainMessage = (prefixed: Hex) =>
    explainDocument({ types: { PersonalSign: 'bytes prefixed' }, message: { prefixed } })
  const login = await explainMessage(toPrefixedMessage('Log in to shop.example'))
  expect(login.lines[0]).toBe('Sign typed data “PersonalSign” “App”')
  expect(valuesAt(login.explanation, 'typedData', 'ethereumMessage').map(plain)).toEqual(['Log in to shop.example'])
  for (const [message, expected] of [
    [{ raw: hash }, ['mayBeHash']],
    // Anybody can search for such a hash.
    [{ raw: `0x545888${'c3'.repeat(29)}` }, ['isTransaction', 'mayBeHash']],
    [{ raw: '0x00ff00' }, ['unknownMeaning']],
    [hash.slice(2), ['mayBeHash']],
    ['{"amount":"5"}', ['mayBeTransaction']],
    ['icx_sendTransaction.to.a', ['isTransaction']],
    ['a\u202eb', ['hiddenCharacters']],
    ['shop '.repeat(4_000), ['cutText']],
  ] as const) {
    const { explanation } = await explainMessage(toPrefixedMessage(message))
    expect(warningsOf(explanation), JSON.stringify(message).slice(0, 80)).toEqual(expected)
  }
  // Its hash is that of viem. Other bytes, and another type, are no message.
  const domain = { name: 'App', version: '1', chainId: 1, verifyingContract: token }
  const types = { PersonalSign: membersOf('bytes prefixed') }
  const prefixed = toPrefixedMessage('a')
  expect(hashTypedData({ domain, types, primaryType: 'PersonalSign', message: { prefixed } } as never)).toBe(
    hashWrappedMessage({ message: 'a', verifierDomain: domain }),
  )
  expect(warningsOf((await explainMessage('0x6162')).explanation)).toEqual(['innerBytes', 'unknownDocument'])
  const other = await explainDocument({
    types: { PersonalSign: 'bytes prefixed,uint8 a' },
    message: { prefixed, a: 1 },
  })
  expect(warningsOf(other.explanation)).toEqual(['innerBytes', 'unknownDocument'])
})

test('a token of Polygon that calls itself for the signer is read as that call', async () => {
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [someone, 7n] })
  const { lines } = await explainDocument({
    types: { MetaTransaction: 'uint256 nonce,address from,bytes functionSignature' },
    message: { nonce: 1, from: account, functionSignature: transfer },
  })
  expect(lines[0]).toBe(
    `WARNING: ${someone} gets 7 of the smallest unit of the token ${token}. Sign typed data “MetaTransaction” “App”`,
  )
})

test('a call without data and value that a document orders runs code of a contract, unless it uses up a nonce', async () => {
  const notesOn = async (types: Given['types'], message: object) => {
    const { explanation } = await explainDocument({ types, message })
    return [warningsOf(explanation), valuesAt(explanation, 'typedData', 'call').map((call) => plain(call))]
  }
  const none = { data: '0x', nonce: 1, value: 0 }
  const gas = { safeTxGas: 0, baseGas: 0, gasPrice: 0, gasToken: zeroAddress, refundReceiver: zeroAddress }
  const ofSafe = (given: object) => notesOn(signedDocuments.SafeTx, { ...none, ...gas, operation: 0, ...given })
  expect(await ofSafe({ to: someone })).toEqual([['callsInside'], [{ contract: someone }]])
  expect(await ofSafe({ to: token })).toEqual([[], []])
  expect(await ofSafe({ to: account })).toEqual([[], []])
  expect(await ofSafe({ to: someone, value: 5 })).toEqual([['goesTo'], []])
  expect(await ofSafe({ to: someone, operation: 1 })).toEqual([['delegateCall'], [{ contract: someone }]])
  const forward = { ...none, from: account, to: someone, gas: 0, deadline: 9 }
  expect(await notesOn(signedDocuments.ForwardRequest, forward)).toEqual([['callsInside'], [{ contract: someone }]])
  const meta = { MetaTransaction: 'uint256 nonce,address from,bytes functionSignature' }
  const empty = { nonce: 1, from: account, functionSignature: '0x' }
  expect(await notesOn(meta, empty)).toEqual([['callsInside'], [{ contract: token }]])
  const bytes = { initCode: '0x', callData: '0x', paymasterAndData: '0x', accountGasLimits: zeros, gasFees: zeros }
  // The entry point makes no call.
  const operation = { sender: someone, nonce: 1, preVerificationGas: 0, ...bytes }
  expect(await notesOn(signedDocuments.PackedUserOperation, operation)).toEqual([[], []])
})

test('a text in place of an address is none: it stands in no title, and the call is not read', async () => {
  const { explanation, lines } = await explainDocument({
    types: { MetaTransaction: 'uint256 nonce,address from,bytes functionSignature' },
    message: {
      ...{ nonce: 1, from: account },
      functionSignature: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [someone, 7n] }),
    },
    domainType: 'string name,string version,string verifyingContract,bytes32 salt',
    domain: { verifyingContract: 'our test contract, checked by security', salt: zeros },
  })
  expect(lines[0]).not.toContain('our test contract')
  expect(warningsOf(explanation)).toContain('innerBytes')
})

/** As viem makes it. */
function zksyncDocument(fields: object) {
  const { custom } = zksync as typeof zksync & {
    readonly custom: {
      readonly getEip712Domain: (fields: object) => { readonly types: object; readonly message: object }
    }
  }
  const { types, message } = custom.getEip712Domain({
    ...{ chainId: 324, type: 'eip712', from: signWith, nonce: 1, maxPriorityFeePerGas: 0n, gasPerPubdata: 50_000n },
    ...fields,
  })
  const texts = Object.entries(types as Record<string, { name: string; type: string }[]>).map(([name, members]) => [
    name,
    members.map((member) => `${member.type} ${member.name}`).join(','),
  ])
  return explainDocument({
    ...{ types: Object.fromEntries(texts), message, domainType: 'string name,string version,uint256 chainId' },
    domain: { name: 'zkSync', version: '2', chainId: 324, verifyingContract: undefined },
  })
}

test('a transaction of ZKsync is read as one: recipient, amount, call, fee and paymaster', async () => {
  const paid = await zksyncDocument({ to: someone, value: parseEther('100'), gas: 100_000n, maxFeePerGas: 10n ** 15n })
  expect(paid.lines[0]).toMatch(
    /^WARNING: 0x\w+ gets 100 ETH \(\d+ wei\); the fee is up to 100 ETH.*, and 2 more\. Sign/,
  )
  expect(paid.lines).toContain(`warning: [${someone} gets 100 ETH (100${'0'.repeat(18)} wei)]`)
  expect(warningsOf(paid.explanation)).toEqual(['goesTo', 'highFee', 'isTransaction', 'noContract'])
  expect(plain(valuesAt(paid.explanation, 'typedData', 'transaction')[0])).toEqual({
    ...{ from: signWith, to: someone, amount: parseEther('100') },
  })
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [someone, maxUint256] })
  const called = await zksyncDocument({ to: token, value: 0n, gas: 1n, maxFeePerGas: 1n, data: approve })
  expect(warningsOf(called.explanation)).toEqual(['letsSpend', 'isTransaction', 'unlimited', 'noContract'])
  const input = getApprovalBasedPaymasterInput({ innerInput: '0x', minAllowance: 9n, token })
  const sponsored = await zksyncDocument({
    ...{ to: someone, value: 0n, gas: 1n, maxFeePerGas: 1n },
    ...{ paymaster: shop, paymasterInput: input },
  })
  expect(sponsored.lines[0]).toContain(`WARNING: ${shop} may spend 9 of the smallest unit of the token ${token}`)
})

const cow =
  'address sellToken,address buyToken,address receiver,uint256 sellAmount,uint256 buyAmount,uint32 validTo,bytes32 appData,uint256 feeAmount,string kind,bool partiallyFillable,string sellTokenBalance,string buyTokenBalance'

test('an order of CoW says what it sells and buys, and who gets it', async () => {
  // `TYPE_HASH` of `GPv2Order`.
  const typeHash = '0xd5a25ba2e97094ad7d83dc28a6572da797d6b3e7fc6663bd93efb789fc17e489'
  expect(keccak256(stringToBytes(`Order(${cow})`))).toBe(typeHash)
  const order = (more: object) =>
    explainDocument({
      types: { Order: cow },
      message: {
        ...{ sellToken: token, buyToken: shop, receiver: zeroAddress, sellAmount: 90, buyAmount: 1, validTo: 1 },
        ...{ appData: ones, feeAmount: 10, kind: 'sell', partiallyFillable: false },
        ...{ sellTokenBalance: 'erc20', buyTokenBalance: 'erc20', ...more },
      },
    })
  const unit = 'of the smallest unit of the token'
  const offer = `Offer 100 ${unit} ${token} for 1 ${unit} ${shop}`
  expect((await order({})).lines[0]).toBe(`WARNING: whoever has the signature may take what is offered. ${offer}`)
  const { explanation, lines } = await order({ receiver: someone })
  expect(lines[0]).toBe(`WARNING: ${someone} gets 1 ${unit} ${shop}, and 1 more. ${offer}`)
  expect(warningsOf(explanation)).toEqual(['goesTo', 'takenBySignature'])
  const ether = await order({ buyToken: `0x${'ee'.repeat(20)}` })
  expect(ether.lines[0]).toContain('for 0.000000000000000001 ETH (1 wei)')
})

test.each<readonly [string, string, string]>([
  ['PermitForAll', 'address operator,bool approved,uint256 nonce,uint256 deadline', 'operator approved'],
  [
    'Authorization',
    'address authorizer,address authorized,bool isAuthorized,uint256 nonce,uint256 deadline',
    'authorized isAuthorized',
  ],
  ['Authorization', 'address owner,address manager,bool isAllowed,uint256 nonce,uint256 expiry', 'manager isAllowed'],
])('%s (%s) lets somebody move everything, or ends that', async (name, type, roles) => {
  const [who = '', isGiven = ''] = roles.split(' ')
  const plainMembers = Object.fromEntries(
    membersOf(type).map((member) => [member.name, member.type === 'address' ? account : 1]),
  )
  const titleOf = async (given: boolean) => {
    const message = { ...plainMembers, [who]: someone, [isGiven]: given }
    return (await explainDocument({ types: { [name]: type }, message })).lines[0]
  }
  expect(await titleOf(true)).toBe(
    `WARNING: ${someone} may move every token of ${token}. Sign typed data “${name}” “App”`,
  )
  expect(await titleOf(false)).toBe(`Sign typed data “${name}” “App”`)
})

test('a permit for the single token 0 names it', async () => {
  const { lines } = await explainDocument({
    types: { Permit: 'address spender,uint256 tokenId,uint256 nonce,uint256 deadline' },
    message: { spender: someone, tokenId: 0, nonce: 1, deadline: 1 },
  })
  expect(lines[0]).toBe(
    `WARNING: ${someone} may spend 1 of the token number 0 of ${token}. Sign typed data “Permit” “App”`,
  )
})

const safe = (limits: string) =>
  `address safe,uint256 nonce,bytes initCode,bytes callData,${limits},bytes paymasterAndData,uint48 validAfter,uint48 validUntil,address entryPoint`
const limits =
  'uint128 verificationGasLimit,uint128 callGasLimit,uint256 preVerificationGas,uint128 maxPriorityFeePerGas,uint128 maxFeePerGas'
const halves = (one: bigint, other: bigint) => toHex((one << 128n) | other, { size: 32 })

test('what the execution of an account’s operation costs is a fee: packed, of a Safe and with a paymaster', async () => {
  const pay = (value: bigint) =>
    encodeFunctionData({ abi: parseAbi(['function execute(address,uint256,bytes)']), args: [shop, value, '0x'] })
  const gas = { verificationGasLimit: 100_000n, callGasLimit: 200_000n, preVerificationGas: 700_000n }
  const operation = (value: bigint, more: object = {}) => ({
    ...{ sender: account, safe: account, nonce: 1, initCode: '0x', callData: pay(value), paymasterAndData: '0x' },
    ...{ validAfter: 0, validUntil: 0, entryPoint: shop, ...gas, maxPriorityFeePerGas: 1, maxFeePerGas: 10n ** 11n },
    ...{ accountGasLimits: halves(100_000n, 200_000n), gasFees: halves(1n, 10n ** 11n), ...more },
  })
  const types = { ...signedDocuments.PackedUserOperation, SafeOp: safe(limits) }
  for (const [name, type] of Object.entries(types)) {
    const explainOperation = async (value: bigint, more: object = {}) => {
      const names = new Set(membersOf(type).map((member) => member.name))
      const message = Object.entries(operation(value, more)).filter(([member]) => names.has(member))
      return await explainDocument({ types: { [name]: type }, message: Object.fromEntries(message) })
    }
    const high = await explainOperation(1n)
    expect(high.lines[0]).toMatch(/^WARNING: 0x\w+ gets .*; the fee is up to 0\.1 ETH \(100000000000000000 wei\)/)
    expect(warningsOf(high.explanation)).toEqual(['goesTo', 'highFee'])
    expect(plain(valuesAt(high.explanation, 'typedData', 'maxFee')[0])).toBe(10n ** 17n)
    expect(warningsOf((await explainOperation(2n * 10n ** 18n)).explanation)).toEqual(['goesTo'])
    const paymasterAndData = `${shop}${halves(300_000n, 700_000n).slice(2)}`
    const sponsored = await explainOperation(0n, { paymasterAndData })
    expect(plain(valuesAt(sponsored.explanation, 'typedData', 'maxFee')[0])).toBe(2n * 10n ** 17n)
  }
})

const execute = (to: Address, value: bigint, data: Hex = '0x') =>
  encodeFunctionData({ abi: parseAbi(['function execute(address,uint256,bytes)']), args: [to, value, data] })
const batch = (...calls: readonly (readonly [to: Address, value: bigint, data: Hex])[]) =>
  encodeFunctionData({
    abi: parseAbi(['function executeBatch(address[],uint256[],bytes[])']),
    args: [calls.map(([to]) => to), calls.map(([, value]) => value), calls.map(([, , data]) => data)],
  })
const gas = { verificationGasLimit: 100_000n, callGasLimit: 200_000n, preVerificationGas: 700_000n }
const operationOf = (callData: Hex) => ({
  ...{ safe: account, nonce: 1, initCode: '0x', callData, paymasterAndData: '0x', validAfter: 0, validUntil: 0 },
  ...{ entryPoint: shop, ...gas, maxPriorityFeePerGas: 1, maxFeePerGas: 10n ** 11n },
})

test.each([
  ['what another contract sends', execute(shop, 0n, execute(someone, 10n ** 24n))],
  ['what comes back', execute(account, 10n ** 24n)],
  ['what comes back over itself', execute(account, 0n, execute(account, 10n ** 24n))],
])('%s makes no fee a small one', async (_, callData) => {
  const { explanation } = await explainDocument({ types: { SafeOp: safe(limits) }, message: operationOf(callData) })
  expect(warningsOf(explanation)).toContain('highFee')
  const zksyncPaid = await zksyncDocument({
    ...{ to: shop, value: 0n, gas: 100_000n, maxFeePerGas: 10n ** 15n },
    data: execute(someone, 10n ** 24n),
  })
  expect(warningsOf(zksyncPaid.explanation)).toContain('highFee')
})

test('what the key that signs gets from an account of it makes no fee a small one', async () => {
  const message = { ...operationOf(execute(account, 10n ** 24n)), safe: other }
  const { explanation } = await explainDocument({ types: { SafeOp: safe(limits) }, message })
  expect(warningsOf(explanation)).toContain('highFee')
})

test('a fee is high beside what comes back too, however small it is', async () => {
  const warningsFor = async (sender: Address, callData: Hex) => {
    const message = { ...operationOf(callData), safe: sender, maxFeePerGas: 4n * 10n ** 10n }
    return warningsOf((await explainDocument({ types: { SafeOp: safe(limits) }, message })).explanation)
  }
  for (const [value, high] of [
    [parseEther('0.01'), ['highFee']],
    [parseEther('0.4'), []],
  ] as const) {
    expect(await warningsFor(other, execute(account, value))).toEqual(['goesTo', ...high])
    expect(await warningsFor(account, execute(account, value))).toEqual([...high, 'toOwn'])
    expect(await warningsFor(account, execute(account, 0n, execute(account, value)))).toEqual([...high, 'toOwn'])
    // What is paid to others is beside what comes back in vain.
    const both = execute(account, 0n, batch([account, parseEther('0.01'), '0x'], [someone, value, '0x']))
    expect(await warningsFor(account, both)).toEqual(['goesTo', ...high, 'toOwn'])
    const fee = { gas: 1_000_000n, maxFeePerGas: 4n * 10n ** 10n }
    const paid = await zksyncDocument({ ...fee, to: signWith, value })
    expect(warningsOf(paid.explanation)).toEqual([...high, 'isTransaction', 'toOwn', 'noContract'])
  }
})

test('what an account sends by a call of itself counts as sent', async () => {
  const callData = execute(account, 0n, execute(someone, 10n ** 24n))
  const { explanation } = await explainDocument({ types: { SafeOp: safe(limits) }, message: operationOf(callData) })
  expect(warningsOf(explanation)).toEqual(['goesTo'])
})

test('what one document sends makes the fee of another one no small one', async () => {
  const { explanation } = await explainDocument({
    types: {
      Both: 'SafeOp operation,ForwardRequest request',
      SafeOp: safe(limits),
      ForwardRequest: 'address from,address to,uint256 value,uint256 gas,uint256 nonce,bytes data',
    },
    message: {
      operation: operationOf(execute(someone, 1n)),
      request: { from: account, to: someone, value: 10n ** 24n, gas: 1n, nonce: 1n, data: '0x' },
    },
  })
  expect(warningsOf(explanation)).toEqual(['goesTo', 'highFee', 'unknownDocument'])
})

test('what the account that signs gets by a document costs nothing', async () => {
  const { explanation } = await explainDocument({
    types: { Permit: permitType },
    message: { ...permit, spender: account },
  })
  expect(warningsOf(explanation)).toEqual(['toOwn'])
  const forward = await explainDocument({
    types: { ForwardRequest: 'address from,address to,uint256 value,uint256 gas,uint256 nonce,bytes data' },
    message: {
      ...{ from: account, to: token, value: 0n, gas: 1n, nonce: 1n },
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [account, 7n] }),
    },
  })
  expect(warningsOf(forward.explanation)).toEqual(['toOwn'])
})

test('a document for another account than the one that signs says so', async () => {
  const { lines, explanation } = await explainDocument({
    types: { Permit: permitType },
    message: { ...permit, owner: other },
  })
  expect(warningsOf(explanation)).toEqual(['letsSpend', 'otherAccount'])
  expect(lines).toContain(
    `warning: [it speaks for ${other}, which is not the account that signs: it holds only if that is a contract that takes signatures of this key]`,
  )
  const times = 'address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce'
  const sent = await explainDocument({
    types: { TransferWithAuthorization: times },
    message: { from: other, to: other, value: 5, validAfter: 0, validBefore: 1, nonce: ones },
  })
  expect(warningsOf(sent.explanation)).toEqual(['otherAccount', 'toOwn'])
  const inAccount = await explainDocument({
    types: { TypedDataSign: `Permit contents,${wrapping}`, Permit: permitType },
    message: { contents: { ...permit, owner: other }, ...wrapped, verifyingContract: other },
  })
  expect(warningsOf(inAccount.explanation)).toEqual(['letsSpend'])
})

test.each([2, 255])(
  'a transaction of a Safe with the operation %i, which no Safe has, cannot be read',
  async (operation) => {
    const message = {
      ...{ to: token, value: 0, operation, safeTxGas: 0, baseGas: 0, gasPrice: 0, nonce: 1 },
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [someone, 7n] }),
      ...{ gasToken: zeroAddress, refundReceiver: zeroAddress },
    }
    const { explanation } = await explainDocument({ types: { SafeTx: signedDocuments.SafeTx.SafeTx }, message })
    expect(warningsOf(explanation)).toEqual(['unreadable', 'innerBytes'])
    expect(valuesAt(explanation, 'typedData', 'call')).toEqual([])
  },
)

test('a text in a document that may be an order, or that hides characters, has its warning', async () => {
  const codesOf = async (text: string) =>
    warningsOf((await explainDocument({ types: { Message: 'string text' }, message: { text } })).explanation)
  expect(await codesOf('{"toaddress":"bob","payamount":5}')).toEqual(['mayBeTransaction', 'unknownDocument'])
  expect(await codesOf('Log in \u202eevil')).toEqual(['hiddenCharacters', 'unknownDocument'])
  expect(await codesOf('Log in to the shop')).toEqual(['unknownDocument'])
})

const transferType = 'TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline'
const permissions = 'address token,uint256 amount'

test('of a transfer by Permit2, all that may be spent stands in front, the greatest first, and a witness is not known', async () => {
  const permitted = (amount: bigint) => ({ token, amount })
  const message = { spender: someone, nonce: 1, deadline: 1 }
  const alone = await explainDocument({
    types: { PermitTransferFrom: transferType, TokenPermissions: permissions },
    message: { ...message, permitted: permitted(5n) },
  })
  expect(warningsOf(alone.explanation)).toEqual(['letsSpend'])
  const batch = await explainDocument({
    types: {
      PermitBatchWitnessTransferFrom: `${transferType.replace(' ', '[] ')},Witness witness`,
      TokenPermissions: permissions,
      Witness: 'address recipient',
    },
    message: { ...message, permitted: [1n, 9n, maxUint256, 3n].map(permitted), witness: { recipient: shop } },
  })
  expect(warningsOf(batch.explanation)).toEqual([
    ...['letsSpend', 'letsSpend', 'letsSpend', 'letsSpend', 'unlimited', 'unknownDocument'],
  ])
  expect(batch.explanation.title.warnings?.slice(0, 4).map(({ values: [amount] = [] }) => plain(amount))).toEqual([
    ...[expect.objectContaining({ code: 'unlimitedTokens' }), 9n, 3n, 1n],
  ])
})

const endless = maxUint256
test.each<readonly [string, string, object, readonly string[]]>([
  ['EIP-2612', permitType, { ...permit, nonce: endless, deadline: endless }, ['letsSpend']],
  ['EIP-2612, of everything', permitType, { ...permit, value: endless, deadline: endless }, ['letsSpend', 'unlimited']],
  [
    'Dai',
    'address holder,address spender,uint256 nonce,uint256 expiry,bool allowed',
    { holder: account, spender: someone, nonce: 1, expiry: endless, allowed: true },
    ['letsSpend'],
  ],
  [
    'EIP-4494',
    'address spender,uint256 tokenId,uint256 nonce,uint256 deadline',
    { spender: someone, tokenId: endless, nonce: 1, deadline: endless },
    ['letsSpend'],
  ],
  [
    'another contract',
    `${permitType},uint256 more`,
    { ...permit, deadline: endless, more: 1 },
    ['unlimited', 'unknownDocument'],
  ],
])('the greatest time or number in a permit is no amount: %s', async (_, type, message, expected) => {
  const { explanation } = await explainDocument({ types: { Permit: type }, message })
  expect(warningsOf(explanation)).toEqual(expected)
  const [shown] = valuesAt(explanation, 'typedData', 'message')
  const isMarked = (member: string) => memberOf(shown, member)?.kind === 'list'
  expect(['value', 'tokenId', 'nonce', 'deadline', 'expiry'].some(isMarked)).toBe(expected.includes('unlimited'))
})

test('the greatest time is no amount in an authorization (EIP-3009) and in an order of Seaport either', async () => {
  const authorization = await explainDocument({
    types: {
      TransferWithAuthorization:
        'address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce',
    },
    message: { from: account, to: someone, value: 5, validAfter: 0, validBefore: endless, nonce: ones },
  })
  expect(warningsOf(authorization.explanation)).toEqual(['goesTo'])
  const order = await explainDocument({
    types: signedDocuments.OrderComponents,
    message: {
      ...{ offerer: account, zone: zeroAddress, offer: [], consideration: [], orderType: 0, startTime: 0 },
      ...{ endTime: endless, zoneHash: zeros, salt: endless, conduitKey: zeros, counter: endless },
    },
  })
  expect(warningsOf(order.explanation)).not.toContain('unlimited')
})

test('a wrapper (ERC-7739) does not make a time in it an amount', async () => {
  const { explanation } = await explainDocument({
    types: {
      TypedDataSign:
        'Permit contents,string name,string version,uint256 chainId,address verifyingContract,bytes32 salt',
      ...signedDocuments.Permit,
    },
    message: {
      ...{ contents: { ...permit, deadline: endless }, name: 'Account', version: '1', chainId: 1 },
      ...{ verifyingContract: account, salt: zeros },
    },
  })
  expect(warningsOf(explanation)).toEqual(['letsSpend'])
})
