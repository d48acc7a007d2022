import { TypedDataEncoder } from 'ethers'
import { maxUint48, maxUint160, maxUint256 } from 'viem'
import { expect, test } from 'vitest'
import { explaining, memberOf, plain, valuesAt, warningsOf } from '../support/explanations.ts'
import { newAccount, startOrganization } from '../support/organization.ts'
import { membersOf } from '../support/signed_documents.ts'

const organization = await startOrganization()
const explain = explaining(organization)
const { addresses } = await organization.done('create_wallet', { walletName: 'Treasury', accounts: [newAccount()] })
const [signWith] = addresses
const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const token = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

const domainTypes = [
  { name: 'name', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]
const domain = { name: 'Token', chainId: 1, verifyingContract: token }

type Types = Record<string, { name: string; type: string }[]>

function explainTypedData(types: Types, primaryType: string, message: object) {
  const text = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  return explain('sign_raw_payload', {
    ...{ signWith, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
    payload: JSON.stringify({ types: { EIP712Domain: domainTypes, ...types }, primaryType, domain, message }, text),
  })
}

/** Values as ethers writes them in the document that it signs: integers in decimals, addresses in lower case. */
function written(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return value.toLowerCase()
  if (Array.isArray(value)) return value.map(written)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, written(member)]))
}

/** The rows with the note, without the warnings above them. */
const notes = (lines: readonly string[]) => lines.filter((line) => /^“.*UNLIMITED/.test(line))

test('a permit shows the owner, the spender and that its amount is everything', async () => {
  const types = {
    Permit: [
      { name: 'owner', type: 'address' },
      { name: 'spender', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'nonce', type: 'uint256' },
      { name: 'deadline', type: 'uint256' },
    ],
  }
  const message = { owner: signWith, spender: to, value: maxUint256, nonce: 0n, deadline: 1_800_000_000n }
  const { explanation, lines } = await explainTypedData(types, 'Permit', message)
  expect(lines[0]).toBe(
    `WARNING: ${to} may spend UNLIMITED tokens of ${token}, and 1 more. Sign typed data “Permit” “Token”`,
  )
  expect(warningsOf(explanation)).toEqual(['letsSpend', 'unlimited'])
  expect(valuesAt(explanation, 'typedData', 'message').map(plain)).toEqual([message])
  expect(notes(lines)).toHaveLength(1)
  expect(notes(lines)[0]).toContain(`“value”: ${maxUint256}`)
  expect(plain(memberOf(valuesAt(explanation, 'typedData', 'domain')[0], 'chainId'))).toBe('eip155:1')
})

const permitSingle: Types = {
  PermitSingle: [
    { name: 'details', type: 'PermitDetails' },
    { name: 'spender', type: 'address' },
    { name: 'sigDeadline', type: 'uint256' },
  ],
  PermitDetails: [
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint160' },
    { name: 'expiration', type: 'uint48' },
    { name: 'nonce', type: 'uint48' },
  ],
}

test('a permit of Permit2 says of 160 bits that they are everything, and of a time of 48 bits that it is a number', async () => {
  const details = { token, amount: maxUint160, expiration: maxUint48, nonce: 0 }
  const { lines } = await explainTypedData(permitSingle, 'PermitSingle', { details, spender: to, sigDeadline: 5n })
  expect(notes(lines)).toEqual([`“amount”: ${maxUint160}, [UNLIMITED: the greatest amount that there is]`])
})

