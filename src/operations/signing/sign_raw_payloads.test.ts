import { createHash } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { describe, expect, test } from 'vitest'
import { expectRefused, newAccount, repeated, startOrganization } from '../../../test/support/organization.ts'
import { typedDataValuesMax } from '../../protocol/chains/eip712.ts'

const { submit, done, found, anotherUser } = await startOrganization()
const { walletId, addresses } = await done('create_wallet', { walletName: 'wallet', accounts: [newAccount()] })
const [{ publicKey }] = (await found('list_wallet_accounts', { walletId })).accounts
const signing = { signWith: addresses[0], encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' }

test('a hundred payloads are signed in the order given', async () => {
  const payloads = repeated(100, (index) => `payload ${index}`)
  const { signatures, ...rest } = await done('sign_raw_payloads', { ...signing, payloads })
  expect(rest).toStrictEqual({})
  expect(signatures).toHaveLength(100)
  payloads.forEach((payload, index) => {
    const { r, s, v, ...others } = signatures[index]
    expect([v === '00' || v === '01', others]).toStrictEqual([true, {}])
    const digest = createHash('sha256').update(payload).digest()
    expect(secp256k1.verify(Buffer.from(r + s, 'hex'), digest, Buffer.from(publicKey, 'hex'), { prehash: false })).toBe(
      true,
    )
  })
})

/** Typed data with a list of `count` values. */
const flags = (count: number) =>
  JSON.stringify({
    types: { EIP712Domain: [], Flags: [{ name: 'list', type: 'bool[]' }] },
    primaryType: 'Flags',
    domain: {},
    message: { list: repeated(count, () => true) },
  })

describe('invalid requests sign nothing', () => {
  for (const [claim, change, status, text] of [
    ['no payload', { payloads: [] }, 400, 'parameters.payloads must be a list of 1 to 100'],
    ['101 payloads', { payloads: repeated(101, () => '') }, 400, 'parameters.payloads must be a list of 1 to 100'],
    ['an unknown signer', { signWith: `0x${'1'.repeat(40)}` }, 404, 'Could not find any resource to sign with.'],
    [
      'typed data with too many values in all payloads together',
      {
        encoding: 'PAYLOAD_ENCODING_EIP712',
        hashFunction: 'HASH_FUNCTION_NO_OP',
        payloads: repeated(2, () => flags(typedDataValuesMax / 2)),
      },
      400,
      'typed data has more than 5000 values',
    ],
    ['a hash of Ed25519', { hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE' }, 400, 'invalid hash function'],
    [
      'an invalid second hex payload',
      { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', payloads: ['00', 'x'] },
      400,
      'parameters.payloads[1] must be an even number of hex digits',
    ],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('sign_raw_payloads', { ...signing, payloads: ['a'], ...change }), status, text)
    })
  }
})

test('a user outside of the root quorum may not sign', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('sign_raw_payloads', { ...signing, payloads: ['a'] }, { apiKey }), 403)
})
