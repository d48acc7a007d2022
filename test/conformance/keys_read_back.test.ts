import { createECDH } from 'node:crypto'
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519'
import { Keypair } from '@solana/web3.js'
import { deriveEd25519Path } from '@ton/crypto'
import type { TurnkeyApiClient } from '@turnkey/sdk-server'
import { HDNodeWallet, Mnemonic, SigningKey } from 'ethers'
import { TronWeb } from 'tronweb'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { Wallet as XrpWallet } from 'xrpl'
import { encryptKey, newPrivateKeyHex, newTarget, openExport } from '../support/bundles.ts'
import { dialects, ethereumAccount, httpClient, newUserOf, serverClient, solanaAccount } from '../support/clients.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

/** What the server says of wallets and keys, against what the chains' libraries make of the same secrets. */

let server: ReachableServer
let signer: string
beforeAll(async () => {
  server = await organizationOnSharedServer()
  const keys = await (await fetch(`${server.url}/.well-known/claviger-keys.json`)).json()
  signer = keys.bundleSigning.uncompressed
})

/** An account, by the chain's own library from the wallet's mnemonic. */
type Derive = (mnemonic: string, path: string) => string | Promise<string>

const chains: Readonly<Record<string, Derive>> = {
  ADDRESS_FORMAT_ETHEREUM: (mnemonic, path) => HDNodeWallet.fromPhrase(mnemonic, '', path).address,
  ADDRESS_FORMAT_SOLANA: solanaAddress,
  ADDRESS_FORMAT_SUI: (mnemonic, path) => Ed25519Keypair.deriveKeypair(mnemonic, path).toSuiAddress(),
  ADDRESS_FORMAT_TRON: (mnemonic, path) => String(TronWeb.fromMnemonic(mnemonic, path).address),
  ADDRESS_FORMAT_XRP: (mnemonic, derivationPath) =>
    XrpWallet.fromMnemonic(mnemonic, { derivationPath, mnemonicEncoding: 'bip39' }).classicAddress,
}

async function solanaAddress(mnemonic: string, path: string): Promise<string> {
  const seed = Buffer.from(Mnemonic.fromPhrase(mnemonic).computeSeed().slice(2), 'hex')
  const steps = path.split('/').slice(1)
  const key = await deriveEd25519Path(
    seed,
    steps.map((step) => Number.parseInt(step, 10)),
  )
  return Keypair.fromSeed(key).publicKey.toBase58()
}

