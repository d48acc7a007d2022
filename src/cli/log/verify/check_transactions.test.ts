import { PublicKey, SystemProgram, Transaction } from '@solana/web3.js'
import { address as bitcoinAddress, Psbt } from 'bitcoinjs-lib'
import { utils } from 'tronweb'
import { serializeTransaction } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { prepareBitcoinjs } from '../../../../test/support/bitcoinjs.ts'
import { clientOf } from '../../../../test/support/client.ts'
import { newAccount, startOrganization, type TestOrganization } from '../../../../test/support/organization.ts'
import { historyOf, type Told, verifiedHistory } from '../../../../test/support/recorded_history.ts'

/** Signed transactions of every chain, and others in their place. */

let organization: TestOrganization
let known: Promise<readonly Told[]> | undefined

const accounts = [
  newAccount(),
  newAccount({ path: "m/44'/501'/0'/0'", curve: 'CURVE_ED25519', addressFormat: 'ADDRESS_FORMAT_SOLANA' }),
  newAccount({ path: "m/44'/195'/0'", addressFormat: 'ADDRESS_FORMAT_TRON' }),
  newAccount({ path: "m/86'/0'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR' }),
  newAccount({ path: "m/84'/0'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH' }),
]
const to = '0x00000000000000000000000000000000000000aa'
const fields = { chainId: 1, nonce: 3, gas: 21_000n, to, value: 0x123456n } as const
const fees = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n }

function solanaOf(payer: PublicKey): string {
  const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: payer, lamports: 0x123456 })
  const unsigned = new Transaction({ feePayer: payer, blockhash: payer.toBase58(), lastValidBlockHeight: 1 })
  return unsigned.add(transfer).serialize({ verifySignatures: false }).toString('hex')
}

function tronOf(owner: string): string {
  const value = { owner_address: owner, to_address: owner, amount: 5 }
  const raw_data = {
    contract: [{ type: 'TransferContract', parameter: { value, type_url: '' } }],
    ...{ ref_block_bytes: '0102', ref_block_hash: '0102030405060708', expiration: 2, timestamp: 0x123456 },
  }
  const transaction = utils.transaction.txJsonToPb({ visible: false, txID: '', raw_data_hex: '', raw_data } as never)
  return utils.transaction.txPbToRawDataHex(transaction).toLowerCase()
}

function psbtOf(owner: string): string {
  const psbt = new Psbt()
  for (const index of [0, 1]) {
    const witnessUtxo = { script: bitcoinAddress.toOutputScript(owner), value: 1_000n }
    psbt.addInput({ hash: new Uint8Array(32).fill(7), index, witnessUtxo })
  }
  return Buffer.from(psbt.addOutput({ address: owner, value: 900n }).toBuffer()).toString('hex')
}

beforeAll(async () => {
  prepareBitcoinjs()
  organization = await startOrganization()
  const { done } = organization
  const { addresses } = await done('create_wallet', { walletName: 'w', accounts })
  const [ethereum, solana, tron, taproot, segwit] = addresses
  const requests = [
    [ethereum, 'ETHEREUM', serializeTransaction({ type: 'legacy', gasPrice: 1n, ...fields })],
    [ethereum, 'ETHEREUM', serializeTransaction({ type: 'eip1559', ...fees, ...fields })],
    [solana, 'SOLANA', solanaOf(new PublicKey(solana))],
    [tron, 'TRON', tronOf(tron)],
    [taproot, 'BITCOIN', psbtOf(taproot)],
    [segwit, 'BITCOIN', psbtOf(segwit)],
  ]
  for (const [signWith, chain, unsignedTransaction] of requests) {
    await done('sign_transaction', { signWith, unsignedTransaction, type: `TRANSACTION_TYPE_${chain}` })
  }
})

/** The organization, its wallet and six transactions, of which those of Bitcoin have two signatures each. */
const entriesCount = 8
const places = [2, 3, 4, 5, 6, 7]
const history = () => {
  const { server, organizationId, rootKey: apiKey } = organization
  known ??= historyOf(server, clientOf(server, { organizationId, apiKey }), entriesCount)
  return known
}

/** The faults of the step where an entry has another signed transaction. */
async function altered(place: number, change: (signed: string) => string) {
  const told = (await history()).map((each, at) => {
    if (at !== place || each.content === undefined) return each
    const result = each.content.result as { signTransactionResult: { signedTransaction: string } }
    const signedTransaction = change(result.signTransactionResult.signedTransaction)
    expect(signedTransaction).not.toBe(result.signTransactionResult.signedTransaction)
    return { ...each, content: { ...each.content, result: { signTransactionResult: { signedTransaction } } } } as Told
  })
  const { chain, results } = await verifiedHistory(told)
  expect(chain.findings).toEqual([])
  return results.findings.map(({ index, what }) => [index, what])
}

const other = 'the signed transaction is not the one that was asked for'
const unsigned = expect.stringMatching(/^the signature in the transaction is not one of .* over it$/)

/** The text with another digit at a place from its end. */
function flipped(signed: string, fromEnd: number): string {
  const at = signed.length - fromEnd
  return `${signed.slice(0, at)}${signed[at] === '1' ? '2' : '1'}${signed.slice(at + 1)}`
}

test('the signatures in transactions of every chain are verified', async () => {
  const { results, stamps } = await verifiedHistory(await history())
  expect(stamps.findings).toEqual([])
  expect(results).toEqual({ checked: accounts.length + 4 + 2 * 2, notChecked: {}, findings: [], findingsCount: 0 })
})

test.each(places)(
  'another transaction than entry %i asks for is found, and so is anything behind it',
  async (place) => {
    // An amount, or the value of both outputs that are spent.
    const amount = (signed: string) =>
      signed.replace(/123456|563412|d6e848|e803000000000000/, (text) => flipped(text, 4))
    expect(await altered(place, amount)).toEqual([[place, other]])
    const longer = await altered(place, (signed) => `${signed}00`)
    expect(longer).toHaveLength(1)
    expect(longer[0]?.[0]).toBe(place)
  },
)

test.each([2, 3, 5])('a transaction of entry %i with a recovery id of somebody else is found', async (place) => {
  const legacy = (signed: string) =>
    signed.replace(/(2[56])(?=a0[0-9a-f]{64}a0[0-9a-f]{64}$)/, (v) => (v === '25' ? '26' : '25'))
  const typed = (signed: string) =>
    signed.replace(/(80|01)(?=a0[0-9a-f]{64}a0[0-9a-f]{64}$)/, (v) => (v === '80' ? '01' : '80'))
  const tron = (signed: string) => signed.replace(/1[bc]$/, (v) => (v === '1b' ? '1c' : '1b'))
  const change = { 2: legacy, 3: typed, 5: tron }[place] ?? legacy
  expect(await altered(place, change)).toEqual([[place, unsigned]])
})

test('a signature over something else is found in every chain', async () => {
  expect(await altered(2, (signed) => flipped(signed, 10))).toEqual([[2, unsigned]])
  expect(await altered(3, (signed) => flipped(signed, 10))).toEqual([[3, unsigned]])
  expect(await altered(4, (signed) => flipped(signed.slice(0, 100), 20) + signed.slice(100))).toEqual([[4, unsigned]])
  expect(await altered(5, (signed) => flipped(signed, 10))).toEqual([[5, unsigned]])
  const inPsbt = (pattern: RegExp) => (signed: string) => signed.replace(pattern, (text) => flipped(text, 10))
  expect(await altered(6, inPsbt(/011340[0-9a-f]{128}/))).toEqual([[6, unsigned]])
  expect(await altered(7, inPsbt(/2202[0-9a-f]{66}4[78]30[0-9a-f]{136}/))).toEqual([[7, unsigned]])
})
