import { createPublicKey, verify } from 'node:crypto'
import {
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { TurnkeySigner } from '@turnkey/solana'
import { beforeAll, describe, expect, test } from 'vitest'
import { asClientOf, httpClient, serverClient, solanaAccount } from '../support/clients.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

let server: ReachableServer
let address: string
let recipient: PublicKey
beforeAll(async () => {
  server = await organizationOnSharedServer()
  const { addresses } = await serverClient(server).createWallet({
    walletName: 'for Solana',
    accounts: [solanaAccount(0), solanaAccount(1)],
  })
  address = addresses[0] ?? ''
  recipient = new PublicKey(addresses[1] ?? '')
})

const recentBlockhash = new PublicKey(new Uint8Array(32).fill(7)).toBase58()

type Client = ConstructorParameters<typeof TurnkeySigner>[0]['client']

const clients = {
  '@turnkey/http': () => asClientOf<Client>(httpClient(server)),
  '@turnkey/http, dialect hosted': () => asClientOf<Client>(httpClient(server, 'hosted')),
  '@turnkey/sdk-server': () => asClientOf<Client>(serverClient(server)),
  '@turnkey/sdk-server, dialect hosted': () => asClientOf<Client>(serverClient(server, 'hosted')),
}

describe.each(Object.entries(clients))('a signer of @turnkey/solana through %s', (_, newClient) => {
  let signer: TurnkeySigner
  beforeAll(() => {
    signer = new TurnkeySigner({ organizationId: server.credentials.organizationId, client: newClient() })
  })

  test.each([
    ['a text', Buffer.from('hello, Solana')],
    ['no bytes at all', new Uint8Array()],
    ['bytes', new Uint8Array(1_000)],
  ])('signMessage of %s verifies under the address', async (_, message) => {
    expect(isSignedBy(address, message, await signer.signMessage(message, address))).toBe(true)
  })

  test('addSignature signs a legacy transaction: signRawPayload over its message', async () => {
    const transaction = legacyTransaction(1)
    await signer.addSignature(transaction, address)
    expect(transaction.verifySignatures()).toBe(true)
    expect(Transaction.from(transaction.serialize()).verifySignatures()).toBe(true)
  })

  test('addSignature signs a versioned transaction', async () => {
    const transaction = versionedTransaction(1)
    await signer.addSignature(transaction, address)
    const { message, signatures } = VersionedTransaction.deserialize(transaction.serialize())
    expect(isSignedBy(address, message.serialize(), signatures[0] ?? new Uint8Array())).toBe(true)
  })

  test('signAllTransactions signs several at once: signRawPayloads', async () => {
    const signed = await signer.signAllTransactions(
      [legacyTransaction(1), legacyTransaction(2), legacyTransaction(3)],
      address,
    )
    expect(signed.map((transaction) => transaction instanceof Transaction && transaction.verifySignatures())).toEqual([
      true,
      true,
      true,
    ])
  })

  test('signTransaction signs a legacy transaction: sign_transaction', async () => {
    const signed = await signer.signTransaction(legacyTransaction(1), address)
    if (!(signed instanceof Transaction)) throw new Error('a legacy transaction comes back as one')
    expect(signed.verifySignatures()).toBe(true)
  })

  test('signTransaction signs a versioned transaction', async () => {
    const signed = await signer.signTransaction(versionedTransaction(1), address)
    if (!(signed instanceof VersionedTransaction)) throw new Error('a versioned transaction comes back as one')
    expect(isSignedBy(address, signed.message.serialize(), signed.signatures[0] ?? new Uint8Array())).toBe(true)
  })

  test('signTransaction keeps the signature of another signer', async () => {
    const payer = Keypair.generate()
    const transaction = new Transaction({
      feePayer: payer.publicKey,
      blockhash: recentBlockhash,
      lastValidBlockHeight: 1,
    })
    transaction.add(transfer(1)).partialSign(payer)
    const signed = await signer.signTransaction(transaction, address)
    expect(signed instanceof Transaction && signed.verifySignatures()).toBe(true)
  })

  test('signTransaction is refused with the reason where the address is none of the signers', async () => {
    await expect(signer.signTransaction(legacyTransaction(1), recipient.toBase58())).rejects.toMatchObject({
      message: expect.stringContaining('the key of signWith is none of its signers'),
    })
  })
})

function transfer(lamports: number): TransactionInstruction {
  return SystemProgram.transfer({ fromPubkey: new PublicKey(address), toPubkey: recipient, lamports })
}

function legacyTransaction(lamports: number): Transaction {
  return new Transaction({ feePayer: new PublicKey(address), blockhash: recentBlockhash, lastValidBlockHeight: 1 }).add(
    transfer(lamports),
  )
}

function versionedTransaction(lamports: number): VersionedTransaction {
  const payerKey = new PublicKey(address)
  return new VersionedTransaction(
    new TransactionMessage({ payerKey, recentBlockhash, instructions: [transfer(lamports)] }).compileToV0Message(),
  )
}

function isSignedBy(signerAddress: string, message: Uint8Array, signature: Uint8Array): boolean {
  const x = new PublicKey(signerAddress).toBuffer().toString('base64url')
  return verify(null, message, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), signature)
}
