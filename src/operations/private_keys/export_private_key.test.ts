import { expect, test } from 'vitest'
import { newTarget, openExport } from '../../../test/support/bundles.ts'
import { absentId, expectRefused, newPrivateKey, startOrganization } from '../../../test/support/organization.ts'
import { publicKeyOf } from '../../protocol/crypto/curves.ts'

const { organizationId, submit, done, found, server, anotherUser } = await startOrganization()
const signer = (await server.vault.publishedKeys()).bundleSigning?.uncompressed ?? ''

for (const curve of ['CURVE_SECP256K1', 'CURVE_P256', 'CURVE_ED25519'] as const) {
  test(`a key of ${curve} is exported unchanged, every time`, async () => {
    const privateKeys = [newPrivateKey({ privateKeyName: curve, curve, addressFormats: [] })]
    const [{ privateKeyId }] = (await done('create_private_keys', { privateKeys })).privateKeys
    const { publicKey } = (await found('get_private_key', { privateKeyId })).privateKey
    for (let time = 0; time < 2; time += 1) {
      const { targetPublicKey, embeddedKey } = newTarget()
      const result = await done('export_private_key', { privateKeyId, targetPublicKey })
      expect(result).toStrictEqual({ privateKeyId, exportBundle: expect.any(String) })
      const key = await openExport(result.exportBundle, { organizationId, signer, embeddedKey })
      expect(Buffer.from(publicKeyOf(curve, Buffer.from(key, 'hex'))).toString('hex')).toBe(publicKey)
    }
  })
}

test('an unknown key, an invalid target and a user outside of the quorum are refused', async () => {
  const { targetPublicKey } = newTarget()
  const [{ privateKeyId }] = (await done('create_private_keys', { privateKeys: [newPrivateKey()] })).privateKeys
  expectRefused(await submit('export_private_key', { privateKeyId: absentId, targetPublicKey }), 404)
  for (const wrong of ['', 'no hex', '04', `04${'00'.repeat(64)}`, `05${targetPublicKey.slice(2)}`]) {
    const answer = await submit('export_private_key', { privateKeyId, targetPublicKey: wrong })
    expectRefused(answer, 400, 'parameters.targetPublicKey must be')
  }
  const { apiKey } = await anotherUser()
  expectRefused(await submit('export_private_key', { privateKeyId, targetPublicKey }, { apiKey }), 403)
  expect((await found('get_private_key', { privateKeyId })).privateKey.exported).toBe(false)
})
