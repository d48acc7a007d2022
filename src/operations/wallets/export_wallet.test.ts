import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { newTarget, openExport } from '../../../test/support/bundles.ts'
import { absentId, expectRefused, newAccount, startOrganization } from '../../../test/support/organization.ts'

const { organizationId, submit, done, found, server } = await startOrganization()
const signer = (await server.vault.publishedKeys()).bundleSigning?.uncompressed ?? ''

for (const mnemonicLength of [12, 15, 18, 21, 24]) {
  test(`a wallet of ${mnemonicLength} words is exported as these words`, async () => {
    const accounts = [newAccount()]
    const { walletId, addresses } = await done('create_wallet', {
      walletName: `${mnemonicLength}`,
      accounts,
      mnemonicLength,
    })
    const { targetPublicKey, embeddedKey } = newTarget()
    const { exportBundle } = await done('export_wallet', { walletId, targetPublicKey })
    const mnemonic = await openExport(exportBundle, { organizationId, signer, embeddedKey, as: 'mnemonic' })
    expect(mnemonic.split(' ')).toHaveLength(mnemonicLength)
    expect(mnemonicToAccount(mnemonic).address).toBe(addresses[0])
    expect((await found('get_wallet', { walletId })).wallet.exported).toBe(true)
  })
}

test('words of another language, which would be another wallet, are refused', async () => {
  const { walletId } = await done('create_wallet', { walletName: 'w', accounts: [] })
  const parameters = { walletId, ...newTarget() }
  const { targetPublicKey } = parameters
  const language = 'MNEMONIC_LANGUAGE_JAPANESE'
  const answer = await submit('export_wallet', { walletId, targetPublicKey, language })
  expectRefused(answer, 400, 'parameters.language must be MNEMONIC_LANGUAGE_ENGLISH')
  expectRefused(await submit('export_wallet', { walletId: absentId, targetPublicKey }), 404)
})