test('structs, lists of structs and lists of lists have the values that ethers signs', async () => {
  const types: Types = {
    Order: [
      { name: 'maker', type: 'Person' },
      { name: 'takers', type: 'Person[]' },
      { name: 'matrix', type: 'int16[2][]' },
      { name: 'salt', type: 'bytes32' },
      { name: 'data', type: 'bytes' },
      { name: 'isOpen', type: 'bool' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
  }
  const message = {
    maker: { name: 'Ada', wallet: to },
    takers: [
      { name: 'Bob', wallet: token },
      { name: 'Eve', wallet: to },
    ],
    matrix: [
      [-1, 2],
      [3, -4],
    ],
    salt: `0x${'0a'.repeat(32)}`,
    data: '0xdeadbeef',
    isOpen: true,
  }
  const { explanation, lines } = await explainTypedData(types, 'Order', message)
  const signed = TypedDataEncoder.getPayload(domain, types, message)
  expect(valuesAt(explanation, 'typedData', 'message').map((value) => written(plain(value)))).toEqual([
    written(signed.message),
  ])
  const [types712] = valuesAt(explanation, 'typedData', 'types')
  expect(plain(types712)).toBe(TypedDataEncoder.from(types).encodeType('Order'))
  expect(notes(lines)).toEqual([])
})

test('a member of the domain that is a struct is shown by its type', async () => {
  const types = {
    EIP712Domain: [{ name: 'issuer', type: 'Issuer' }],
    Issuer: [{ name: 'country', type: 'string' }],
    Note: [{ name: 'text', type: 'string' }],
  }
  const { explanation } = await explain('sign_raw_payload', {
    ...{ signWith, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
    payload: JSON.stringify({
      ...{ types, primaryType: 'Note', message: { text: 'a' } },
      domain: { issuer: { country: 'CH' } },
    }),
  })
  expect(valuesAt(explanation, 'typedData', 'domain').map(plain)).toEqual([{ issuer: { country: 'CH' } }])
  expect(valuesAt(explanation, 'typedData', 'domainTypes').map(plain)).toEqual([
    'EIP712Domain(Issuer issuer)Issuer(string country)',
  ])
})

/** Explains a document as it is. */
const explainDocument = (document: object) =>
  explain('sign_raw_payload', {
    ...{ signWith, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
    payload: JSON.stringify(document),
  })

test('members that no type names are not shown as signed: each is named, and the title warns', async () => {
  const document = {
    types: {
      EIP712Domain: [...domainTypes, { name: 'scope', type: 'Scope' }],
      Scope: [{ name: 'id', type: 'uint8' }],
      Note: [
        { name: 'text', type: 'string' },
        { name: 'scopes', type: 'Scope[]' },
      ],
      Unused: [{ name: 'limit', type: 'uint256' }],
    },
    primaryType: 'Note',
    domain: { ...domain, scope: { id: 1, limit: 'at most 5 USDC' }, purpose: 'test only' },
    message: { text: 'a', scopes: [{ id: 1 }, { id: 2, limit: 5 }], limit: 'at most 5 USDC' },
  }
  const { explanation, lines, result } = await explainDocument(document)
  expect(lines[0]).toBe('WARNING: 4 members of the document are not signed, and 1 more. Sign typed data “Note” “Token”')
  expect(plain(memberOf(valuesAt(explanation, 'typedData', 'domain')[0], 'scope'))).toEqual({ id: 1n })
  expect(valuesAt(explanation, 'typedData', 'message').map(plain)).toEqual([
    { text: 'a', scopes: [{ id: 1n }, { id: 2n }] },
  ])
  expect(valuesAt(explanation, 'typedData', 'notSigned').map(plain)).toEqual([
    ['domain.scope.limit', 'domain.purpose', 'message.scopes[1].limit', 'message.limit'],
  ])
  expect(valuesAt(explanation, 'typedData', 'unusedTypes').map(plain)).toEqual([['Unused']])
  const without = await explainDocument({
    ...document,
    domain: { ...domain, scope: { id: 1 } },
    message: { text: 'a', scopes: [{ id: 1 }, { id: 2 }] },
  })
  expect(without.result).toEqual(result)
  expect(warningsOf(without.explanation)).toEqual(['unknownDocument'])
})

test('a domain without chain or contract says where a signature may hold', async () => {
  const types = (names: readonly string[]) => ({
    EIP712Domain: domainTypes.filter(({ name }) => names.includes(name)),
    Note: [{ name: 'text', type: 'string' }],
  })
  const warningsWith = async (...names: readonly string[]) => {
    const document = { types: types(names), primaryType: 'Note', domain, message: { text: 'a' } }
    return warningsOf((await explainDocument(document)).explanation)
  }
  expect(await warningsWith('name', 'chainId', 'verifyingContract')).toEqual(['unknownDocument'])
  expect(await warningsWith('name', 'verifyingContract')).toEqual(['notSigned', 'unknownDocument', 'noChain'])
  expect(await warningsWith('name', 'chainId')).toEqual(['noContract', 'notSigned', 'unknownDocument'])
  expect(await warningsWith('name')).toEqual(['noContract', 'notSigned', 'unknownDocument', 'noChain'])
})

test('a contract or a chain of another type than those of the standard is shown as what it is', async () => {
  const types = {
    EIP712Domain: [
      { name: 'chainId', type: 'string' },
      { name: 'verifyingContract', type: 'string' },
    ],
    Note: [{ name: 'text', type: 'string' }],
  }
  const { explanation } = await explainDocument({
    ...{ types, primaryType: 'Note', message: { text: 'a' } },
    domain: { chainId: '1', verifyingContract: token.toLowerCase() },
  })
  const [shown] = valuesAt(explanation, 'typedData', 'domain')
  expect([memberOf(shown, 'chainId')?.kind, memberOf(shown, 'verifyingContract')?.kind]).toEqual(['text', 'text'])
})

test('the domain as primary type says that there is no message', async () => {
  const { explanation, lines } = await explainDocument({
    ...{ types: { EIP712Domain: domainTypes }, primaryType: 'EIP712Domain', domain },
  })
  expect(lines[0]).toBe('WARNING: only the domain is signed, and no message. Sign typed data “EIP712Domain” “Token”')
  expect(valuesAt(explanation, 'typedData', 'message')).toEqual([{ kind: 'note', code: 'onlyDomain' }])
})

test('bytes in a message may be a call: the transaction of a Safe says so in its title', async () => {
  const types = {
    SafeTx: [
      { name: 'to', type: 'address' },
      { name: 'data', type: 'bytes' },
    ],
  }
  const { lines } = await explainTypedData(types, 'SafeTx', { to, data: '0xa9059cbb' })
  expect(lines[0]).toContain('WARNING: 4 bytes among the values are not read and may hold further calls')
  expect((await explainTypedData(types, 'SafeTx', { to, data: '0x' })).lines[0]).toContain('WARNING: nobody but')
})

test('a text that is not shown to its end stands in the title: of a member, and of the types', async () => {
  const note = { Note: [{ name: 'text', type: 'string' }] }
  const warningsWith = async (types: Types, message: object) =>
    warningsOf((await explainTypedData(types, 'Note', message)).explanation)
  expect(await warningsWith(note, { text: 'x'.repeat(1_000) })).toEqual(['unknownDocument'])
  expect(await warningsWith(note, { text: `${'x'.repeat(1_000)} and everything` })).toEqual([
    'cutText',
    'unknownDocument',
  ])
  const names = Array.from({ length: 200 }, (_, index) => `member_${index}_${'x'.repeat(50)}`)
  const types = { Note: names.map((name) => ({ name, type: 'bool' })) }
  expect(await warningsWith(types, Object.fromEntries(names.map((name) => [name, true])))).toEqual([
    'cutText',
    'unknownDocument',
  ])
})

test.each<readonly [string, Types, object, readonly string[], string]>([
  [
    'a permit as good as unlimited',
    { Permit: membersOf('address owner,address spender,uint256 value,uint256 nonce,uint256 deadline') },
    { owner: signWith, spender: to, value: maxUint256 - 1n, nonce: 0, deadline: 5 },
    ['letsSpend', 'nearlyUnlimited'],
    `${to} may spend as good as UNLIMITED tokens of ${token}`,
  ],
  [
    'a permit of Dai',
    { Permit: membersOf('address holder,address spender,uint256 nonce,uint256 expiry,bool allowed') },
    { holder: signWith, spender: to, nonce: 0, expiry: 0, allowed: true },
    ['letsSpend'],
    `${to} may spend everything`,
  ],
  [
    'a permit of Dai that ends one',
    { Permit: membersOf('address holder,address spender,uint256 nonce,uint256 expiry,bool allowed') },
    { holder: signWith, spender: to, nonce: 0, expiry: 0, allowed: false },
    [],
    'Sign typed data “Permit” “Token”',
  ],
  [
    'a permit for a single token',
    { Permit: membersOf('address spender,uint256 tokenId,uint256 nonce,uint256 deadline') },
    { spender: to, tokenId: 7, nonce: 0, deadline: 5 },
    ['letsSpend'],
    `${to} may spend 1 of the token number 7 of ${token}`,
  ],
  [
    'a batch of Permit2',
    {
      PermitBatch: membersOf('PermitDetails[] details,address spender,uint256 sigDeadline'),
      PermitDetails: membersOf('address token,uint160 amount,uint48 expiration,uint48 nonce'),
    },
    {
      details: [3, 0, 4].map((amount) => ({ token, amount, expiration: 0, nonce: 0 })),
      ...{ spender: to, sigDeadline: 5 },
    },
    ['letsSpend', 'letsSpend'],
    `${to} may spend 4 of the smallest unit of the token ${token}, and 1 more. `,
  ],
  [
    'a transfer of Permit2 with a witness',
    {
      PermitWitnessTransferFrom: membersOf(
        'TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,Witness witness',
      ),
      TokenPermissions: membersOf('address token,uint256 amount'),
      Witness: membersOf('address user'),
    },
    { permitted: { token, amount: 5 }, spender: to, nonce: 0, deadline: 5, witness: { user: token } },
    ['letsSpend', 'unknownDocument'],
    `${to} may spend 5 of the smallest unit of the token ${token}`,
  ],
  [
    'a transfer with an authorization',
    {
      TransferWithAuthorization: membersOf(
        'address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce',
      ),
    },
    { from: signWith, to, value: 9, validAfter: 0, validBefore: 5, nonce: `0x${'11'.repeat(32)}` },
    ['goesTo'],
    `${to} gets 9 of the smallest unit of the token ${token}`,
  ],
  [
    'a transaction of a Safe',
    {
      SafeTx: membersOf(
        'address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce',
      ),
    },
    {
      ...{ to, value: 10n ** 18n, data: '0x', operation: 1, safeTxGas: 0, baseGas: 0, gasPrice: 0 },
      ...{ gasToken: token, refundReceiver: token, nonce: 1 },
    },
    ['delegateCall'],
    `the code at ${to} acts as the account itself, and may do everything with it. `,
  ],
])('%s says in the title who gets what', async (_, types, message, codes, text) => {
  const [primaryType = ''] = Object.keys(types)
  const { explanation, lines } = await explainTypedData(types, primaryType, message)
  expect(warningsOf(explanation)).toEqual(codes)
  expect(lines[0]?.startsWith(`WARNING: ${text}`) || lines[0] === text).toBe(true)
  const signed = TypedDataEncoder.from(types)
  expect(plain(valuesAt(explanation, 'typedData', 'types')[0])).toBe(signed.encodeType(primaryType))
})

test('a transaction of a Safe says in the title that the Safe pays for its execution, how much at least, and whom', async () => {
  const members = (base: string) =>
    `address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 ${base},uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce`
  const none = `0x${'00'.repeat(20)}`
  const titleOf = async (base: string, message: object) => {
    const given = {
      to: token,
      value: 0,
      data: '0x',
      operation: 0,
      safeTxGas: 0,
      [base]: 1_000_000,
      nonce: 1,
      ...message,
    }
    return (await explainTypedData({ SafeTx: membersOf(members(base)) }, 'SafeTx', given)).lines[0]
  }
  const pays = { gasPrice: 2_000_000_000, gasToken: token, refundReceiver: to }
  const unit = `of the smallest unit of the token ${token}`
  const ofToken = `2000000000 ${unit} for each gas, without a bound and at least 2000000000000000 ${unit}`
  const signed = 'Sign typed data “SafeTx” “Token”'
  expect(await titleOf('baseGas', pays)).toBe(`WARNING: for the execution, the Safe pays ${to} ${ofToken}. ${signed}`)
  // Before version 1.0.0 of the Safe.
  expect(await titleOf('dataGas', pays)).toBe(`WARNING: for the execution, the Safe pays ${to} ${ofToken}. ${signed}`)
  expect(await titleOf('baseGas', { ...pays, gasToken: none, refundReceiver: none })).toBe(
    `WARNING: for the execution, the Safe pays whoever executes it 0.000000002 ETH (2000000000 wei) for each gas, without a bound and at least 0.002 ETH (2000000000000000 wei). ${signed}`,
  )
  const open = await titleOf('baseGas', { ...pays, baseGas: 0, gasPrice: 10n ** 18n })
  expect(open).toContain(`pays ${to} 1${'0'.repeat(18)} ${unit} for each gas, without a bound and at least 0 ${unit}`)
  expect(await titleOf('baseGas', { ...pays, gasPrice: 0 })).toBe(signed)
})

test('a contract that is a text names no token in the title', async () => {
  const types = {
    EIP712Domain: [{ name: 'verifyingContract', type: 'string' }],
    Permit: membersOf('address owner,address spender,uint256 value,uint256 nonce,uint256 deadline'),
  }
  const { lines } = await explainDocument({
    ...{ types, primaryType: 'Permit', domain: { verifyingContract: '0x00. Nothing is sent' } },
    message: { owner: signWith, spender: to, value: 5, nonce: 0, deadline: 5 },
  })
  expect(lines[0]).toBe(
    `WARNING: ${to} may spend 5 of the smallest unit; the domain names no chain, so it may hold on every one. Sign typed data “Permit”`,
  )
})
