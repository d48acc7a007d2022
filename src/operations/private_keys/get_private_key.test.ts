import { expect, test } from 'vitest'
import {
  absentId,
  expectRefused,
  newPrivateKey,
  startOrganization,
  timestamp,
} from '../../../test/support/organization.ts'

const { query, found, done } = await startOrganization()

for (const [curve, format, publicKey] of [
  ['CURVE_SECP256K1', 'ADDRESS_FORMAT_ETHEREUM', /^0[23][0-9a-f]{64}$/],
  ['CURVE_P256', 'ADDRESS_FORMAT_COMPRESSED', /^0[23][0-9a-f]{64}$/],
  ['CURVE_ED25519', 'ADDRESS_FORMAT_SOLANA', /^[0-9a-f]{64}$/],
] as const) {
  test(`a key of ${curve} is shown with every field, and its secret is not`, async () => {
    const privateKeys = [newPrivateKey({ privateKeyName: curve, curve, addressFormats: [format] })]
    const [{ privateKeyId, addresses }] = (await done('create_private_keys', { privateKeys })).privateKeys
    const privateKey = {
      privateKeyId,
      publicKey: expect.stringMatching(publicKey),
      privateKeyName: curve,
      curve,
      addresses,
      privateKeyTags: [],
      createdAt: timestamp,
      updatedAt: timestamp,
      exported: false,
      imported: false,
    }
    expect(await found('get_private_key', { privateKeyId })).toStrictEqual({ privateKey })
    expect(await found('get_private_key', { privateKeyId: privateKeyId.toUpperCase() })).toStrictEqual({ privateKey })
  })
}

test('an unknown id is 404', async () => {
  const text = `there is no private key ${absentId} in this organization`
  expectRefused(await query('get_private_key', { privateKeyId: absentId }), 404, text)
})
