import { readFileSync } from 'node:fs'
import {
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { encodeFunctionData, parseAbi, serializeTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import { newTarget } from '../support/bundles.ts'
import { type Answer, newAccount, newApiKey, type Parameters, startOrganization } from '../support/organization.ts'
import type { ApiKeyPair } from '../support/stamping.ts'

/** The recipes of docs/policies.md, each as it stands there, tried on both sides of its line. */

type Member = { readonly userId: string; readonly apiKey: ApiKeyPair }
type Outcome = 'runs' | 'waits' | 'is refused'

const page = readFileSync('docs/policies.md', 'utf8')
const [, section = ''] = /^## Recipes$(.*?)^## /ms.exec(page) ?? []
const recipes = [...section.matchAll(/^### \d+\. ([^\n]+)$.*?^```json\n(.*?)^```$/gms)].map(
  ([, title = '', json = '']) => ({
    title,
    json,
  }),
)

const ether = 10n ** 18n
const supplier = '0x1f9090aaE28b8a3dCeaDf281B0F12828e676c326'
const stranger = '0x000000000000000000000000000000000000dEaD'
const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const token = parseAbi([
  'function transfer(address recipient, uint256 amount)',
  'function approve(address spender, uint256 amount)',
])
const exchange = new PublicKey('8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR')

/** An organization with the users, tags and the wallet that the recipes name. */
async function start() {
  const organization = await startOrganization()
  const { done, anotherUser, submit } = organization
  const [ada, bob, eve, backend] = [
    await anotherUser('ada'),
    await anotherUser('bob'),
    await anotherUser('eve'),
    await anotherUser('backend'),
  ]
  const treasury = await done('create_user_tag', { userTagName: 'treasury', userIds: [ada.userId, bob.userId] })
  const operations = await done('create_user_tag', { userTagName: 'operations', userIds: [bob.userId] })
  const solanaAccount = { curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' }
  const hot = await done('create_wallet', { walletName: 'hot', accounts: [newAccount(), newAccount(solanaAccount)] })
  const cold = await done('create_wallet', { walletName: 'cold', accounts: [newAccount()] })
  const ids = {
    ADA_ID: ada.userId,
    BACKEND_ID: backend.userId,
    OPS_TAG_ID: operations.userTagId,
    TREASURY_TAG_ID: treasury.userTagId,
    WALLET_ID: hot.walletId,
  }

  /** Makes the policy of a recipe, with the ids of this organization. */
  async function cook(title: string): Promise<void> {
    const recipe = recipes.find((one) => one.title === title)?.json ?? ''
    const filled = Object.entries(ids).reduce((json, [name, id]) => json.replaceAll(name, id), recipe)
    await done('create_policy', JSON.parse(filled))
  }

  const asks = async (name: string, parameters: Parameters, { apiKey }: Member): Promise<Outcome> =>
    outcomeOf(await submit(name, parameters, { apiKey }))

  const [ethereum, solana] = hot.addresses
  type Transaction = {
    to?: `0x${string}`
    value?: bigint
    data?: `0x${string}`
    gas?: bigint
    chainId?: number
    signWith?: string
  }
  function pays(user: Member, { signWith = ethereum, ...transaction }: Transaction): Promise<Outcome> {
    const given = { to: supplier, chainId: 1, gas: 21_000n, maxFeePerGas: 10n ** 10n, ...transaction } as const
    const unsignedTransaction = serializeTransaction({ type: 'eip1559', ...given })
    return asks('sign_transaction', { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }, user)
  }

  const payer = new PublicKey(solana)
  function paysOnSolana(user: Member, ...instructions: TransactionInstruction[]): Promise<Outcome> {
    const message = new TransactionMessage({ payerKey: payer, recentBlockhash: exchange.toBase58(), instructions })
    const unsignedTransaction = Buffer.from(
      new VersionedTransaction(message.compileToV0Message()).serialize(),
    ).toString('hex')
    return asks('sign_transaction', { signWith: solana, unsignedTransaction, type: 'TRANSACTION_TYPE_SOLANA' }, user)
  }

  return { ...organization, ada, bob, eve, backend, hot, cold, payer, cook, asks, pays, paysOnSolana }
}

function outcomeOf({ status, body }: Answer): Outcome {
  if (status === 403) return 'is refused'
  expect(status, JSON.stringify(body)).toBe(200)
  return body.activity.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED' ? 'waits' : 'runs'
}

const payload = (signWith: string) => ({
  signWith,
  payload: 'hello',
  encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
  hashFunction: 'HASH_FUNCTION_KECCAK256',
})

describe('the recipes of the page about policies', () => {
  test('are ten, before all else', () => {
    expect(recipes).toHaveLength(10)
    expect(page.indexOf('## Recipes')).toBe(page.indexOf('\n## ') + 1)
  })

  test('A user signs with one wallet', async () => {
    const { cook, asks, ada, bob, hot, cold } = await start()
    await cook('A user signs with one wallet')
    expect(await asks('sign_raw_payload', payload(hot.addresses[0]), ada)).toBe('runs')
    expect(await asks('sign_raw_payload', payload(cold.addresses[0]), ada)).toBe('is refused')
    expect(await asks('sign_raw_payload', payload(hot.addresses[0]), bob)).toBe('waits')
  })

  test('A team makes wallets', async () => {
    const { cook, asks, bob } = await start()
    await cook('A team makes wallets')
    expect(await asks('create_wallet', { walletName: 'new', accounts: [] }, bob)).toBe('runs')
    expect(await asks('create_user_tag', { userTagName: 'new', userIds: [] }, bob)).toBe('is refused')
  })

  test('A user sends small payments alone', async () => {
    const { cook, pays, asks, ada, hot } = await start()
    await cook('A user sends small payments alone')
    expect(await pays(ada, { value: ether / 10n })).toBe('runs')
    expect(await pays(ada, { value: ether / 10n + 1n })).toBe('is refused')
    expect(await pays(ada, { value: 1n, data: '0x00' })).toBe('is refused')
    expect(await pays(ada, { value: 1n, gas: 21_001n })).toBe('is refused')
    expect(await pays(ada, { value: 1n, chainId: 10 })).toBe('is refused')
    expect(await asks('sign_raw_payload', payload(hot.addresses[0]), ada)).toBe('is refused')
  })

  test('Large payments need two of the treasury', async () => {
    const { cook, pays, submit, ada, bob, eve, found } = await start()
    await cook('Large payments need two of the treasury')
    expect(await pays(ada, { value: 100n * ether + 1n })).toBe('is refused')
    expect(await pays(eve, { value: ether })).toBe('waits')
    const { activities } = await found('list_activities', { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] })
    const { fingerprint } = activities[0]
    expect(outcomeOf(await submit('approve_activity', { fingerprint }, { apiKey: ada.apiKey }))).toBe('waits')
    expect(outcomeOf(await submit('approve_activity', { fingerprint }, { apiKey: bob.apiKey }))).toBe('runs')
  })

  test('Payments go to listed addresses, in office hours', async () => {
    const { cook, pays, ada, clock } = await start()
    await cook('Payments go to listed addresses, in office hours')
    expect(await pays(ada, { value: 1n })).toBe('is refused')
    clock.nowMs = Date.UTC(2026, 0, 1, 8)
    expect(await pays(ada, { value: 2n })).toBe('runs')
    expect(await pays(ada, { value: 2n, to: stranger })).toBe('is refused')
    clock.nowMs = Date.UTC(2026, 0, 1, 16)
    expect(await pays(ada, { value: 3n })).toBe('is refused')
    clock.nowMs = Date.UTC(2026, 0, 3, 8)
    expect(await pays(ada, { value: 4n })).toBe('is refused')
  })

  test('Payments of a day have a limit', async () => {
    const { cook, pays, ada, cold, clock } = await start()
    await cook('Payments of a day have a limit')
    expect(await pays(ada, { value: ether / 2n })).toBe('runs')
    expect(await pays(ada, { value: ether / 2n + 1n })).toBe('is refused')
    expect(await pays(ada, { value: ether / 2n })).toBe('runs')
    expect(await pays(ada, { value: 1n })).toBe('is refused')
    expect(await pays(ada, { value: 1n, signWith: cold.addresses[0] })).toBe('is refused')
    clock.nowMs += 25 * 3_600_000
    expect(await pays(ada, { value: ether })).toBe('runs')
  })

  test('A user sends a token to one address', async () => {
    const { cook, pays, done, ada } = await start()
    await done('create_smart_contract_interface', {
      smartContractAddress: usdc,
      smartContractInterface: JSON.stringify(token),
      type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
      label: 'USDC',
    })
    await cook('A user sends a token to one address')
    const calls = (functionName: 'transfer' | 'approve', to: `0x${string}`, amount: bigint) =>
      pays(ada, { to: usdc, data: encodeFunctionData({ abi: token, functionName, args: [to, amount] }) })
    expect(await calls('transfer', supplier, 10n ** 9n)).toBe('runs')
    expect(await calls('transfer', supplier, 10n ** 9n + 1n)).toBe('is refused')
    expect(await calls('transfer', stranger, 1n)).toBe('is refused')
    expect(await calls('approve', supplier, 1n)).toBe('is refused')
  })

  test('A user sends SOL to one address', async () => {
    const { cook, paysOnSolana, payer, ada } = await start()
    await cook('A user sends SOL to one address')
    const transfer = (lamports: number, toPubkey = exchange) =>
      SystemProgram.transfer({ fromPubkey: payer, toPubkey, lamports })
    expect(await paysOnSolana(ada, transfer(10 ** 9))).toBe('runs')
    expect(await paysOnSolana(ada, transfer(10 ** 9 + 1))).toBe('is refused')
    expect(await paysOnSolana(ada, transfer(1, payer))).toBe('is refused')
    expect(await paysOnSolana(ada, transfer(1), transfer(1))).toBe('is refused')
    const assign = SystemProgram.assign({ accountPubkey: payer, programId: exchange })
    expect(await paysOnSolana(ada, assign)).toBe('is refused')
    expect(await paysOnSolana(ada, transfer(1), assign)).toBe('is refused')
  })

  test('Nobody exports a key', async () => {
    const { cook, asks, done, ada, hot, submit } = await start()
    await done('create_policy', { policyName: 'all', effect: 'EFFECT_ALLOW', condition: 'true', notes: '' })
    const exported = { walletId: hot.walletId, targetPublicKey: newTarget().targetPublicKey }
    expect(await asks('export_wallet', exported, ada)).toBe('runs')
    await cook('Nobody exports a key')
    expect(await asks('export_wallet', exported, ada)).toBe('is refused')
    expect(await asks('create_wallet', { walletName: 'new', accounts: [] }, ada)).toBe('runs')
    expect(outcomeOf(await submit('export_wallet', exported))).toBe('runs')
  })

  test('A backend makes an organization for each customer', async () => {
    const { cook, asks, backend } = await start()
    await cook('A backend makes an organization for each customer')
    const rootUsers = [{ userName: 'customer', apiKeys: [newApiKey()], authenticators: [], oauthProviders: [] }]
    const made = { subOrganizationName: 'customer', rootUsers, rootQuorumThreshold: 1 }
    expect(await asks('create_sub_organization', made, backend)).toBe('runs')
    expect(await asks('create_wallet', { walletName: 'new', accounts: [] }, backend)).toBe('is refused')
  })
})
