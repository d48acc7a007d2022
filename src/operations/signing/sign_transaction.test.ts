import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { PublicKey, SystemProgram, Transaction } from '@solana/web3.js'
import { Transaction as BitcoinTransaction, address as bitcoinAddress, Psbt } from 'bitcoinjs-lib'
import { TronWeb, utils } from 'tronweb'
import { parseTransaction, recoverTransactionAddress, serializeTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import { prepareBitcoinjs } from '../../../test/support/bitcoinjs.ts'
import { expectRefused, newAccount, newPrivateKey, startOrganization } from '../../../test/support/organization.ts'

prepareBitcoinjs()
const { submit, done, anotherUser } = await startOrganization()
const accounts = [
  newAccount(),
  newAccount({ path: "m/44'/501'/0'/0'", curve: 'CURVE_ED25519', addressFormat: 'ADDRESS_FORMAT_SOLANA' }),
  newAccount({ path: "m/86'/0'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR' }),
  newAccount({ path: "m/84'/0'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH' }),
  newAccount({ path: "m/44'/195'/0'", addressFormat: 'ADDRESS_FORMAT_TRON' }),
]
const { addresses } = await done('create_wallet', { walletName: 'wallet', accounts })
const [address, solana, taproot, segwit, tron] = addresses
const type = 'TRANSACTION_TYPE_ETHEREUM'
const to = '0x00000000000000000000000000000000000000aa'

const transactions = {
  legacy: { type: 'legacy', chainId: 1, nonce: 3, gasPrice: 1n, gas: 21_000n, to, value: 5n },
  'legacy without a chain': { type: 'legacy', nonce: 3, gasPrice: 1n, gas: 21_000n, to, value: 5n },
  'type 1': { type: 'eip2930', chainId: 137, nonce: 0, gasPrice: 1n, gas: 21_000n, to, accessList: [] },
  'type 2': { type: 'eip1559', chainId: 1, nonce: 0, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, gas: 21_000n, to },
  'type 3': {
    type: 'eip4844',
    chainId: 1,
    nonce: 0,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
    gas: 21_000n,
    to,
    maxFeePerBlobGas: 3n,
    blobVersionedHashes: [`0x01${'00'.repeat(31)}`],
  },
  'type 4': {
    type: 'eip7702',
    chainId: 1,
    nonce: 0,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
    gas: 21_000n,
    to,
    authorizationList: [{ address: to, chainId: 1, nonce: 0, yParity: 0, r: '0x01', s: '0x02' }],
  },
} as const
const unsigned = serializeTransaction(transactions['type 2'])

for (const [claim, transaction] of Object.entries(transactions)) {
  for (const prefix of ['0x', '']) {
    test(`a ${claim} transaction is signed, sent ${prefix === '' ? 'without' : 'with'} 0x`, async () => {
      const unsignedTransaction = serializeTransaction(transaction).replace('0x', prefix)
      const { signedTransaction, ...rest } = await done('sign_transaction', {
        signWith: address,
        unsignedTransaction,
        type,
      })
      expect(rest).toStrictEqual({})
      expect(signedTransaction).toMatch(/^[0-9a-f]+$/)
      const { nonce, to: recipient } = parseTransaction(`0x${signedTransaction}`)
      expect([nonce ?? 0, recipient]).toEqual([transaction.nonce, to])
      expect(await recoverTransactionAddress({ serializedTransaction: `0x${signedTransaction}` as never })).toBe(
        address,
      )
    })
  }
}

test('a Solana transaction gets the signature of its signer', async () => {
  const payer = new PublicKey(solana ?? '')
  const instructions = [SystemProgram.transfer({ fromPubkey: payer, toPubkey: payer, lamports: 1 })]
  const recentBlockhash = payer.toBase58()
  const unsigned = new Transaction({ feePayer: payer, blockhash: recentBlockhash, lastValidBlockHeight: 1 }).add(
    ...instructions,
  )
  const { signedTransaction } = await done('sign_transaction', {
    signWith: solana,
    unsignedTransaction: unsigned.serialize({ verifySignatures: false }).toString('hex'),
    type: 'TRANSACTION_TYPE_SOLANA',
  })
  expect(signedTransaction).toMatch(/^01[0-9a-f]+$/)
  expect(Transaction.from(Buffer.from(signedTransaction, 'hex')).verifySignatures()).toBe(true)
})

test('a Tron transaction is returned as a node accepts it', async () => {
  const value = { owner_address: tron, to_address: tron, amount: 5 }
  const raw_data = {
    contract: [{ type: 'TransferContract', parameter: { value, type_url: '' } }],
    ref_block_bytes: '0102',
    ref_block_hash: '0102030405060708',
    expiration: 2,
    timestamp: 1,
  }
  const transaction = utils.transaction.txJsonToPb({ visible: false, txID: '', raw_data_hex: '', raw_data } as never)
  const rawData = utils.transaction.txPbToRawDataHex(transaction).toLowerCase()
  const { signedTransaction } = await done('sign_transaction', {
    signWith: tron,
    unsignedTransaction: rawData,
    type: 'TRANSACTION_TYPE_TRON',
  })
  // Field 1: raw_data, here shorter than 128 bytes. Field 2: the 65 bytes of a signature.
  const length = (rawData.length / 2).toString(16)
  const [, signature = ''] = new RegExp(`^0a${length}${rawData}1241([0-9a-f]{130})$`).exec(signedTransaction) ?? []
  const id = utils.transaction.txPbToTxID(transaction).replace(/^0x/, '')
  expect(TronWeb.address.fromHex(utils.crypto.ecRecover(id, `0x${signature}`))).toBe(tron)
})

/** A PSBT that spends one output of each address. The addresses share only the wallet. */
function psbtOf(...spent: readonly string[]): Psbt {
  const psbt = new Psbt()
  for (const [index, owner] of spent.entries()) {
    const witnessUtxo = { script: bitcoinAddress.toOutputScript(owner), value: 1_000n }
    psbt.addInput({ hash: new Uint8Array(32).fill(7), index, witnessUtxo })
  }
  return psbt.addOutput({ address: spent[0] ?? '', value: 900n })
}

for (const [claim, signWith, own] of [
  ['P2TR', taproot, 0],
  ['P2WPKH', segwit, 1],
] as const) {
  test(`a PSBT gets the signatures of a ${claim} address in the inputs that pay to it, and in no others`, async () => {
    const unsignedTransaction = Buffer.from(psbtOf(taproot, segwit).toBuffer()).toString('hex')
    const type = 'TRANSACTION_TYPE_BITCOIN'
    const { signedTransaction } = await done('sign_transaction', { signWith, unsignedTransaction, type })
    expect(signedTransaction).toMatch(/^70736274ff[0-9a-f]+$/)
    const signed = Psbt.fromHex(signedTransaction)
    const isSigned = signed.data.inputs.map(({ partialSig, tapKeySig }) => (partialSig ?? tapKeySig) !== undefined)
    expect(isSigned).toEqual([own === 0, own === 1])
    const { partialSig, tapKeySig } = signed.data.inputs[own] ?? {}
    if (own === 1) {
      expect(partialSig).toHaveLength(1)
      const isValid = (publicKey: Uint8Array, digest: Uint8Array, signature: Uint8Array) =>
        secp256k1.verify(signature, digest, publicKey, { prehash: false })
      expect(signed.validateSignaturesOfInput(1, isValid)).toBe(true)
      return
    }
    const scripts = [taproot, segwit].map((owner) => bitcoinAddress.toOutputScript(owner))
    const transaction = BitcoinTransaction.fromBuffer(signed.data.getTransaction())
    const digest = transaction.hashForWitnessV1(0, scripts, [1_000n, 1_000n], 0)
    // The script of P2TR: version 1 and a push of the key.
    const outputKey = scripts[0]?.subarray(2) ?? new Uint8Array()
    expect(schnorr.verify(tapKeySig ?? new Uint8Array(), digest, outputKey)).toBe(true)
  })
}

describe('invalid requests sign nothing', () => {
  for (const [claim, change, status, text] of [
    ['nothing', { unsignedTransaction: '' }, 400, 'parameters.unsignedTransaction must be a transaction in hex'],
    ['no hex', { unsignedTransaction: 'xyz' }, 400, 'failed to parse transaction: parameters.unsignedTransaction'],
    [
      'no transaction',
      { unsignedTransaction: 'c0' },
      400,
      'failed to parse transaction: parameters.unsignedTransaction',
    ],
    ['an extra byte', { unsignedTransaction: `${unsigned}00` }, 400, 'failed to parse transaction'],
    ['a type of 5', { unsignedTransaction: `05${unsigned.slice(4)}` }, 400, 'this transaction type is not supported'],
    [
      'an unknown type',
      { type: 'TRANSACTION_TYPE_X' },
      400,
      'parameters.type must be one of TRANSACTION_TYPE_ETHEREUM',
    ],
    [
      'an unsupported type',
      { type: 'TRANSACTION_TYPE_TEMPO' },
      400,
      'parameters.type must be one of TRANSACTION_TYPE_ETHEREUM, TRANSACTION_TYPE_SOLANA, TRANSACTION_TYPE_TRON, TRANSACTION_TYPE_BITCOIN',
    ],
    ['an unknown signer', { signWith: to }, 404, 'Could not find any resource to sign with.'],
    [
      'an Ethereum key for Solana',
      { type: 'TRANSACTION_TYPE_SOLANA' },
      400,
      'parameters.signWith must be a key of Ed25519, with which Solana signs',
    ],
    [
      'an Ethereum transaction for Solana',
      { type: 'TRANSACTION_TYPE_SOLANA', signWith: solana },
      400,
      'failed to parse transaction: parameters.unsignedTransaction: ends early',
    ],
    [
      'an Ethereum address for Bitcoin',
      { type: 'TRANSACTION_TYPE_BITCOIN' },
      400,
      'parameters.signWith must be a key of secp256k1 that is named by a Bitcoin address, its public key or its id',
    ],
    [
      'a PSBT without an input of the address',
      {
        type: 'TRANSACTION_TYPE_BITCOIN',
        signWith: taproot,
        unsignedTransaction: Buffer.from(psbtOf(segwit).toBuffer()).toString('hex'),
      },
      400,
      'has no input that the key of signWith could sign',
    ],
    ['an Ed25519 key', { signWith: solana }, 400, 'parameters.signWith must be a key that signs for Ethereum'],
    ['a taproot address', { signWith: taproot }, 400, 'parameters.signWith must be a key that signs for Ethereum'],
  ] as const) {
    test(claim, async () => {
      const parameters = { signWith: address, unsignedTransaction: unsigned, type, ...change }
      expectRefused(await submit('sign_transaction', parameters), status, text)
    })
  }
})

test('a private key without an address signs by its id', async () => {
  const [{ privateKeyId }] = (await done('create_private_keys', { privateKeys: [newPrivateKey()] })).privateKeys
  const parameters = { signWith: privateKeyId, unsignedTransaction: unsigned, type }
  expect((await done('sign_transaction', parameters)).signedTransaction).toMatch(/^02/)
})

test('the older type takes the key under either name, and one of them only', async () => {
  const [{ privateKeyId }] = (
    await done('create_private_keys', { privateKeys: [newPrivateKey({ privateKeyName: 'v1' })] })
  ).privateKeys
  const older = { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION' }
  const sign = (named: object) => submit('sign_transaction', { unsignedTransaction: unsigned, type, ...named }, older)
  for (const named of [{ privateKeyId }, { signWith: privateKeyId }]) expect((await sign(named)).status).toBe(200)
  expectRefused(await sign({}), 400, 'parameters.privateKeyId', 'parameters.signWith')
  expectRefused(await sign({ privateKeyId, signWith: privateKeyId }), 400, 'not both')
})

test('a user outside of the root quorum may not sign', async () => {
  const { apiKey } = await anotherUser()
  const parameters = { signWith: address, unsignedTransaction: unsigned, type }
  expectRefused(await submit('sign_transaction', parameters, { apiKey }), 403)
})
