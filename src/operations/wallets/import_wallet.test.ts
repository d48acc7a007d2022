import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { encryptMnemonic, knownMnemonic, newTarget, openExport } from '../../../test/support/bundles.ts'
import { expectRefused, newAccount, type Parameters, startOrganization } from '../../../test/support/organization.ts'

const { organizationId, rootUserId: userId, submit, done, found, server } = await startOrganization()
const signer = (await server.vault.publishedKeys()).bundleSigning?.uncompressed ?? ''

async function bundleOf(mnemonic: string): Promise<string> {
  const { importBundle } = await done('init_import_wallet', { userId })
  return encryptMnemonic(mnemonic, { organizationId, userId, signer, importBundle })
}

let count = 0
const parametersOf = (encryptedBundle: string, given: Parameters = {}): Parameters => ({
  userId,
  walletName: `wallet ${++count}`,
  encryptedBundle,
  accounts: [newAccount()],
  ...given,
})

test('the wallet derives what its mnemonic derives, further accounts too', async () => {
  const { walletId, addresses } = await done('import_wallet', parametersOf(await bundleOf(knownMnemonic)))
  expect(addresses).toEqual([mnemonicToAccount(knownMnemonic).address])
  const accounts = [newAccount({ path: "m/44'/60'/0'/0/7" })]
  const more = await done('create_wallet_accounts', { walletId, accounts })
  expect(more.addresses).toEqual([mnemonicToAccount(knownMnemonic, { addressIndex: 7 }).address])
  expect((await found('get_wallet', { walletId })).wallet).toMatchObject({ imported: true, exported: false })
})

test('a passphrase makes another wallet, and both are exported again', async () => {
  const text = `${knownMnemonic}\npass phrase`
  const { walletId, addresses } = await done('import_wallet', parametersOf(await bundleOf(text)))
  expect(addresses).toEqual([mnemonicToAccount(knownMnemonic, { passphrase: 'pass phrase' }).address])
  const { targetPublicKey, embeddedKey } = newTarget()
  const { exportBundle } = await done('export_wallet', { walletId, targetPublicKey })
  expect(await openExport(exportBundle, { organizationId, signer, embeddedKey, as: 'mnemonic' })).toBe(text)
})

test('a mnemonic as a text file of Windows has it is the plain one', async () => {
  const words = knownMnemonic.toUpperCase().replace(' ', '\u3000').replaceAll(' ', '\u00a0 ')
  const text = `\ufeff\r\n ${words} \r\n\r\n`
  const { walletId, addresses } = await done('import_wallet', parametersOf(await bundleOf(text)))
  expect(addresses).toEqual([mnemonicToAccount(knownMnemonic).address])
  const { targetPublicKey, embeddedKey } = newTarget()
  const { exportBundle } = await done('export_wallet', { walletId, targetPublicKey })
  const exported = await openExport(exportBundle, { organizationId, signer, embeddedKey, as: 'mnemonic' })
  expect(exported).toBe(knownMnemonic)
})

for (const [claim, text] of [
  ['a wrong checksum', knownMnemonic.replace('junk', 'test')],
  ['eleven words', knownMnemonic.replace(' junk', '')],
  ['an unknown word', knownMnemonic.replace('junk', 'xxxx')],
  ['nothing', ' '],
] as const) {
  test(`${claim} is refused, and the target stays open`, async () => {
    const { importBundle } = await done('init_import_wallet', { userId })
    const place = { organizationId, userId, signer, importBundle }
    const wrong = parametersOf(await encryptMnemonic(text, place))
    expectRefused(await submit('import_wallet', wrong), 400, 'invalid mnemonic')
    await done('import_wallet', parametersOf(await encryptMnemonic(knownMnemonic, place)))
  })
}

test('a taken name leaves the target open', async () => {
  const bundle = await bundleOf(knownMnemonic)
  const { walletName } = (await found('list_wallets')).wallets[0]
  expectRefused(await submit('import_wallet', parametersOf(bundle, { walletName })), 400, 'parameters.walletName')
  await done('import_wallet', parametersOf(bundle))
})
