import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Connection, openConnection } from './connection.ts'
import { accountIdAt, accountIdInWallet, type Seeded, seedAccounts } from './seed_accounts.ts'
import { type Client, startClaviger } from './servers.ts'
import { createStamper } from './stamping.ts'

/**
 * Measures a page of list_wallet_accounts in a large organization and in one of 1,000 accounts. A page of the large one
 * may cost at most half as much again; the exit code is 1 when one costs more.
 *
 *     node bench/accounts.ts [--accounts 1000000] [--data <folder>] [--json]
 *
 * `--data`: a folder in which the large organization is kept, because making a million accounts takes long.
 */
const { values: options } = parseArgs({
  options: {
    accounts: { type: 'string', default: '1000000' },
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const accountsSmall = 1_000
const accountsLarge = Number(options.accounts)
const ratioMax = 1.5

const pageItems = 100
/** A wallet of the small organization has 100 accounts, so there is a full page in its middle too. */
const pageItemsOfWallet = 50
/** Different places in the middle, so that no page is in memory because it was just read. */
const middlePlaces = 50
const warmUpRounds = 20
const rounds = 300

type Organization = {
  readonly client: Client
  readonly connection: Connection
  readonly seeded: Seeded
}

type Page = {
  readonly name: string
  /** The requests for the page, as they go over the wire. */
  readonly requests: readonly Buffer[]
}

const folder = await mkdtemp(join(tmpdir(), 'claviger-bench-'))
const servers = [await startClaviger(join(folder, 'small')), await startClaviger(options.data ?? join(folder, 'large'))]
try {
  const [small, large] = await Promise.all(
    [accountsSmall, accountsLarge].map(async (accounts, index) => {
      const client = servers[index]
      if (client === undefined) throw new Error('a server for each')
      return { client, connection: await openConnection(client.url), seeded: await seedAccounts(client, accounts) }
    }),
  )
  if (small === undefined || large === undefined) throw new Error('two organizations')
  const measured = await measure(small, large)
  if (options.json) console.log(JSON.stringify({ accountsSmall, accountsLarge, measured }))
  else print(measured)
  if (measured.some(({ ratio }) => ratio > ratioMax)) process.exitCode = 1
  for (const { connection } of [small, large]) connection.close()
} finally {
  await Promise.all(servers.map((server) => server.stop()))
  await rm(folder, { recursive: true, force: true })
}

type Measured = { readonly page: string; readonly smallMs: number; readonly largeMs: number; readonly ratio: number }

/** The organizations take turns, one request each, so that other work of the machine slows both. */
async function measure(small: Organization, large: Organization): Promise<readonly Measured[]> {
  const [pagesSmall, pagesLarge] = [await pagesOf(small), await pagesOf(large)]
  const measured: Measured[] = []
  for (const [index, { name: page, requests }] of pagesSmall.entries()) {
    const smallMs: number[] = []
    const largeMs: number[] = []
    for (let round = -warmUpRounds; round < rounds; round += 1) {
      const [ofSmall, ofLarge] = [
        await exchangeMs(small, requests, round + warmUpRounds),
        await exchangeMs(large, pagesLarge[index]?.requests ?? [], round + warmUpRounds),
      ]
      if (round < 0) continue
      smallMs.push(ofSmall)
      largeMs.push(ofLarge)
    }
    const medians = { smallMs: median(smallMs), largeMs: median(largeMs) }
    measured.push({ page, ...medians, ratio: medians.largeMs / medians.smallMs })
  }
  return measured
}

async function pagesOf({ client, seeded }: Organization): Promise<readonly Page[]> {
  const [walletId] = seeded.walletIds
  const accountsInWallet = seeded.accounts / seeded.walletIds.length
  const ofAll = await placesOf(seeded.accounts, pageItems, (place) => accountIdAt(client, seeded, place))
  const ofWallet = await placesOf(accountsInWallet, pageItemsOfWallet, (place) =>
    accountIdInWallet(client, walletId, place),
  )
  const pages = [
    ...ofAll.map((place) => ({ ...place, whose: 'organization', limit: pageItems, parameters: {} })),
    ...ofWallet.map((place) => ({ ...place, whose: 'wallet', limit: pageItemsOfWallet, parameters: { walletId } })),
  ]
  const { organizationId } = client.credentials
  const stamped = createStamper(client.credentials)
  return pages.flatMap(({ name, cursors, whose, limit, parameters }) =>
    [false, true].map((includeWalletDetails) => ({
      name: `${whose}, ${name}${includeWalletDetails ? ', with wallet details' : ''}`,
      requests: cursors.map((cursor) => {
        const paginationOptions = { limit: String(limit), ...cursor }
        const body = { organizationId, ...parameters, includeWalletDetails, paginationOptions }
        return stamped('/public/v1/query/list_wallet_accounts', body)
      }),
    })),
  )
}

type Cursor = { readonly after?: string; readonly before?: string }

/** All pages are full. The last one follows the account that is one page before the end. */
async function placesOf(
  accounts: number,
  limit: number,
  idAt: (place: number) => Promise<string>,
): Promise<readonly { readonly name: string; readonly cursors: readonly Cursor[] }[]> {
  const middle: Cursor[] = []
  for (let index = 0; index < middlePlaces; index += 1) {
    middle.push({ after: await idAt(Math.floor(accounts * (0.2 + (0.2 * index) / middlePlaces))) })
  }
  const last = await idAt(accounts - 1)
  return [
    { name: 'first page', cursors: [{}] },
    { name: 'in the middle', cursors: middle },
    { name: 'before the last account', cursors: [{ before: last }] },
    { name: 'last page', cursors: [{ after: await idAt(accounts - 1 - limit) }] },
  ]
}

async function exchangeMs({ connection }: Organization, requests: readonly Buffer[], round: number): Promise<number> {
  const request = requests[round % requests.length]
  if (request === undefined) throw new Error('a page has a request')
  const startMs = performance.now()
  const { status, body } = await connection.exchange(request)
  const tookMs = performance.now() - startMs
  if (status !== 200) throw new Error(`a page was answered ${status}: ${body}`)
  return tookMs
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function print(measured: readonly Measured[]): void {
  console.log(`list_wallet_accounts: median milliseconds of a page, ${accountsSmall} and ${accountsLarge} accounts\n`)
  console.log(
    `${'page'.padEnd(58)} | ${String(accountsSmall).padStart(8)} | ${String(accountsLarge).padStart(8)} | ratio`,
  )
  console.log(`${'-'.repeat(58)} | -------- | -------- | -----`)
  for (const { page, smallMs, largeMs, ratio } of measured) {
    const columns = [smallMs.toFixed(2).padStart(8), largeMs.toFixed(2).padStart(8), ratio.toFixed(2)]
    console.log(`${page.padEnd(58)} | ${columns.join(' | ')}`)
  }
}
