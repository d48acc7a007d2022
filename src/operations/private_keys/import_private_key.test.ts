import { expect, test } from 'vitest'
import { encryptKey, newPrivateKeyHex } from '../../../test/support/bundles.ts'
import { expectRefused, type Parameters, startOrganization } from '../../../test/support/organization.ts'

const organization = await startOrganization()
const { organizationId, rootUserId, submit, done, anotherUser, server } = organization
const signer = (await server.vault.publishedKeys()).bundleSigning?.uncompressed ?? ''

const targetOf = async (userId: string) => (await done('init_import_private_key', { userId })).importBundle
const encrypt = (key: string, importBundle: string, userId = rootUserId) =>
  encryptKey(key, { organizationId, userId, signer, importBundle })

let count = 0
const parametersOf = (encryptedBundle: string, given: Parameters = {}): Parameters => ({
  userId: rootUserId,
  privateKeyName: `key ${++count}`,
  encryptedBundle,
  curve: 'CURVE_SECP256K1',
  addressFormats: [],
  ...given,
})

for (const curve of ['CURVE_SECP256K1', 'CURVE_P256', 'CURVE_ED25519']) {
  test(`a key of ${curve} is imported`, async () => {
    const bundle = await encrypt(newPrivateKeyHex(), await targetOf(rootUserId))
    const { privateKeyId } = await done('import_private_key', parametersOf(bundle, { curve }))
    expect((await organization.found('get_private_key', { privateKeyId })).privateKey).toMatchObject({
      curve,
      imported: true,
      exported: false,
    })
  })
}

test('one import uses a target up, also if two race for it', async () => {
  const bundle = await encrypt(newPrivateKeyHex(), await targetOf(rootUserId))
  const answers = await Promise.all([1, 2, 3].map(() => submit('import_private_key', parametersOf(bundle))))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
})

test('a target of another user or for wallets is refused', async () => {
  const { userId } = await anotherUser()
  const theirs = await encrypt(newPrivateKeyHex(), await targetOf(userId), userId)
  expectRefused(await submit('import_private_key', parametersOf(theirs)), 400, 'parameters.encryptedBundle')
  const { importBundle } = await done('init_import_wallet', { userId: rootUserId })
  const forWallets = await encrypt(newPrivateKeyHex(), importBundle)
  expectRefused(await submit('import_private_key', parametersOf(forWallets)), 400, 'parameters.encryptedBundle')
})

test('each of several open targets can be used, and the fifth replaces the first', async () => {
  const targets: string[] = []
  for (let index = 0; index < 5; index += 1) targets.push(await targetOf(rootUserId))
  const [first = '', second = '', , , last = ''] = targets
  const use = async (target: string) =>
    submit('import_private_key', parametersOf(await encrypt(newPrivateKeyHex(), target)))
  expect((await use(last)).status).toBe(200)
  expect((await use(second)).status).toBe(200)
  expectRefused(await use(first), 400, 'parameters.encryptedBundle')
})

test('a target expires after a day', async () => {
  const bundle = await encrypt(newPrivateKeyHex(), await targetOf(rootUserId))
  organization.clock.nowMs += 24 * 60 * 60 * 1000
  expectRefused(await submit('import_private_key', parametersOf(bundle)), 400, 'parameters.encryptedBundle')
})

test('bytes that are not a key of the curve are refused, and the target stays open', async () => {
  const importBundle = await targetOf(rootUserId)
  for (const key of ['00'.repeat(32), 'ff'.repeat(32), '01'.repeat(31), '01'.repeat(33)]) {
    const bundle = await encrypt(key, importBundle)
    expectRefused(await submit('import_private_key', parametersOf(bundle)), 400, 'a private key of CURVE_SECP256K1')
  }
  const bundle = await encrypt(newPrivateKeyHex(), importBundle)
  expect((await submit('import_private_key', parametersOf(bundle))).status).toBe(200)
})

test('a bundle with one digit changed does not open', async () => {
  const importBundle = await targetOf(rootUserId)
  const bundle = JSON.parse(await encrypt(newPrivateKeyHex(), importBundle))
  const last = bundle.ciphertext.at(-1) === '0' ? '1' : '0'
  const tampered = JSON.stringify({ ...bundle, ciphertext: bundle.ciphertext.slice(0, -1) + last })
  for (const text of [tampered, '', '{}', 'null', JSON.stringify({ ...bundle, more: 1 })]) {
    expectRefused(await submit('import_private_key', parametersOf(text)), 400, 'parameters.encryptedBundle')
  }
})
