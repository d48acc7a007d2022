import { describe, expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newPrivateKey,
  repeated,
  startOrganization,
  uuid,
} from '../../../test/support/organization.ts'
import { addressFormatNames, addressFormats } from '../../protocol/chains/address_formats.ts'

const { submit, done, found, anotherUser } = await startOrganization({ limits: { privateKeysMax: 110 } })

test('keys are made in the order given, with an address for each format', async () => {
  const addressFormats = ['ADDRESS_FORMAT_ETHEREUM', 'ADDRESS_FORMAT_COMPRESSED']
  const result = await done('create_private_keys', {
    privateKeys: [
      newPrivateKey({ privateKeyName: 'one', addressFormats }),
      newPrivateKey({ privateKeyName: 'two', curve: 'CURVE_ED25519' }),
    ],
  })
  expect(result).toStrictEqual({
    privateKeys: [
      {
        privateKeyId: uuid,
        addresses: [
          { format: 'ADDRESS_FORMAT_ETHEREUM', address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/) },
          { format: 'ADDRESS_FORMAT_COMPRESSED', address: expect.stringMatching(/^0[23][0-9a-f]{64}$/) },
        ],
      },
      { privateKeyId: uuid, addresses: [] },
    ],
  })
  const { privateKey } = await found('get_private_key', { privateKeyId: result.privateKeys[1].privateKeyId })
  expect(privateKey).toMatchObject({ privateKeyName: 'two', curve: 'CURVE_ED25519' })
})

for (const curve of ['CURVE_SECP256K1', 'CURVE_ED25519', 'CURVE_P256'] as const) {
  test(`a key of ${curve} may have every format of its curve at once`, async () => {
    const formats = addressFormatNames.filter((name) => addressFormats[name].curves.includes(curve))
    const privateKeys = [newPrivateKey({ privateKeyName: curve, curve, addressFormats: formats })]
    const [{ addresses }] = (await done('create_private_keys', { privateKeys })).privateKeys
    expect(addresses.map(({ format }: { format: string }) => format)).toEqual(formats)
  })
}

describe('invalid private keys are refused', () => {
  const formats = (...names: readonly string[]) => [newPrivateKey({ addressFormats: names })]
  for (const [claim, privateKeys, status, text] of [
    ['none', [], 400, 'parameters.privateKeys must be a list of 1 to 100'],
    ['101', repeated(101, () => newPrivateKey()), 400, 'parameters.privateKeys must be a list of 1 to 100'],
    [
      'an empty name',
      [newPrivateKey({ privateKeyName: '' })],
      400,
      'parameters.privateKeys[0].privateKeyName must be a text',
    ],
    [
      'an unknown curve',
      [newPrivateKey({ curve: 'CURVE_X' })],
      400,
      'privateKeys[0].curve must be one of CURVE_SECP256K1',
    ],
    [
      'a name twice',
      [newPrivateKey(), newPrivateKey()],
      400,
      'already in use: parameters.privateKeys[1].privateKeyName',
    ],
    ['a format of another curve', formats('ADDRESS_FORMAT_SOLANA'), 400, 'parameters.privateKeys[0].addressFormats[0]'],
    [
      'an unknown format',
      formats('ADDRESS_FORMAT_CARDANO'),
      400,
      'parameters.privateKeys[0].addressFormats[0] must be one of ADDRESS_FORMAT_UNCOMPRESSED',
    ],
    [
      'a format twice',
      formats('ADDRESS_FORMAT_TRON', 'ADDRESS_FORMAT_TRON'),
      400,
      'addressFormats must be a list of different',
    ],
    [
      '41 formats',
      formats(...repeated(41, () => 'ADDRESS_FORMAT_TRON')),
      400,
      'addressFormats must be a list of at most 40',
    ],
    [
      '40 formats, not all different',
      formats(...repeated(40, () => 'ADDRESS_FORMAT_TRON')),
      400,
      'a list of different formats',
    ],
    [
      '101 tags',
      [newPrivateKey({ privateKeyTags: repeated(101, () => absentId) })],
      400,
      'privateKeyTags must be a list of at most 100',
    ],
    ['100 unknown tags', [newPrivateKey({ privateKeyTags: repeated(100, () => absentId) })], 404, 'privateKeyTags[0]'],
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('create_private_keys', { privateKeys }), status, text)
    })
  }
})

test('a name is used once in an organization', async () => {
  await done('create_private_keys', { privateKeys: [newPrivateKey({ privateKeyName: 'taken' })] })
  const privateKeys = [newPrivateKey({ privateKeyName: 'free' }), newPrivateKey({ privateKeyName: 'taken' })]
  const answer = await submit('create_private_keys', { privateKeys })
  expectRefused(answer, 400, 'already in use: parameters.privateKeys[1].privateKeyName must be one that nothing else')
})

test('a user outside of the root quorum may not make keys', async () => {
  const { apiKey } = await anotherUser()
  expectRefused(await submit('create_private_keys', { privateKeys: [newPrivateKey()] }, { apiKey }), 403)
})

test('a hundred keys at once are accepted, but no more than the organization may have', async () => {
  const keys = (prefix: string) => repeated(100, (index) => newPrivateKey({ privateKeyName: `${prefix} ${index}` }))
  expect((await done('create_private_keys', { privateKeys: keys('a') })).privateKeys).toHaveLength(100)
  const there = (await found('list_private_keys')).privateKeys.length
  const answer = await submit('create_private_keys', { privateKeys: keys('b') })
  expectRefused(answer, 429, 'resource limit reached: an organization has at most 110 private keys')
  expect((await found('list_private_keys')).privateKeys).toHaveLength(there)
})
