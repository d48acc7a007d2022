import { setTimeout } from 'node:timers/promises'
import { PublicKey } from '@solana/web3.js'
import { Turnkey, type TurnkeyApiClient } from '@turnkey/sdk-server'
import { createAccount } from '@turnkey/viem'
import { Interface, Transaction } from 'ethers'
import { type Abi, encodeFunctionData, erc20Abi, getAddress, parseAbi, recoverAddress, sha256, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  asClientOf,
  baseUrls,
  dialects,
  ethereumAccount,
  httpClient,
  newUserOf,
  serverClient,
} from '../support/clients.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'
import { generateApiKey } from '../support/stamping.ts'

/** What an organization is called, who decides in it, and the contracts that it knows. */

let server: RunningServer
beforeAll(async () => {
  server = await startRunningServer({ through: 'npm' })
})
afterAll(() => server.stop())

const routerAbi = parseAbi([
  'struct Order { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; bytes[] hints }',
  'function exactInputSingle(Order order) payable returns (uint256 amountOut)',
  'event Swapped(address indexed recipient, uint256 amountOut)',
  'error TooLittleReceived(uint256 amountOut)',
])
const swapOrder = {
  tokenIn: '0x6B175474E89094C44Da98b954EedeAC495271d0F',
  tokenOut: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  fee: 3_000,
  recipient: '0x1111111111111111111111111111111111111111',
  amountIn: 2n ** 200n,
  hints: ['0xdeadbeef', '0x'],
} as const

/** As Anchor writes it. */
const solanaIdl = {
  address: 'Fg6PaFpoGXkYsidMpWTK6W2BeZ7FEfcYkg476zPFsLnS',
  metadata: { name: 'counter', version: '0.1.0', spec: '0.1.0' },
  instructions: [
    {
      name: 'increment',
      discriminator: [11, 18, 104, 9, 104, 174, 59, 33],
      accounts: [{ name: 'counter', writable: true }],
      args: [{ name: 'by', type: 'u64' }],
    },
  ],
  types: [{ name: 'Counter', type: { kind: 'struct', fields: [{ name: 'count', type: 'u64' }] } }],
}

