import { createAccount, isTurnkeyActivityError, signAuthorization } from '@turnkey/viem'
import {
  createWalletClient,
  custom,
  type Hex,
  isHex,
  type LocalAccount,
  parseGwei,
  parseTransaction,
  recoverMessageAddress,
  recoverTransactionAddress,
  recoverTypedDataAddress,
  type TransactionSerializable,
  verifyMessage,
} from 'viem'
import { recoverAuthorizationAddress } from 'viem/utils'
import { beforeAll, describe, expect, test } from 'vitest'
import { asClientOf, ethereumAccount, httpClient, serverClient } from '../support/clients.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

let server: ReachableServer
let address: string
let privateKeyId: string
beforeAll(async () => {
  server = await organizationOnSharedServer()
  const client = serverClient(server)
  const wallet = await client.createWallet({ walletName: 'for viem', accounts: [ethereumAccount()] })
  address = wallet.addresses[0] ?? ''
  const { privateKeys } = await client.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: 'for viem',
        curve: 'CURVE_SECP256K1',
        privateKeyTags: [],
        addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
      },
    ],
  })
  privateKeyId = privateKeys[0]?.privateKeyId ?? ''
})

const to = '0x1111111111111111111111111111111111111111'
const storageKey = '0x00000000000000000000000000000000000000000000000000000000000000ff'
const accessList = [{ address: to, storageKeys: [storageKey] }] as const
const fees = { maxFeePerGas: parseGwei('30'), maxPriorityFeePerGas: parseGwei('1') }

/** One for each form that Ethereum knows; zeros and empty fields are where encodings go wrong. */
const transactions: Readonly<Record<string, TransactionSerializable>> = {
  'a legacy transaction with a chain id': {
    type: 'legacy',
    chainId: 1,
    nonce: 0,
    to,
    value: 1n,
    gas: 21_000n,
    gasPrice: parseGwei('20'),
  },
  'a legacy transaction from before chain ids': { type: 'legacy', nonce: 7, to, value: 1n, gas: 21_000n, gasPrice: 1n },
  'an EIP-2930 transaction with an access list': {
    type: 'eip2930',
    chainId: 10,
    nonce: 3,
    to,
    gas: 50_000n,
    gasPrice: 1n,
    accessList,
  },
  'an EIP-1559 transfer': { type: 'eip1559', chainId: 1, nonce: 0, to, value: 10n ** 18n, gas: 21_000n, ...fees },
  'an EIP-1559 call with data and an access list': {
    type: 'eip1559',
    chainId: 8453,
    nonce: 300,
    to,
    data: '0xa9059cbb00',
    gas: 90_000n,
    accessList,
    ...fees,
  },
  'an EIP-1559 contract creation': { type: 'eip1559', chainId: 1, nonce: 1, data: '0x6000', gas: 90_000n, ...fees },
}

/** A wallet client needs a way to a chain, even where nothing has to be asked. */
const offline = custom({ request: () => Promise.reject(new Error('no chain is needed to sign')) })

const EIP712Domain = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const

const typedData = {
  domain: { name: 'Ether Mail', version: '1', chainId: 1n, verifyingContract: to },
  types: {
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallets', type: 'address[]' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person[]' },
      { name: 'amount', type: 'uint256' },
      { name: 'contents', type: 'bytes' },
    ],
  },
  primaryType: 'Mail',
  message: {
    from: { name: 'Ada', wallets: [to] },
    to: [{ name: 'Grace', wallets: [] }],
    amount: 2n ** 200n,
    contents: '0xdeadbeef',
  },
} as const

type Client = Parameters<typeof createAccount>[0]['client']

const clients = {
  '@turnkey/http': () => asClientOf<Client>(httpClient(server)),
  '@turnkey/http, dialect hosted': () => asClientOf<Client>(httpClient(server, 'hosted')),
  '@turnkey/sdk-server': () => asClientOf<Client>(serverClient(server)),
  '@turnkey/sdk-server, dialect hosted': () => asClientOf<Client>(serverClient(server, 'hosted')),
}

