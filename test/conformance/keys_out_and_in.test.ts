import { base58 } from '@scure/base'
import { Keypair } from '@solana/web3.js'
import type { TurnkeyApiClient } from '@turnkey/sdk-server'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  encryptKey,
  encryptMnemonic,
  knownMnemonic,
  newPrivateKeyHex,
  newTarget,
  openExport,
} from '../support/bundles.ts'
import { dialects, ethereumAccount, serverClient } from '../support/clients.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

/** Keys leave and enter the running server through the clients' own packages, which trust the key that it publishes. */

let server: ReachableServer
let signer: string
beforeAll(async () => {
  server = await organizationOnSharedServer()
  const keys = await (await fetch(`${server.url}/.well-known/claviger-keys.json`)).json()
  signer = keys.bundleSigning.uncompressed
})

const secp256k1 = () => ({ curve: 'CURVE_SECP256K1' as const, addressFormats: ['ADDRESS_FORMAT_ETHEREUM' as const] })

describe.each(dialects)('@turnkey/sdk-server and @turnkey/crypto against the dialect %s', (dialect) => {
  let client: TurnkeyApiClient
  let place: { readonly organizationId: string; readonly signer: string; readonly userId: string }
  beforeAll(() => {
    client = serverClient(server, dialect)
    const { organizationId, userId } = server.credentials
    place = { organizationId, signer, userId }
  })

  test('export_private_key: the client opens the bundle, viem finds the address that the server gave, and the key is marked', async () => {
    const privateKey = {
      privateKeyName: `${dialect} out`,
      privateKeyTags: [],
      ...secp256k1(),
    }
    const { privateKeys } = await client.createPrivateKeys({ privateKeys: [privateKey] })
    const { privateKeyId = '', addresses: [{ address = '' } = {}] = [] } = privateKeys[0] ?? {}
    expect((await client.getPrivateKey({ privateKeyId })).privateKey.exported).toBe(false)
    const { targetPublicKey, embeddedKey } = newTarget()
    const { exportBundle } = await client.exportPrivateKey({ privateKeyId, targetPublicKey })
    const exported = await openExport(exportBundle, { ...place, embeddedKey })
    expect(privateKeyToAccount(`0x${exported}`).address).toBe(address)
    expect((await client.getPrivateKey({ privateKeyId })).privateKey.exported).toBe(true)
    // The bundle is for that one target, and says of which organization it is.
    const { embeddedKey: another } = newTarget()
    await expect(openExport(exportBundle, { ...place, embeddedKey: another })).rejects.toThrow()
    const elsewhere = { ...place, organizationId: privateKeyId }
    await expect(openExport(exportBundle, { ...elsewhere, embeddedKey })).rejects.toThrow(
      'organization id does not match',
    )
  })

  test('export_private_key: a Solana key leaves in the form in which web3.js takes it', async () => {
    const { privateKeys } = await client.createPrivateKeys({
      privateKeys: [
        {
          privateKeyName: `${dialect} Solana out`,
          curve: 'CURVE_ED25519',
          privateKeyTags: [],
          addressFormats: ['ADDRESS_FORMAT_SOLANA'],
        },
      ],
    })
    const { privateKeyId = '', addresses: [{ address = '' } = {}] = [] } = privateKeys[0] ?? {}
    const { targetPublicKey, embeddedKey } = newTarget()
    const { exportBundle } = await client.exportPrivateKey({ privateKeyId, targetPublicKey })
    const secretKey = base58.decode(await openExport(exportBundle, { ...place, embeddedKey, as: 'solana key' }))
    expect(Keypair.fromSecretKey(secretKey).publicKey.toBase58()).toBe(address)
  })

  test("an exported wallet's mnemonic and an exported account's key have the wallet's address", async () => {
    const { walletId, addresses } = await client.createWallet({
      walletName: `${dialect} out`,
      accounts: [ethereumAccount()],
    })
    const [address = ''] = addresses
    const { targetPublicKey, embeddedKey } = newTarget()
    const wallet = await client.exportWallet({ walletId, targetPublicKey })
    const mnemonic = await openExport(wallet.exportBundle, { ...place, embeddedKey, as: 'mnemonic' })
    expect(mnemonicToAccount(mnemonic).address).toBe(address)
    const account = await client.exportWalletAccount({ address, targetPublicKey })
    const key = await openExport(account.exportBundle, { ...place, embeddedKey })
    expect(privateKeyToAccount(`0x${key}`).address).toBe(address)
    expect((await client.getWallet({ walletId })).wallet).toMatchObject({ exported: true, imported: false })
  })

  test('an imported private key signs with its own address', async () => {
    const key = newPrivateKeyHex()
    const { importBundle } = await client.initImportPrivateKey({ userId: place.userId })
    const encryptedBundle = await encryptKey(key, { ...place, importBundle })
    const parameters = {
      userId: place.userId,
      privateKeyName: `${dialect} in`,
      encryptedBundle,
      ...secp256k1(),
    }
    const { privateKeyId, addresses } = await client.importPrivateKey(parameters)
    expect(addresses[0]?.address).toBe(privateKeyToAccount(`0x${key}`).address)
    expect((await client.getPrivateKey({ privateKeyId })).privateKey).toMatchObject({ imported: true, exported: false })
    // The target was for one import.
    const again = client.importPrivateKey({ ...parameters, privateKeyName: `${dialect} in again` })
    await expect(again).rejects.toThrow('parameters.encryptedBundle must be encrypted to the target')
  })

  test('an imported wallet has the addresses of its mnemonic, and gives the mnemonic back', async () => {
    const { importBundle } = await client.initImportWallet({ userId: place.userId })
    const encryptedBundle = await encryptMnemonic(knownMnemonic, { ...place, importBundle })
    const { walletId, addresses } = await client.importWallet({
      userId: place.userId,
      walletName: `${dialect} in`,
      encryptedBundle,
      accounts: [ethereumAccount(0), ethereumAccount(1)],
    })
    expect(addresses).toEqual([0, 1].map((addressIndex) => mnemonicToAccount(knownMnemonic, { addressIndex }).address))
    const { targetPublicKey, embeddedKey } = newTarget()
    const { exportBundle } = await client.exportWallet({ walletId, targetPublicKey })
    expect(await openExport(exportBundle, { ...place, embeddedKey, as: 'mnemonic' })).toBe(knownMnemonic)
    expect((await client.getWallet({ walletId })).wallet).toMatchObject({ exported: true, imported: true })
  })
})