describe.each(dialects)('@turnkey/sdk-server against the dialect %s', (dialect) => {
  let root: TurnkeyApiClient
  beforeAll(() => {
    root = patientClient(server.credentials)
  })

  type Credentials = Pick<RunningServer['credentials'], 'apiPublicKey' | 'apiPrivateKey' | 'organizationId'>

  /** Its promises for activities that wait for votes stay open for 20 seconds, and it looks often. */
  function patientClient({ apiPublicKey, apiPrivateKey, organizationId }: Credentials): TurnkeyApiClient {
    return new Turnkey({
      apiBaseUrl: baseUrls(server)[dialect],
      apiPublicKey,
      apiPrivateKey,
      defaultOrganizationId: organizationId,
      activityPoller: { intervalMs: 50, numRetries: 400 },
    }).apiClient()
  }

  test("update_organization_name: the parent's client finds it by the new name, a member's client is told it", async () => {
    const key = generateApiKey()
    const [oldName, newName] = [`${dialect} before`, `${dialect} after ✓`]
    const { subOrganizationId: organizationId } = await root.createSubOrganization({
      subOrganizationName: oldName,
      rootQuorumThreshold: 1,
      rootUsers: [
        {
          userName: 'Ada',
          apiKeys: [{ apiKeyName: 'laptop', publicKey: key.publicKey, curveType: 'API_KEY_CURVE_P256' }],
          authenticators: [],
          oauthProviders: [],
        },
      ],
    })
    const ada = serverClient(server, dialect, {
      apiPublicKey: key.publicKey,
      apiPrivateKey: key.privateKeyHex,
      organizationId,
    })
    const { credentials } = await newUserOf(ada, 'Grace')
    const grace = serverClient(server, dialect, credentials)
    const found = async (filterValue: string) =>
      (await root.getSubOrgIds({ filterType: 'NAME', filterValue })).organizationIds
    expect(await found(oldName)).toEqual([organizationId])
    await expect(grace.updateOrganizationName({ organizationName: 'mine' })).rejects.toMatchObject({ code: 7 })
    await expect(ada.updateOrganizationName({ organizationName: '' })).rejects.toMatchObject({ code: 3 })

    const renamed = await ada.updateOrganizationName({ organizationName: newName })
    expect(renamed).toMatchObject({ organizationId, organizationName: newName })
    expect([await found(oldName), await found(newName)]).toEqual([[], [organizationId]])
    const other = httpClient(server, dialect, credentials)
    expect(await other.getWhoami({ organizationId })).toMatchObject({ organizationName: newName, username: 'Grace' })
    expect(await root.getWhoami()).not.toMatchObject({ organizationName: newName })
  })

  test('update_root_quorum: what one client asks for waits until a second one approves; nobody else can', async () => {
    const { userId: rootId } = server.credentials
    const graceUser = await newUserOf(root, `${dialect} Grace`)
    const eveUser = await newUserOf(root, `${dialect} Eve`)
    const grace = patientClient(graceUser.credentials)
    const eve = patientClient(eveUser.credentials)
    const strangerKey = generateApiKey()
    const stranger = patientClient({
      ...server.credentials,
      apiPublicKey: strangerKey.publicKey,
      apiPrivateKey: strangerKey.privateKeyHex,
    })
    /** As a second client finds it. */
    async function waiting(
      type: 'ACTIVITY_TYPE_CREATE_WALLET' | 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' | OrganizationType,
    ) {
      for (;;) {
        const { activities } = await grace.getActivities({
          filterByType: [type],
          filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'],
        })
        if (activities[0] !== undefined) return activities[0]
        await setTimeout(20)
      }
    }
    const quorum = async () => (await eve.getOrganizationConfigs({})).configs.quorum

    // More approvals than members would lock everybody out, and nobody makes a member of himself.
    const userIds = [rootId, graceUser.userId]
    await expect(root.updateRootQuorum({ threshold: 3, userIds })).rejects.toMatchObject({ code: 3 })
    await expect(eve.updateRootQuorum({ threshold: 1, userIds: [eveUser.userId] })).rejects.toMatchObject({ code: 7 })
    const { activity } = await root.updateRootQuorum({ threshold: 2, userIds })
    expect(activity).toMatchObject({
      status: 'ACTIVITY_STATUS_COMPLETED',
      result: { updateRootQuorumResult: {} },
    })
    expect(await quorum()).toEqual({ threshold: 2, userIds })

    const walletName = `${dialect} of two`
    const wallet = root.createWallet({ walletName, accounts: [ethereumAccount()] })
    const { fingerprint } = await waiting('ACTIVITY_TYPE_CREATE_WALLET')
    await expect(eve.approveActivity({ fingerprint })).rejects.toMatchObject({ code: 7 })
    await expect(stranger.approveActivity({ fingerprint })).rejects.toMatchObject({ code: 16 })
    // One's own approval counts once.
    expect((await root.approveActivity({ fingerprint })).activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    expect((await eve.getWallets()).wallets.map((other) => other.walletName)).not.toContain(walletName)
    const approved = (await grace.approveActivity({ fingerprint })).activity
    expect(approved.status).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(approved.votes.map(({ userId }) => userId).toSorted()).toEqual(userIds.toSorted())
    const { walletId, addresses } = await wallet
    expect((await eve.getWallet({ walletId })).wallet).toMatchObject({ walletName })

    // Nothing is signed for one of them alone, and what is signed for both is the address's.
    const [address = ''] = addresses
    const signing = root.signRawPayload({
      signWith: address,
      payload: 'paid by two',
      encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
      hashFunction: 'HASH_FUNCTION_SHA256',
    })
    const toSign = await waiting('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2')
    expect(toSign.result).toEqual({})
    await grace.approveActivity({ fingerprint: toSign.fingerprint })
    const { r, s, v } = await signing
    const signature = { r: `0x${r}`, s: `0x${s}`, yParity: Number(v) } as const
    expect(await recoverAddress({ hash: sha256(toHex('paid by two')), signature })).toBe(address)

    // A rejection ends it.
    const { organizationName } = await root.getWhoami()
    const renaming = root.updateOrganizationName({ organizationName: 'by one alone' })
    const toRename = await waiting('ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME')
    await grace.rejectActivity({ fingerprint: toRename.fingerprint })
    expect((await renaming).activity.status).toBe('ACTIVITY_STATUS_REJECTED')
    expect((await root.getWhoami()).organizationName).toBe(organizationName)

    // Back to one: the quorum as it is decides it, here by the same bytes from both clients.
    const back = { threshold: 1, userIds: [rootId], timestampMs: String(Date.now()) }
    const byRoot = root.updateRootQuorum(back)
    await waiting('ACTIVITY_TYPE_UPDATE_ROOT_QUORUM')
    await expect(eve.updateRootQuorum(back)).rejects.toMatchObject({ code: 7 })
    expect((await quorum())?.threshold).toBe(2)
    const byGrace = await grace.updateRootQuorum(back)
    expect(byGrace.activity).toMatchObject({ status: 'ACTIVITY_STATUS_COMPLETED', id: (await byRoot).activity.id })
    expect(await quorum()).toEqual({ threshold: 1, userIds: [rootId] })
    const alone = { walletName: `${dialect} of one`, accounts: [] }
    await expect(grace.createWallet(alone)).rejects.toMatchObject({ code: 7 })
    expect((await root.createWallet(alone)).activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  })

  test('list_smart_contract_interfaces: viem and ethers encode the same calls with a listed ABI as with the original', async () => {
    const kept = new Map<string, Abi>([
      ['0x6B175474E89094C44Da98b954EedeAC495271d0F', erc20Abi],
      ['0xE592427A0AEce92De3Edee1F18E0157C05861564', routerAbi],
    ])
    for (const [smartContractAddress, abi] of kept) {
      await root.createSmartContractInterface({
        smartContractAddress,
        smartContractInterface: JSON.stringify(abi),
        type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
        label: `${dialect} ${smartContractAddress}`,
      })
    }
    const { smartContractInterfaceId } = await root.createSmartContractInterface({
      smartContractAddress: solanaIdl.address,
      smartContractInterface: JSON.stringify(solanaIdl),
      type: 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA',
      label: `${dialect} counter`,
      notes: 'of an Anchor project ✓',
    })

    // A client that knows neither contract finds them.
    const { credentials } = await newUserOf(root, `${dialect} Wallet app`)
    const app = serverClient(server, dialect, credentials)
    const listed = async () =>
      (await app.getSmartContractInterfaces({})).smartContractInterfaces.filter(({ label }) =>
        label.startsWith(dialect),
      )
    expect((await listed()).map(({ type }) => type)).toEqual(['ETHEREUM', 'ETHEREUM', 'SOLANA'])
    const [token, router, program] = await listed()
    for (const one of [token, router]) {
      const abi: Abi = JSON.parse(one?.smartContractInterface ?? '')
      expect(abi).toEqual(kept.get(one?.smartContractAddress ?? ''))
    }
    const tokenAbi: Abi = JSON.parse(token?.smartContractInterface ?? '')
    const transfer = ['0x1111111111111111111111111111111111111111', 10n ** 18n] as const
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: transfer })
    expect(data).toBe(encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: transfer }))
    expect(data).toBe(new Interface(token?.smartContractInterface ?? '').encodeFunctionData('transfer', transfer))
    const swap = encodeFunctionData({ abi: routerAbi, functionName: 'exactInputSingle', args: [swapOrder] })
    const ofRouter = new Interface(router?.smartContractInterface ?? '')
    expect(ofRouter.encodeFunctionData('exactInputSingle', [swapOrder])).toBe(swap)
    expect(ofRouter.parseTransaction({ data: swap })?.args[0].amountIn).toBe(swapOrder.amountIn)

    // The call is signed for the address that was listed, and whoever has the listed ABI reads it.
    const { addresses } = await root.createWallet({ walletName: `${dialect} pays`, accounts: [ethereumAccount()] })
    const { organizationId } = server.credentials
    const [signWith = ''] = addresses
    const account = await createAccount({ client: asClientOf<Client>(root), organizationId, signWith })
    const to = getAddress(token?.smartContractAddress ?? '')
    const transaction = { type: 'eip1559', chainId: 1, nonce: 0, to, data, gas: 90_000n, maxFeePerGas: 1n } as const
    const signed = Transaction.from(await account.signTransaction(transaction))
    expect([signed.from, signed.to]).toEqual([signWith, to])
    const read = new Interface(token?.smartContractInterface ?? '').parseTransaction(signed)
    expect([read?.name, read?.args.toArray()]).toEqual(['transfer', transfer])

    expect(program).toMatchObject({ smartContractInterfaceId, notes: 'of an Anchor project ✓', organizationId })
    expect(new PublicKey(program?.smartContractAddress ?? '').toBase58()).toBe(solanaIdl.address)
    expect(JSON.parse(program?.smartContractInterface ?? '')).toEqual(solanaIdl)
    await root.deleteSmartContractInterface({ smartContractInterfaceId })
    expect((await listed()).map(({ type }) => type)).toEqual(['ETHEREUM', 'ETHEREUM'])
  })
})

type OrganizationType = 'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME' | 'ACTIVITY_TYPE_UPDATE_ROOT_QUORUM'
type Client = Parameters<typeof createAccount>[0]['client']
