import { mkdir } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type Client, query, startClaviger, submit } from './servers.ts'

/**
 * Fills an organization with accounts as a client would: the vault derives and seals each account.
 *
 *     node bench/seed_accounts.ts --data <folder> [--accounts 1000000]
 *
 * A folder that was filled before stays as it is; `bench/accounts.ts --data <folder>` measures it.
 */
const walletsCount = 10
const accountsPerRequestMax = 1_000

/** Where the accounts of a filled organization are. Each request fills the next wallet in turn. */
export type Seeded = {
  readonly accounts: number
  readonly walletIds: readonly string[]
  readonly accountsPerRequest: number
}

/** `accounts`: a multiple of ten, and of 10,000 above that. */
export async function seedAccounts(client: Client, accounts: number): Promise<Seeded> {
  const accountsPerRequest = Math.min(accounts / walletsCount, accountsPerRequestMax)
  if (!Number.isInteger(accounts / walletsCount / accountsPerRequest))
    throw new Error(`not a round number: ${accounts}`)
  const known = await walletIdsOf(client)
  const seeded = { accounts, walletIds: known.length > 0 ? known : await createWallets(client), accountsPerRequest }
  const requests = accounts / accountsPerRequest
  for (let request = 0; known.length === 0 && request < requests; request += 1) {
    await submit(client, {
      name: 'create_wallet_accounts',
      type: 'ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS',
      parameters: {
        walletId: seeded.walletIds[request % walletsCount],
        accounts: Array.from({ length: accountsPerRequest }, (_, index) => ({
          curve: 'CURVE_SECP256K1',
          pathFormat: 'PATH_FORMAT_BIP32',
          path: pathOf(Math.floor(request / walletsCount) * accountsPerRequest + index),
          addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
        })),
      },
    })
    if (request % 100 === 99) console.error(`${(request + 1) * accountsPerRequest} accounts`)
  }
  const last = await accountIdAt(client, seeded, accounts - 1)
  if (last === undefined) throw new Error(`the folder has been filled with fewer than ${accounts} accounts`)
  return seeded
}

/** The id of the account at this place in the order of the organization's list, from 0. */
export function accountIdAt(client: Client, { walletIds, accountsPerRequest }: Seeded, place: number) {
  const request = Math.floor(place / accountsPerRequest)
  const placeInWallet = Math.floor(request / walletsCount) * accountsPerRequest + (place % accountsPerRequest)
  return accountIdInWallet(client, walletIds[request % walletsCount], placeInWallet)
}

/** The id of the account at this place in the order of the wallet's list, from 0. */
export async function accountIdInWallet(client: Client, walletId: string | undefined, place: number): Promise<string> {
  const { account } = await query(client, { name: 'get_wallet_account', parameters: { walletId, path: pathOf(place) } })
  if (typeof account !== 'object' || account === null || !('walletAccountId' in account)) throw new Error('no account')
  return String(account.walletAccountId)
}

function pathOf(index: number): string {
  return `m/44'/60'/0'/0/${index}`
}

/** The ids of the wallets, in the order in which the wallets were made. */
async function walletIdsOf(client: Client): Promise<readonly string[]> {
  const { wallets } = await query(client, { name: 'list_wallets', parameters: {} })
  if (!Array.isArray(wallets)) throw new Error('an answer without wallets')
  return wallets.map(({ walletId }) => String(walletId))
}

async function createWallets(client: Client): Promise<readonly string[]> {
  const walletIds: string[] = []
  for (let index = 0; index < walletsCount; index += 1) {
    const parameters = { walletName: `Bench ${index}`, accounts: [] }
    const { walletId } = await submit(client, {
      name: 'create_wallet',
      type: 'ACTIVITY_TYPE_CREATE_WALLET',
      parameters,
    })
    walletIds.push(String(walletId))
  }
  return walletIds
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { data: { type: 'string' }, accounts: { type: 'string', default: '1000000' } },
  })
  if (values.data === undefined) throw new Error('name the folder to fill with --data')
  await mkdir(values.data, { recursive: true })
  const server = await startClaviger(values.data)
  try {
    await seedAccounts(server, Number(values.accounts))
  } finally {
    await server.stop()
  }
}