describe.each(Object.entries(clients))('an account of @turnkey/viem through %s', (_, newClient) => {
  let account: LocalAccount
  beforeAll(async () => {
    const { organizationId } = server.credentials
    account = await createAccount({ client: newClient(), organizationId, signWith: address })
    expect(account.address).toBe(address)
  })

  test.each([
    ['a text', 'hello, Claviger ✓'],
    ['the empty text', ''],
    ['bytes', { raw: '0x00ff' }],
  ] as const)('signMessage of %s recovers to the address', async (_, message) => {
    const signature = await account.signMessage({ message })
    expect(await recoverMessageAddress({ message, signature })).toBe(address)
    expect(await verifyMessage({ address: account.address, message, signature })).toBe(true)
  })

  test('a wallet client signs typed data, nested types and arrays included', async () => {
    const signature = await createWalletClient({ account, transport: offline }).signTypedData(typedData)
    expect(await recoverTypedDataAddress({ ...typedData, signature })).toBe(address)
  })

  test('the account itself loses a domain whose type is missing, and is told how to keep it', async () => {
    await expect(account.signTypedData(typedData)).rejects.toThrow(
      /drops a domain whose type is missing\. Add EIP712Domain .* or sign with the wallet client of viem/,
    )
  })

  // Without that type viem serializes no domain at all; its wallet client adds it.
  test('the account itself signs typed data that spells out EIP712Domain', async () => {
    const whole = { ...typedData, types: { EIP712Domain, ...typedData.types } }
    const signature = await account.signTypedData(whole)
    expect(await recoverTypedDataAddress({ ...typedData, signature })).toBe(address)
  })

  test.each(Object.entries(transactions))(
    '%s keeps its fields and its sender is the address',
    async (_, transaction) => {
      const signed = await account.signTransaction(transaction)
      expect(parseTransaction(signed)).toMatchObject(withoutZeros(transaction))
      expect(await recoverTransactionAddress({ serializedTransaction: asSerialized(signed) })).toBe(address)
    },
  )

  test('an EIP-7702 authorization recovers to the address, as an object and in hex', async () => {
    if (account.signAuthorization === undefined) throw new Error('the account signs authorizations')
    for (const asked of [
      { chainId: 1, address: to, nonce: 5 },
      { chainId: 0, address: to, nonce: 0 },
    ] as const) {
      const authorization = await account.signAuthorization(asked)
      expect(authorization).toMatchObject(asked)
      expect(await recoverAuthorizationAddress({ authorization })).toBe(address)
      const { organizationId } = server.credentials
      const signature = await signAuthorization(newClient(), { ...asked, to: 'hex' }, organizationId, address)
      expect(await recoverAuthorizationAddress({ authorization: asked, signature: asHex(signature) })).toBe(address)
    }
  })

  const authorization = {
    address: to,
    chainId: 1,
    nonce: 5,
    yParity: 1,
    r: `0x${'11'.repeat(32)}`,
    s: `0x${'12'.repeat(32)}`,
  } as const

  test.each([
    ['EIP-4844', { type: 'eip4844', blobVersionedHashes: [`0x01${'ab'.repeat(31)}`], maxFeePerBlobGas: 1n }],
    ['EIP-7702', { type: 'eip7702', authorizationList: [authorization] }],
  ] as const)('a transaction of %s keeps its fields and its sender is the address', async (_, form) => {
    const transaction: TransactionSerializable = { ...form, chainId: 1, nonce: 2, to, gas: 21_000n, ...fees }
    const signed = await account.signTransaction(transaction)
    expect(parseTransaction(signed)).toMatchObject(transaction)
    expect(await recoverTransactionAddress({ serializedTransaction: asSerialized(signed) })).toBe(address)
  })

  test('an account named by the id of a private key finds its address and signs', async () => {
    const { organizationId } = server.credentials
    const byId = await createAccount({ client: newClient(), organizationId, signWith: privateKeyId })
    expect(byId.address).not.toBe(address)
    const message = 'by id'
    const signature = await byId.signMessage({ message })
    expect(await recoverMessageAddress({ message, signature })).toBe(byId.address)
  })

  test('an address that nobody holds ends in the error of the package, with the reason of the server', async () => {
    const { organizationId } = server.credentials
    const stranger = await createAccount({ client: newClient(), organizationId, signWith: to })
    const error: unknown = await stranger.signMessage({ message: 'x' }).catch((reason: unknown) => reason)
    expect(isTurnkeyActivityError(error)).toBeTruthy()
    expect(String(error)).toContain('Could not find any resource to sign with.')
  })
})

/** viem leaves out what is zero or empty when it parses. */
function withoutZeros(transaction: TransactionSerializable): object {
  return Object.fromEntries(Object.entries(transaction).filter(([, value]) => value !== 0 && value !== 0n))
}

type Serialized = Parameters<typeof recoverTransactionAddress>[0]['serializedTransaction']

/** viem's type tells the forms apart by their first byte; an account's signer returns any of them. */
function asSerialized(signed: `0x${string}`): Serialized {
  return signed as Serialized
}

function asHex(value: unknown): Hex {
  if (isHex(value)) return value
  throw new Error('expected hex')
}
