import { TurnkeySigner } from '@turnkey/ethers'
import { Transaction, type TransactionLike, type TypedDataField, verifyMessage, verifyTypedData } from 'ethers'
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
  const wallet = await client.createWallet({ walletName: 'for ethers', accounts: [ethereumAccount()] })
  address = wallet.addresses[0] ?? ''
  const { privateKeys } = await client.createPrivateKeys({
    privateKeys: [
      {
        privateKeyName: 'for ethers',
        curve: 'CURVE_SECP256K1',
        privateKeyTags: [],
        addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
      },
    ],
  })
  privateKeyId = privateKeys[0]?.privateKeyId ?? ''
})

const to = '0x1111111111111111111111111111111111111111'
const fees = { maxFeePerGas: 30_000_000_000n, maxPriorityFeePerGas: 1n }
const accessList = [{ address: to, storageKeys: [`0x${'00'.repeat(31)}ff`] }]

const transactions: Readonly<Record<string, TransactionLike<string>>> = {
  'a legacy transaction': { type: 0, chainId: 1n, nonce: 0, to, value: 1n, gasLimit: 21_000n, gasPrice: 7n },
  'a legacy transaction from before chain ids': { type: 0, chainId: 0n, nonce: 1, to, gasLimit: 21_000n, gasPrice: 7n },
  'an EIP-2930 transaction': { type: 1, chainId: 10n, nonce: 2, to, gasLimit: 50_000n, gasPrice: 7n, accessList },
  'an EIP-1559 transaction': { type: 2, chainId: 8453n, nonce: 3, to, value: 2n, data: '0xab', gasLimit: 1n, ...fees },
  'an EIP-1559 contract creation': { type: 2, chainId: 1n, nonce: 4, data: '0x6000', gasLimit: 90_000n, ...fees },
}

const domain = { name: 'Ether Mail', version: '1', chainId: 1, verifyingContract: to }
const types: Record<string, TypedDataField[]> = {
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
}
const value = {
  from: { name: 'Ada', wallets: [to] },
  to: [{ name: 'Grace', wallets: [] }],
  amount: 2n ** 200n,
  contents: '0xdeadbeef',
}

type Client = ConstructorParameters<typeof TurnkeySigner>[0]['client']

const clients = {
  '@turnkey/http': () => asClientOf<Client>(httpClient(server)),
  '@turnkey/http, dialect hosted': () => asClientOf<Client>(httpClient(server, 'hosted')),
  '@turnkey/sdk-server': () => asClientOf<Client>(serverClient(server)),
  '@turnkey/sdk-server, dialect hosted': () => asClientOf<Client>(serverClient(server, 'hosted')),
}

describe.each(Object.entries(clients))('a signer of @turnkey/ethers through %s', (_, newClient) => {
  let signer: TurnkeySigner
  beforeAll(async () => {
    signer = new TurnkeySigner({
      client: newClient(),
      organizationId: server.credentials.organizationId,
      signWith: address,
    })
    expect(await signer.getAddress()).toBe(address)
  })

  test.each([
    ['a text', 'hello, Claviger ✓'],
    ['the empty text', ''],
    ['bytes', new Uint8Array([0, 255])],
  ] as const)('signMessage of %s recovers to the address', async (_, message) => {
    expect(verifyMessage(message, await signer.signMessage(message))).toBe(address)
  })

  test('signTypedData recovers to the address, nested types and arrays included', async () => {
    const signature = await signer.signTypedData(domain, types, value)
    expect(verifyTypedData(domain, types, value, signature)).toBe(address)
  })

  test.each(Object.entries(transactions))('%s keeps its fields and its sender is the address', async (_, asked) => {
    const signed = Transaction.from(await signer.signTransaction({ ...asked, from: address }))
    expect(signed).toMatchObject(asked)
    expect(signed.from).toBe(address)
    expect(signed.unsignedSerialized).toBe(Transaction.from(asked).unsignedSerialized)
  })

  test('a signer named by the id of a private key finds its address and signs', async () => {
    const { organizationId } = server.credentials
    const byId = new TurnkeySigner({ client: newClient(), organizationId, signWith: privateKeyId })
    const ownAddress = await byId.getAddress()
    expect(ownAddress).not.toBe(address)
    expect(verifyMessage('by id', await byId.signMessage('by id'))).toBe(ownAddress)
  })

  test('an address that nobody holds ends in the error of the package, with the reason of the server', async () => {
    const { organizationId } = server.credentials
    const stranger = new TurnkeySigner({ client: newClient(), organizationId, signWith: to })
    await expect(stranger.signMessage('x')).rejects.toMatchObject({
      name: 'TurnkeyActivityError',
      message: expect.stringContaining('Could not find any resource to sign with.'),
    })
  })
})
