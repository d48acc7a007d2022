import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newAccount,
  newPrivateKey,
  startOrganization,
} from '../../../test/support/organization.ts'

const { submit, done, found, anotherUser } = await startOrganization()

const { walletId, addresses } = await done('create_wallet', { walletName: 'wallet', accounts: [newAccount()] })
const [address] = addresses

async function keyOf(curve: string) {
  const privateKeys = [newPrivateKey({ privateKeyName: curve, curve, addressFormats: ['ADDRESS_FORMAT_COMPRESSED'] })]
  const [{ privateKeyId }] = (await done('create_private_keys', { privateKeys })).privateKeys
  return {
    privateKeyId,
    publicKey: Buffer.from((await found('get_private_key', { privateKeyId })).privateKey.publicKey, 'hex'),
  }
}
const keys = {
  secp256k1: await keyOf('CURVE_SECP256K1'),
  p256: await keyOf('CURVE_P256'),
  ed25519: await keyOf('CURVE_ED25519'),
}

const payload = 'Grüße'
const text = { payload, encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' }
const digest = createHash('sha256').update(payload).digest()

const shape = {
  r: expect.stringMatching(/^[0-9a-f]{64}$/),
  s: expect.stringMatching(/^[0-9a-f]{64}$/),
  v: expect.stringMatching(/^0[01]$/),
}
const bytesOf = ({ r, s }: { r: string; s: string }) => Buffer.from(r + s, 'hex')

test('a private key signs by its id and by its address, in either case', async () => {
  const { privateKeyId, publicKey } = keys.secp256k1
  for (const signWith of [privateKeyId, privateKeyId.toUpperCase(), publicKey.toString('hex')]) {
    const result = await done('sign_raw_payload', { signWith, ...text })
    expect(result).toStrictEqual(shape)
    expect(secp256k1.verify(bytesOf(result), digest, publicKey, { prehash: false })).toBe(true)
  }
})

test('a P-256 key signs a digest, an Ed25519 key the text itself', async () => {
  const p256Result = await done('sign_raw_payload', { signWith: keys.p256.privateKeyId, ...text })
  expect(p256.verify(bytesOf(p256Result), digest, keys.p256.publicKey, { prehash: false })).toBe(true)
  const parameters = { ...text, signWith: keys.ed25519.privateKeyId, hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE' }
  const result = await done('sign_raw_payload', parameters)
  expect(result).toStrictEqual({ ...shape, v: '00' })
  expect(ed25519.verify(bytesOf(result), Buffer.from(payload), keys.ed25519.publicKey)).toBe(true)
})

test('an account signs by its address, whatever its capitals, and the signature names its key', async () => {
  const [{ publicKey }] = (await found('list_wallet_accounts', { walletId })).accounts
  for (const signWith of [address, address.toLowerCase()]) {
    const result = await done('sign_raw_payload', { signWith, ...text })
    const recovered = secp256k1.Signature.fromBytes(bytesOf(result))
      .addRecoveryBit(Number(result.v))
      .recoverPublicKey(digest)
    expect(recovered.toHex()).toBe(publicKey)
  }
})

test('a taproot address signs as Bitcoin requires', async () => {
  const accounts = [newAccount({ path: "m/86'/0'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR' })]
  const [signWith] = (await done('create_wallet_accounts', { walletId, accounts })).addresses
  const result = await done('sign_raw_payload', { signWith, ...text })
  const { account } = await found('get_wallet_account', { walletId, address: signWith })
  const internal = schnorr.utils.lift_x(BigInt(`0x${account.publicKey.slice(2)}`))
  const tweak = BigInt(
    `0x${Buffer.from(schnorr.utils.taggedHash('TapTweak', Buffer.from(account.publicKey.slice(2), 'hex'))).toString('hex')}`,
  )
  const output = internal.add(secp256k1.Point.BASE.multiply(tweak)).toBytes(true).subarray(1)
  expect(schnorr.verify(bytesOf(result), digest, output)).toBe(true)
})

test('a Spark address signs by BIP-340 with the key as it is, a private key by its id as before', async () => {
  const addressFormats = ['ADDRESS_FORMAT_SPARK_REGTEST']
  const privateKeys = [newPrivateKey({ privateKeyName: 'spark', addressFormats })]
  const [{ privateKeyId, addresses }] = (await done('create_private_keys', { privateKeys })).privateKeys
  const { publicKey } = (await found('get_private_key', { privateKeyId })).privateKey
  const result = await done('sign_raw_payload', { signWith: addresses[0].address, ...text })
  expect(result).toStrictEqual({ ...shape, v: '00' })
  expect(schnorr.verify(bytesOf(result), digest, Buffer.from(publicKey.slice(2), 'hex'))).toBe(true)
  const byId = await done('sign_raw_payload', { signWith: privateKeyId, ...text })
  expect(secp256k1.verify(bytesOf(byId), digest, Buffer.from(publicKey, 'hex'), { prehash: false })).toBe(true)
})

test('the older type names the key by `privateKeyId` and answers under the older intent', async () => {
  const { privateKeyId } = keys.secp256k1
  const answer = await submit('sign_raw_payload', { privateKeyId, ...text }, { type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD' })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  expect(answer.body.activity).toMatchObject({
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD',
    intent: { signRawPayloadIntent: { privateKeyId, ...text } },
    result: { signRawPayloadResult: shape },
  })
  const newer = await submit(
    'sign_raw_payload',
    { signWith: privateKeyId, ...text },
    { type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD' },
  )
  expectRefused(newer, 400, 'parameters.signWith must be left out')
})

describe('invalid requests sign nothing', () => {
  const hex = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP' }
  for (const [claim, change, status, expected] of [
    [
      'nothing to sign with',
      { signWith: '' },
      400,
      'parameters.signWith must be an address, or the id of a private key',
    ],
    ['257 characters to sign with', { signWith: 'a'.repeat(257) }, 400, 'parameters.signWith must be an address'],
    ['an unknown address', { signWith: `0x${'1'.repeat(40)}` }, 404, 'Could not find any resource to sign with.'],
    ['an unknown id', { signWith: absentId }, 404, 'Could not find any resource to sign with.'],
    ['the id of a wallet', { signWith: walletId }, 404, 'Could not find any resource to sign with.'],
    ['an unknown encoding', { encoding: 'X' }, 400, 'parameters.encoding must be one of PAYLOAD_ENCODING_HEXADECIMAL'],
    ['an unknown hash', { hashFunction: 'X' }, 400, 'parameters.hashFunction must be one of HASH_FUNCTION_NO_OP'],
    [
      'an odd number of digits',
      { ...hex, payload: 'abc' },
      400,
      'parameters.payload must be an even number of hex digits',
    ],
    [
      '31 bytes as a digest',
      { ...hex, payload: '00'.repeat(31) },
      400,
      'parameters.payload must be a digest of 32 bytes',
    ],
    [
      '33 bytes as a digest',
      { ...hex, payload: '00'.repeat(33) },
      400,
      'parameters.payload must be a digest of 32 bytes',
    ],
    ['no hash on secp256k1', { hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE' }, 400, 'invalid hash function'],
    ['a hash on Ed25519', { signWith: keys.ed25519.privateKeyId }, 400, 'invalid hash function'],
    ['half a surrogate pair', { payload: '\ud800' }, 400, 'parameters.payload must be well-formed Unicode text'],
    [
      'malformed typed data',
      { encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
      400,
      'parameters.payload must be the text of one JSON object',
    ],
    [
      'typed data for P-256',
      { encoding: 'PAYLOAD_ENCODING_EIP712', signWith: keys.p256.privateKeyId },
      400,
      'invalid payload encoding',
    ],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('sign_raw_payload', { signWith: address, ...text, ...change }), status, expected)
    })
  }
})

test('a payload may be empty, and nearly as long as a body', async () => {
  for (const payload of ['', 'x'.repeat(1_000_000)]) {
    expect(await done('sign_raw_payload', { signWith: address, ...text, payload })).toStrictEqual(shape)
  }
})

test('a user outside of the root quorum may not sign', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('sign_raw_payload', { signWith: address, ...text }, { apiKey }), 403)
})
