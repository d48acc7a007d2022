import { secp256k1 } from '@noble/curves/secp256k1.js'
import { beforeAll, expect, test } from 'vitest'
import { clientOf } from '../../../../test/support/client.ts'
import { newAccount, startOrganization, type TestOrganization } from '../../../../test/support/organization.ts'
import { historyOf, type Told, verifiedHistory } from '../../../../test/support/recorded_history.ts'
import type { WalletAccount } from '../../../contract/records/records.ts'

let organization: TestOrganization
let known: Promise<readonly Told[]> | undefined

const accounts = [
  newAccount(),
  newAccount({ curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' }),
  newAccount({ path: "m/86'/0'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR' }),
]
const payloads = ['one', 'two']
const plain = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' }
const ofEd25519 = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE' }
const unsignedTransaction = 'eb808477359400825208941f9090aae28b8a3dceadf281b0f12828e676c326880de0b6b3a764000080018080'

beforeAll(async () => {
  organization = await startOrganization()
  const { done } = organization
  const { addresses } = await done('create_wallet', { walletName: 'w', accounts })
  const privateKeys = [
    { privateKeyName: 'k', curve: 'CURVE_P256', privateKeyTags: [], addressFormats: ['ADDRESS_FORMAT_COMPRESSED'] },
  ]
  const made = await done('create_private_keys', { privateKeys })
  for (const signWith of [addresses[0], addresses[2], made.privateKeys[0].privateKeyId]) {
    await done('sign_raw_payloads', { signWith, payloads, ...plain })
  }
  await done('sign_raw_payload', { signWith: addresses[1], payload: 'three', ...ofEd25519 })
  await done('sign_transaction', { signWith: addresses[0], type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction })
})

/** The organization, a wallet, a private key, three times two signatures, one of Ed25519, and one of a transaction. */
const entriesCount = 8
const history = () => {
  const { server, organizationId, rootKey: apiKey } = organization
  known ??= historyOf(server, clientOf(server, { organizationId, apiKey }), entriesCount)
  return known
}

/** The faults of the step in the history with another text in the content or the document of an entry. */
async function altered(place: number, part: 'content' | 'document', change: (text: string) => string) {
  const told = (await history()).map((each, at) =>
    at === place ? { ...each, [part]: JSON.parse(change(JSON.stringify(each[part]))) } : each,
  )
  const { chain, results } = await verifiedHistory(told)
  expect(chain.findings).toEqual([])
  return results.findings.map(({ index, what }) => [index, what])
}

test('signatures of every curve and scheme, and the addresses of accounts and keys, are verified', async () => {
  const { results, stamps } = await verifiedHistory(await history())
  expect(stamps.findings).toEqual([])
  expect(results).toEqual({
    ...{ checked: 4 + 7 + 1, notChecked: {}, findings: [], findingsCount: 0 },
  })
})

test.each([3, 4, 5])('a signature of entry %i that is over other bytes, or another one, is found', async (place) => {
  const what = expect.stringMatching(/^the signature is not one of .* over what was asked$/)
  const other = (text: string) => text.replace('\\"two\\"', '\\"2wo\\"')
  expect(await altered(place, 'content', other)).toEqual([[place, what]])
  const { content } = (await history())[place] ?? {}
  const { signatures } = Object.values(content?.result ?? {})[0] as { signatures: readonly { r: string }[] }
  const swapped = (text: string) => text.replace(signatures[0]?.r ?? '', signatures[1]?.r ?? '')
  expect(await altered(place, 'content', swapped)).toEqual([[place, what]])
})

test('the other signature of secp256k1 by the same key, with the high S that no chain takes, is found', async () => {
  const { content } = (await history())[3] ?? {}
  const [{ s, v }] = (Object.values(content?.result ?? {})[0] as { signatures: [{ s: string; v: string }] }).signatures
  const high = (secp256k1.Point.Fn.ORDER - BigInt(`0x${s}`)).toString(16).padStart(64, '0')
  const mirrored = (text: string) =>
    text.replace(`"s":"${s}","v":"${v}"`, `"s":"${high}","v":"${v === '00' ? '01' : '00'}"`)
  expect(await altered(3, 'content', mirrored)).toEqual([[3, expect.stringMatching(/^the signature is not one of /)]])
})

test('an address that is not that of its public key is found', async () => {
  const document = (await history())[1]?.document
  const record = document?.changes[0]?.records.find(({ kind }) => kind === 'wallet_account')?.record as {
    publicKey: string
  }
  const flipped = record.publicKey.replace(/^0[23]/, (sign) => (sign === '02' ? '03' : '02'))
  const faults = await altered(1, 'document', (text) => text.replace(record.publicKey, flipped))
  expect(faults[0]).toEqual([1, expect.stringMatching(`is not that of the public key ${flipped}$`)])
})

test('accounts of one wallet at one path have one key, also if one was deleted before the next was made', async () => {
  const { server, organizationId, rootKey: apiKey, done, found } = await startOrganization()
  const ofTron = newAccount({ addressFormat: 'ADDRESS_FORMAT_TRON' })
  const { walletId } = await done('create_wallet', { walletName: 'w', accounts: [newAccount()] })
  await done('create_wallet_accounts', { walletId, accounts: [ofTron] })
  const client = clientOf(server, { organizationId, apiKey })
  const { accounts: made } = await found('list_wallet_accounts', { walletId })
  const walletAccountIds = made.map(({ walletAccountId }: { walletAccountId: string }) => walletAccountId)
  await done('delete_wallet_accounts', { walletAccountIds, deleteWithoutExport: true })
  await done('create_wallet_accounts', { walletId, accounts: [ofTron] })
  await done('create_wallet', { walletName: 'other', accounts: [ofTron] })
  const told = await historyOf(server, client, 6)
  expect((await verifiedHistory(told)).results).toMatchObject({ checked: 4, findings: [] })

  const accountOf = (place: number) =>
    told[place]?.document?.changes[0]?.records.find(({ kind }) => kind === 'wallet_account')?.record as WalletAccount
  const stranger = accountOf(5)
  for (const place of [2, 4]) {
    const { publicKey, address } = accountOf(place)
    const lie = (text: string) => text.replaceAll(publicKey, stranger.publicKey).replaceAll(address, stranger.address)
    const altered = told.map((each, at) =>
      at === place ? { ...each, document: JSON.parse(lie(JSON.stringify(each.document))) } : each,
    )
    const { results } = await verifiedHistory(altered)
    const what = `wallet ${walletId} has the public key ${publicKey} at m/44'/60'/0'/0/0, and this account has ${stranger.publicKey}`
    expect(results.findings).toMatchObject([{ index: place, what }])
  }
})

test('a signature by a key that there was not is found, unless the log began later', async () => {
  const told = await history()
  const { message = '' } = told[3]?.content ?? {}
  const { signWith } = JSON.parse(message).parameters
  const absent = (text: string) => text.replace(signWith, `0x${'11'.repeat(20)}`)
  expect(await altered(3, 'content', absent)).toEqual([
    [3, expect.stringMatching(/^there was no account or private key/)],
  ])
  const { results } = await verifiedHistory(told.slice(2))
  expect(results).toMatchObject({
    ...{ checked: 3, findings: [] },
    notChecked: { 'signatures of keys that may be from what was before the log began': 4 },
  })
})
