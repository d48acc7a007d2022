import { ed25519 } from '@noble/curves/ed25519.js'
import { base58 } from '@scure/base'
import {
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { getAddress, parseAbi, toFunctionSelector } from 'viem'
import { beforeEach, expect, test } from 'vitest'
import { type Explained, explaining, memberOf, plain, valuesAt, warningsOf } from '../support/explanations.ts'
import { newAccount, startOrganization } from '../support/organization.ts'

const organization = await startOrganization()
const { done, found } = organization
const explain = explaining(organization)
const solanaAccount = { path: "m/44'/501'/0'/0'", curve: 'CURVE_ED25519', addressFormat: 'ADDRESS_FORMAT_SOLANA' }
const { addresses } = await done('create_wallet', { walletName: 'Treasury', accounts: [newAccount(solanaAccount)] })
const signWith = String(addresses[0])
const payer = new PublicKey(signWith)
const [first, second, third] = [1, 2, 3].map((seed) => new PublicKey(new Uint8Array(32).fill(seed)))
const token = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const program = new PublicKey(new Uint8Array(32).fill(9))

beforeEach(async () => {
  const { smartContractInterfaces } = await found('list_smart_contract_interfaces')
  for (const { smartContractInterfaceId } of smartContractInterfaces) {
    await done('delete_smart_contract_interface', { smartContractInterfaceId })
  }
})

const uploadAbi = (signatures: readonly string[], smartContractAddress = getAddress(`0x${'c1'.repeat(20)}`)) =>
  explain('create_smart_contract_interface', {
    ...{ smartContractAddress, label: 'Uploaded', type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM' },
    smartContractInterface: JSON.stringify(parseAbi(signatures)),
  })

const uploadIdl = (address: PublicKey, instructions: readonly object[], more: object = {}) =>
  explain('create_smart_contract_interface', {
    ...{ smartContractAddress: address.toBase58(), label: 'Uploaded', type: 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA' },
    smartContractInterface: JSON.stringify({ instructions, ...more }),
  })

/** Explains and signs a call. The signed message is the one that was given. */
async function signedCall(...instructions: readonly TransactionInstruction[]) {
  const message = new TransactionMessage({
    ...{ payerKey: payer, recentBlockhash: base58.encode(new Uint8Array(32).fill(7)) },
    instructions: [...instructions],
  })
  const transaction = new VersionedTransaction(message.compileToV0Message())
  const explained = await explain('sign_transaction', {
    ...{ signWith, type: 'TRANSACTION_TYPE_SOLANA' },
    unsignedTransaction: Buffer.from(transaction.serialize()).toString('hex'),
  })
  const signed = VersionedTransaction.deserialize(Buffer.from(String(explained.result.signedTransaction), 'hex'))
  expect(ed25519.verify(signed.signatures[0] ?? new Uint8Array(), signed.message.serialize(), payer.toBytes())).toBe(
    true,
  )
  expect(signed.message.compiledInstructions.map(({ data }) => [...data])).toEqual(
    instructions.map(({ data }) => [...data]),
  )
  return { ...explained, call: valuesAt(explained.explanation, 'calls', 'call')[0] }
}

function call(programId: PublicKey, keys: readonly (PublicKey | undefined)[], data: readonly number[]) {
  return new TransactionInstruction({
    programId,
    keys: keys.map((pubkey = payer) => ({ pubkey, isSigner: pubkey.equals(payer), isWritable: true })),
    data: Buffer.from(data),
  })
}

test('an upload shows what calls begin with, and the names and types of parameters, inside of tuples too', async () => {
  const signature = 'function pay((address to, uint256 amount)[] payments, bytes32 invoice, bool)'
  const { explanation, lines } = await uploadAbi([signature])
  expect(lines[0]).toBe('Create smart contract interface: “Uploaded”')
  expect(valuesAt(explanation, 'changes', 'function').map(plain)).toEqual([
    {
      selector: toFunctionSelector(signature),
      declaration: 'pay((address to, uint256 amount)[] payments, bytes32 invoice, bool)',
    },
  ])
})

test('an ABI that renames a known function, or borrows its name, says so in the title and at the function', async () => {
  const { explanation, lines } = await uploadAbi([
    'function ping()',
    'function transfer(address from, uint256 amount)',
    'function transferFrom(address sender, address recipient, uint256 amount)',
    'function approve(address spender, uint128 amount)',
  ])
  expect(lines[0]).toBe(
    'WARNING: an uploaded interface gives other names to “transfer”, which is known without it, and 1 more. Create smart contract interface: “Uploaded”',
  )
  expect(lines).toContain('warning: [“approve(address,uint128)” has the name of a known function and is another one]')
  const shown = valuesAt(explanation, 'changes', 'function')
  expect(shown.map((one) => plain(memberOf(one, 'declaration')))).toEqual([
    'transfer(address from, uint256 amount)',
    'approve(address spender, uint128 amount)',
    'ping()',
    'transferFrom(address sender, address recipient, uint256 amount)',
  ])
  expect(shown.map((one) => plain(memberOf(one, 'knownAs')))).toEqual([
    'transfer',
    undefined,
    undefined,
    'transferFrom',
  ])
  expect(memberOf(shown[0], 'warning')).toMatchObject({ kind: 'note', code: 'otherNames' })
})

test('an IDL shows discriminators, accounts and arguments; one for a built-in program says what it renames', async () => {
  const approve = {
    ...{ name: 'refresh_metadata', discriminator: [4] },
    accounts: [{ name: 'delegate' }, { name: 'source' }, { name: 'owner' }],
    args: [{ name: 'nonce', type: 'u64' }],
  }
  const { explanation, lines } = await uploadIdl(token, [approve])
  expect(lines[0]).toBe(
    'WARNING: an uploaded interface gives other names to “Approve”, which is known without it, and 1 more. Create smart contract interface: “Uploaded”',
  )
  expect(lines).toContain('warning: [this interface names anew what is read here without it: token program]')
  expect(valuesAt(explanation, 'changes', 'function').map(plain)).toMatchObject([
    {
      ...{ discriminator: '0x04', declaration: 'refresh_metadata', arguments: ['nonce: u64'] },
      ...{ accounts: ['delegate', 'source', 'owner'], knownAs: 'Approve' },
    },
  ])
})

test('an IDL shows the members of the types that its arguments have', async () => {
  const pay = { name: 'pay', accounts: [], args: [{ name: 'terms', type: { defined: 'Terms' } }] }
  const types = [{ name: 'Terms', type: { kind: 'struct', fields: [{ name: 'fee', type: 'u64' }] } }]
  const { explanation } = await uploadIdl(program, [pay], { types })
  expect(valuesAt(explanation, 'changes', 'types').map(plain)).toEqual([
    ['Terms: {"kind":"struct","fields":[{"name":"fee","type":"u64"}]}'],
  ])
})

test('an IDL of another program that borrows the name of a built-in instruction says so', async () => {
  const { explanation } = await uploadIdl(program, [{ name: 'setAuthority', accounts: [], args: [] }])
  expect(warningsOf(explanation)).toEqual(['borrowedName'])
  const other = await uploadIdl(program, [{ name: 'swap', accounts: [], args: [{ name: 'a', type: { vec: 'u8' } }] }])
  expect(warningsOf(other.explanation)).toEqual([])
  expect(valuesAt(other.explanation, 'changes', 'function').map((one) => plain(memberOf(one, 'arguments')))).toEqual([
    ['a: {"vec":"u8"}'],
  ])
})

test('an IDL for a built-in program renames nothing: its names stand below, and the title warns', async () => {
  await uploadIdl(token, [
    {
      ...{ name: 'refresh_metadata', discriminator: [4] },
      accounts: [{ name: 'delegate' }, { name: 'source' }, { name: 'owner' }],
      args: [{ name: 'nonce', type: 'u64' }],
    },
  ])
  const { call: shown, lines } = await signedCall(call(token, [first, second, undefined], [4, 5, 0, 0, 0, 0, 0, 0, 0]))
  expect(lines[0]).toContain('an uploaded interface gives other names to “Approve”, which is known without it')
  expect(lines[0]).toContain(`Let ${second?.toBase58()} spend 5 `)
  expect(plain(memberOf(shown, 'instruction'))).toBe('Approve')
  expect(memberOf(shown, 'function')).toBeUndefined()
  expect(plain(memberOf(shown, 'claimed'))).toMatchObject({
    ...{ function: 'refresh_metadata', arguments: { nonce: 5n } },
    namedAccounts: { delegate: first?.toBase58(), source: second?.toBase58(), owner: signWith },
  })
})

test('an IDL that names a built-in instruction as it is, is no reason to warn', async () => {
  const transfer = {
    name: 'transfer',
    discriminator: [2, 0, 0, 0],
    accounts: [],
    args: [{ name: 'amount', type: 'u64' }],
  }
  const { explanation } = await uploadIdl(SystemProgram.programId, [transfer])
  expect(warningsOf(explanation)).toEqual(['knownProgram'])
  const { explanation: signed } = await signedCall(
    SystemProgram.transfer({ fromPubkey: payer, toPubkey: first ?? payer, lamports: 5 }),
  )
  expect(warningsOf(signed)).toEqual([])
})

test('an IDL that declares a built-in instruction with other types says so', async () => {
  const transfer = {
    name: 'transfer',
    discriminator: [2, 0, 0, 0],
    accounts: [],
    args: [{ name: 'amount', type: 'u8' }],
  }
  const { explanation } = await uploadIdl(SystemProgram.programId, [transfer])
  expect(warningsOf(explanation)).toEqual(['otherNames', 'knownProgram'])
  const { call: shown, lines } = await signedCall(
    SystemProgram.transfer({ fromPubkey: payer, toPubkey: first ?? payer, lamports: 5_000_000_064 }),
  )
  expect(plain(memberOf(shown, 'claimed'))).toMatchObject({ arguments: { amount: 64n } })
  expect(lines[0]).toContain('an uploaded interface gives other names to “Transfer”, which is known without it')
})

/** The codes of the warnings, with their counts. */
const notesOf = ({ title }: Explained['explanation']) =>
  (title.warnings ?? []).map(({ code, values: [first] = [] }) =>
    first?.kind === 'number' ? `${code} ${first.number}` : code,
  )

test('what an IDL leaves unread is counted: a tail, bytes in arguments, accounts without a name, other encodings', async () => {
  const pay = {
    ...{ name: 'pay', discriminator: [1], accounts: [{ name: 'to' }] },
    args: [
      { name: 'amount', type: 'u16' },
      { name: 'code', type: 'bytes' },
    ],
  }
  await uploadIdl(program, [pay])
  const notesIn = async (data: readonly number[], keys = [first]) =>
    notesOf((await signedCall(call(program, keys, data))).explanation)
  const unread = 'unreadProgram'
  expect(await notesIn([1, 5, 0, 0, 0, 0, 0])).toEqual([unread])
  expect(await notesIn([1, 5, 0, 0, 0, 0, 0, 9, 9])).toEqual([unread, 'unreadBytes 2'])
  expect(await notesIn([1, 5, 0, 1, 0, 0, 0, 7])).toEqual([unread, 'innerBytes 1'])
  expect(await notesIn([1, 5])).toEqual([unread, 'unreadBytes 1'])
  expect(await notesIn([2, 5])).toEqual([unread, 'unreadBytes 2'])
  const { call: shown } = await signedCall(call(program, [first, second, third], [1, 5, 0, 0, 0, 0, 0]))
  expect(plain(memberOf(shown, 'unnamedAccounts'))).toBe(2n)
})

test('more values than are read of an IDL are said to be that', async () => {
  const many = { name: 'many', discriminator: [1], accounts: [] }
  const type = { array: [{ defined: 'Unit' }, 30_000] }
  const types = [{ name: 'Unit', type: { kind: 'struct', fields: [] } }]
  await uploadIdl(program, [{ ...many, args: [{ name: 'all', type }] }], { types })
  const { call: shown, explanation } = await signedCall(call(program, [first], [1, 5]))
  expect(memberOf(shown, 'arguments')).toMatchObject({ kind: 'note', code: 'beyondLimit' })
  expect(warningsOf(explanation)).toEqual(['unreadProgram', 'unreadBytes'])
})
