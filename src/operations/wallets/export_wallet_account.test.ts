import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { encryptKey, encryptMnemonic, knownMnemonic, newTarget, openExport } from '../../../test/support/bundles.ts'
import { expectRefused, newAccount, newPrivateKey, startOrganization } from '../../../test/support/organization.ts'

const { organizationId, rootUserId, submit, done, server } = await startOrganization()
const signer = (await server.vault.publishedKeys()).bundleSigning?.uncompressed ?? ''

test("the account's own key is exported, by its address in any spelling", async () => {
  const { addresses } = await done('create_wallet', { walletName: 'w', accounts: [newAccount()] })
  const [address] = addresses
  for (const spelling of [address, address.toLowerCase()]) {
    const { targetPublicKey, embeddedKey } = newTarget()
    const result = await done('export_wallet_account', { address: spelling, targetPublicKey })
    expect(result.address).toBe(address)
    const key = await openExport(result.exportBundle, { organizationId, signer, embeddedKey })
    expect(privateKeyToAccount(`0x${key}`).address).toBe(address)
  }
})

test('an account is found even if an older private key has its address', async () => {
  const userId = rootUserId
  const { address, getHdKey } = mnemonicToAccount(knownMnemonic)
  const key = Buffer.from(getHdKey().privateKey ?? []).toString('hex')
  const keyTarget = (await done('init_import_private_key', { userId })).importBundle
  await done('import_private_key', {
    userId,
    privateKeyName: 'the same key',
    encryptedBundle: await encryptKey(key, { organizationId, userId, signer, importBundle: keyTarget }),
    curve: 'CURVE_SECP256K1',
    addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
  })
  const walletTarget = (await done('init_import_wallet', { userId })).importBundle
  await done('import_wallet', {
    userId,
    walletName: 'imported',
    encryptedBundle: await encryptMnemonic(knownMnemonic, {
      organizationId,
      userId,
      signer,
      importBundle: walletTarget,
    }),
    accounts: [newAccount()],
  })

  const { targetPublicKey, embeddedKey } = newTarget()
  const { exportBundle } = await done('export_wallet_account', { address, targetPublicKey })
  expect(await openExport(exportBundle, { organizationId, signer, embeddedKey })).toBe(key)
})

test('an address of no wallet account is not found', async () => {
  const { targetPublicKey } = newTarget()
  const privateKeys = [newPrivateKey({ addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] })]
  const [{ privateKeyId, addresses }] = (await done('create_private_keys', { privateKeys })).privateKeys
  for (const address of [privateKeyId, addresses[0].address, '0x0000000000000000000000000000000000000000']) {
    expectRefused(await submit('export_wallet_account', { address, targetPublicKey }), 404, 'parameters.address')
  }
})
