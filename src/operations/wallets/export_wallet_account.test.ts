import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { newTarget, openExport } from '../../../test/support/bundles.ts'
import { expectRefused, newAccount, newPrivateKey, startOrganization } from '../../../test/support/organization.ts'

const { organizationId, submit, done, server } = await startOrganization()
const signer = (await server.vault.publishedKeys()).bundleSigning?.uncompressed ?? ''

test("the account's own key comes out, by its address in any spelling", async () => {
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

test('what is no address of a wallet account is not found', async () => {
  const { targetPublicKey } = newTarget()
  const privateKeys = [newPrivateKey({ addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] })]
  const [{ privateKeyId, addresses }] = (await done('create_private_keys', { privateKeys })).privateKeys
  for (const address of [privateKeyId, addresses[0].address, '0x0000000000000000000000000000000000000000']) {
    expectRefused(await submit('export_wallet_account', { address, targetPublicKey }), 404, 'parameters.address')
  }
})