const [secp256k1, ed25519, p256] = ['CURVE_SECP256K1', 'CURVE_ED25519', 'CURVE_P256'] as const
const bip32 = { pathFormat: 'PATH_FORMAT_BIP32' } as const
const otherChains = [
  { ...bip32, curve: ed25519, path: "m/44'/784'/0'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SUI' },
  { ...bip32, curve: secp256k1, path: "m/44'/195'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_TRON' },
  { ...bip32, curve: secp256k1, path: "m/44'/144'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_XRP' },
] as const

describe.each(dialects)('@turnkey/sdk-server against the dialect %s', (dialect) => {
  let client: TurnkeyApiClient
  let place: { readonly organizationId: string; readonly signer: string; readonly userId: string }
  beforeAll(() => {
    client = serverClient(server, dialect)
    const { organizationId, userId } = server.credentials
    place = { organizationId, signer, userId }
  })

  async function newPrivateKey(name: string, curve: NewKey['curve'], addressFormats: NewKey['addressFormats']) {
    const key = { privateKeyName: `${dialect} ${name}`, curve, privateKeyTags: [], addressFormats }
    const { privateKeys } = await client.createPrivateKeys({ privateKeys: [key] })
    return privateKeys[0]?.privateKeyId ?? ''
  }

  async function exportedKey(privateKeyId: string): Promise<string> {
    const { targetPublicKey, embeddedKey } = newTarget()
    const { exportBundle } = await client.exportPrivateKey({ privateKeyId, targetPublicKey })
    return openExport(exportBundle, { ...place, embeddedKey })
  }

  async function exportedMnemonic(walletId: string): Promise<string> {
    const { targetPublicKey, embeddedKey } = newTarget()
    const { exportBundle } = await client.exportWallet({ walletId, targetPublicKey })
    return openExport(exportBundle, { ...place, embeddedKey, as: 'mnemonic' })
  }

  type Listing = Parameters<TurnkeyApiClient['getWalletAccounts']>[0]

  /** All accounts as the client pages through them, from the first on. */
  async function forward(listing: Listing) {
    const accounts: Account[] = []
    for (;;) {
      const after = accounts.at(-1)?.walletAccountId
      const paginationOptions = { limit: '4', ...(after === undefined ? {} : { after }) }
      const page = (await client.getWalletAccounts({ ...listing, paginationOptions })).accounts
      if (page.length === 0) return accounts
      accounts.push(...page)
    }
  }

  /** All accounts before this one, from it backwards. */
  async function backward(listing: Listing, last: Account) {
    const accounts: Account[] = []
    for (;;) {
      const before = (accounts[0] ?? last).walletAccountId
      const page = (await client.getWalletAccounts({ ...listing, paginationOptions: { limit: '4', before } })).accounts
      if (page.length === 0) return accounts
      accounts.unshift(...page)
    }
  }

  test('list_wallet_accounts: every address on every page is the one that its chain derives from the mnemonic', async () => {
    const walletName = `${dialect} many chains`
    const savings = { ...ethereumAccount(7), name: `${dialect} savings` }
    const accounts = [
      ...Array.from({ length: 6 }, (_, index) => ethereumAccount(index)),
      ...Array.from({ length: 3 }, (_, index) => solanaAccount(index)),
      ...otherChains,
      savings,
    ]
    const { walletId, addresses } = await client.createWallet({ walletName, accounts, mnemonicLength: 24 })
    const { walletId: otherId } = await client.createWallet({
      walletName: `${dialect} other`,
      accounts: [ethereumAccount()],
    })

    const listing = { walletId, includeWalletDetails: true }
    const listed = await forward(listing)
    expect(listed).toHaveLength(accounts.length)
    expect(listed.map(({ address }) => address)).toEqual(addresses)
    const last = listed.at(-1)
    if (last === undefined) throw new Error('the wallet has accounts')
    expect([...(await backward(listing, last)), last]).toEqual(listed)
    for (const [index, account] of listed.entries()) {
      expect(account).toMatchObject({ ...accounts[index], walletId, organizationId: place.organizationId })
      expect(account.walletDetails).toMatchObject({ walletId, walletName, exported: false, imported: false })
    }
    expect(last.name).toBe(savings.name)

    const mnemonic = await exportedMnemonic(walletId)
    expect(mnemonic.split(' ')).toHaveLength(24)
    for (const { addressFormat, path, address } of listed) {
      expect(await chains[addressFormat]?.(mnemonic, path), `${addressFormat} ${path}`).toBe(address)
    }
    for (const [addressIndex, { address, publicKey = '' }] of listed.slice(0, 6).entries()) {
      const account = mnemonicToAccount(mnemonic, { addressIndex })
      expect([address, SigningKey.computePublicKey(`0x${publicKey}`, false)]).toEqual([
        account.address,
        account.publicKey,
      ])
    }
    const [exported] = (await client.getWalletAccounts(listing)).accounts
    expect(exported?.walletDetails).toMatchObject({ exported: true, imported: false })

    // Without a wallet: those of all wallets, and no details unless they are asked for.
    const all = await forward({})
    expect(all.filter((account) => account.walletId === walletId).map(({ address }) => address)).toEqual(addresses)
    expect(all.filter((account) => account.walletId === otherId)).toHaveLength(1)
    expect(all.some(({ walletDetails }) => walletDetails !== undefined)).toBe(false)
  })

  test('list_wallet_accounts: another user sees the same accounts, another organization none of them', async () => {
    const { walletId, addresses } = await client.createWallet({
      walletName: `${dialect} seen by others`,
      accounts: [ethereumAccount(), solanaAccount()],
    })
    const { credentials } = await newUserOf(client, `${dialect} Reader`)
    const { organizationId } = credentials
    const { accounts } = await httpClient(server, dialect, credentials).getWalletAccounts({ organizationId, walletId })
    expect(accounts.map(({ address }) => address)).toEqual(addresses)

    const { subOrganizationId } = await client.createSubOrganization({
      subOrganizationName: `${dialect} neighbour`,
      rootQuorumThreshold: 1,
      rootUsers: [
        {
          userName: 'Ada',
          apiKeys: [
            { apiKeyName: 'laptop', publicKey: credentials.apiPublicKey, curveType: 'API_KEY_CURVE_P256' as const },
          ],
          authenticators: [],
          oauthProviders: [],
        },
      ],
    })
    const neighbour = serverClient(server, dialect, { ...credentials, organizationId: subOrganizationId })
    expect((await neighbour.getWalletAccounts({})).accounts).toEqual([])
    await expect(neighbour.getWalletAccounts({ walletId })).rejects.toMatchObject({ code: 5 })
  })

  test('get_private_key: public key and addresses are those of the exported key, on each curve', async () => {
    const onSecp256k1 = await newPrivateKey('read on secp256k1', secp256k1, [
      'ADDRESS_FORMAT_ETHEREUM',
      'ADDRESS_FORMAT_TRON',
      'ADDRESS_FORMAT_COMPRESSED',
    ])
    const { privateKey: ethereum } = await client.getPrivateKey({ privateKeyId: onSecp256k1 })
    expect(ethereum).toMatchObject({
      privateKeyId: onSecp256k1,
      privateKeyName: `${dialect} read on secp256k1`,
      curve: secp256k1,
      privateKeyTags: [],
      exported: false,
      imported: false,
    })
    const key = await exportedKey(onSecp256k1)
    expect(SigningKey.computePublicKey(`0x${ethereum.publicKey}`, false)).toBe(
      privateKeyToAccount(`0x${key}`).publicKey,
    )
    expect(ethereum.addresses).toEqual([
      { format: 'ADDRESS_FORMAT_ETHEREUM', address: privateKeyToAccount(`0x${key}`).address },
      { format: 'ADDRESS_FORMAT_TRON', address: TronWeb.address.fromPrivateKey(key) },
      { format: 'ADDRESS_FORMAT_COMPRESSED', address: new SigningKey(`0x${key}`).compressedPublicKey.slice(2) },
    ])

    const onEd25519 = await newPrivateKey('read on ed25519', ed25519, ['ADDRESS_FORMAT_SOLANA', 'ADDRESS_FORMAT_SUI'])
    const { privateKey: solana } = await client.getPrivateKey({ privateKeyId: onEd25519 })
    const seed = Buffer.from(await exportedKey(onEd25519), 'hex')
    const { publicKey } = Keypair.fromSeed(seed)
    expect(solana).toMatchObject({ curve: ed25519, publicKey: Buffer.from(publicKey.toBytes()).toString('hex') })
    expect(solana.addresses).toEqual([
      { format: 'ADDRESS_FORMAT_SOLANA', address: publicKey.toBase58() },
      { format: 'ADDRESS_FORMAT_SUI', address: Ed25519Keypair.fromSecretKey(seed).toSuiAddress() },
    ])

    const onP256 = await newPrivateKey('read on p256', p256, [])
    const { privateKey: withoutAddress } = await client.getPrivateKey({ privateKeyId: onP256 })
    const node = createECDH('prime256v1')
    node.setPrivateKey(await exportedKey(onP256), 'hex')
    expect(withoutAddress).toMatchObject({
      curve: p256,
      publicKey: node.getPublicKey('hex', 'compressed'),
      addresses: [],
    })
  })

  test('get_private_key: an imported key is shown as such, with its tag, until it is deleted', async () => {
    const key = newPrivateKeyHex()
    const { importBundle } = await client.initImportPrivateKey({ userId: place.userId })
    const { privateKeyId } = await client.importPrivateKey({
      userId: place.userId,
      privateKeyName: `${dialect} brought along`,
      encryptedBundle: await encryptKey(key, { ...place, importBundle }),
      curve: secp256k1,
      addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
    })
    const { privateKeyTagId } = await client.createPrivateKeyTag({
      privateKeyTagName: `${dialect} brought along`,
      privateKeyIds: [privateKeyId],
    })
    expect((await client.getPrivateKey({ privateKeyId })).privateKey).toMatchObject({
      publicKey: new SigningKey(`0x${key}`).compressedPublicKey.slice(2),
      addresses: [{ format: 'ADDRESS_FORMAT_ETHEREUM', address: privateKeyToAccount(`0x${key}`).address }],
      privateKeyTags: [privateKeyTagId],
      exported: false,
      imported: true,
    })
    expect(await exportedKey(privateKeyId)).toBe(key)
    expect((await client.getPrivateKey({ privateKeyId })).privateKey).toMatchObject({ exported: true, imported: true })
    await client.deletePrivateKeys({ privateKeyIds: [privateKeyId] })
    await expect(client.getPrivateKey({ privateKeyId })).rejects.toMatchObject({ code: 5 })
  })
})

type NewKey = Parameters<TurnkeyApiClient['createPrivateKeys']>[0]['privateKeys'][number]
type Account = Awaited<ReturnType<TurnkeyApiClient['getWalletAccounts']>>['accounts'][number]
