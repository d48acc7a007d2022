import { hexToBytes } from '@noble/hashes/utils.js'
import {
  Authorized,
  ComputeBudgetProgram,
  PublicKey,
  StakeProgram,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { Psbt, payments } from 'bitcoinjs-lib'
import { TronWeb, utils } from 'tronweb'
import { encodeFunctionData, erc20Abi, parseTransaction, serializeTransaction } from 'viem'
import { expect, test } from 'vitest'
import { prepareBitcoinjs } from '../support/bitcoinjs.ts'
import { explaining, plain, valuesAt } from '../support/explanations.ts'
import { newAccount, startOrganization } from '../support/organization.ts'

/** What stands in the title of a fee that is high beside what is sent, on each chain. */

prepareBitcoinjs()
const organization = await startOrganization()
const { done, found } = organization
const explain = explaining(organization)
const { addresses, walletId } = await done('create_wallet', {
  walletName: 'Treasury',
  accounts: [
    newAccount(),
    newAccount({ curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' }),
    newAccount({ path: "m/44'/195'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_TRON' }),
    newAccount({ path: "m/84'/0'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH' }),
    newAccount({ path: "m/44'/60'/0'/0/1" }),
    newAccount({ path: "m/44'/195'/0'/0/1", addressFormat: 'ADDRESS_FORMAT_TRON' }),
  ],
})
const [ofEthereum = '', ofSolana = '', ofTron = '', ofBitcoin = '', otherOfEthereum = '', otherOfTron = ''] =
  addresses.map(String)
const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const token = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
const ether = 10n ** 18n

/** The warnings of the title: their codes, and their amounts. */
async function warningsOf(signWith: string, type: string, unsignedTransaction: string) {
  const { explanation, lines } = await explain('sign_transaction', { signWith, type, unsignedTransaction })
  const { warnings = [] } = explanation.title
  expect(lines[0]?.startsWith('WARNING: ')).toBe(warnings.length > 0)
  expect(valuesAt(explanation, 'warnings', 'warning')).toEqual(warnings)
  return warnings.map(({ code, values = [] }) => [code, ...values.map(plain)])
}

function ethereum(fields: object) {
  const unsigned = serializeTransaction({
    ...{ type: 'eip1559', chainId: 1, nonce: 7, gas: 21_000n, to, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
    ...fields,
  } as never)
  const { gas = 0n, maxFeePerGas = 0n, maxFeePerBlobGas = 0n, blobVersionedHashes = [] } = parseTransaction(unsigned)
  const fee = gas * maxFeePerGas + BigInt(blobVersionedHashes.length) * 131_072n * maxFeePerBlobGas
  return { fee, warnings: warningsOf(ofEthereum, 'TRANSACTION_TYPE_ETHEREUM', unsigned) }
}

test('Ethereum: gas at the price that viem reads, beside the value', async () => {
  const [gas, maxFeePerGas] = [100_000n, 10n ** 12n]
  const high = ethereum({ gas, maxFeePerGas, value: ether - 1n })
  expect(high.fee).toBe(ether / 10n)
  expect(await high.warnings).toEqual([['highFee', high.fee]])
  expect(await ethereum({ gas, maxFeePerGas, value: ether }).warnings).toEqual([])
  const blobs = ethereum({
    ...{ type: 'eip4844', gas, maxFeePerGas: 1n, maxFeePerBlobGas: 10n ** 12n, value: ether },
    ...{ blobVersionedHashes: [`0x01${'ab'.repeat(31)}`] },
  })
  expect(await blobs.warnings).toEqual([['highFee', blobs.fee]])
})

test('Ethereum: what goes to the own address is not sent', async () => {
  const [gas, maxFeePerGas] = [90_000n, 10n ** 14n]
  for (const own of [ofEthereum, ofEthereum.toLowerCase()]) {
    const high = ethereum({ to: own, value: 100n * ether, gas, maxFeePerGas })
    expect(await high.warnings).toEqual([['highFee', 9n * ether]])
  }
  expect(await ethereum({ value: 100n * ether, gas, maxFeePerGas }).warnings).toEqual([])
})

test('Ethereum: what goes to another account of the same wallet is not sent', async () => {
  const [gas, maxFeePerGas] = [90_000n, 10n ** 14n]
  for (const own of [otherOfEthereum, otherOfEthereum.toLowerCase()]) {
    const high = ethereum({ to: own, value: 100n * ether, gas, maxFeePerGas })
    expect(await high.warnings).toEqual([['highFee', 9n * ether]])
    expect(await ethereum({ to: own, value: 100n * ether, gas, maxFeePerGas: 10n ** 10n }).warnings).toEqual([])
  }
  const elsewhere = await done('create_wallet', { walletName: 'Other', accounts: [newAccount()] })
  const sent = ethereum({ to: String(elsewhere.addresses[0]), value: 100n * ether, gas, maxFeePerGas })
  expect(await sent.warnings).toEqual([])
})

test('many payloads that read as transactions are explained, wherever they send', async () => {
  const payloads = Array.from({ length: 50 }, (_, index) =>
    serializeTransaction({ type: 'legacy', chainId: 1, to: `0x${String(index + 10).repeat(20)}`, value: 5n }),
  )
  const { lines } = await explain('sign_raw_payloads', {
    ...{ signWith: ofEthereum, encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_KECCAK256' },
    payloads,
  })
  expect(lines[0]).toContain('gets 0.000000000000000005 ETH')
})

test('Ethereum: a transfer of tokens sends no ether', async () => {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 5n * ether] })
  const call = { to: token, data, gas: 100_000n }
  expect(await ethereum({ ...call, maxFeePerGas: 500n * 10n ** 9n }).warnings).toEqual([])
  const high = ethereum({ ...call, maxFeePerGas: 501n * 10n ** 9n })
  expect(await high.warnings).toEqual([['highFee', high.fee]])
})

const payer = new PublicKey(ofSolana)
const keyAt = (byte: number) => new PublicKey(new Uint8Array(32).fill(byte))
const paymentTo = (toPubkey: PublicKey, lamports: number, fromPubkey = payer) =>
  SystemProgram.transfer({ fromPubkey, toPubkey, lamports })

function solana(lamports: number, priceInMicroLamports: bigint, instructions = [paymentTo(keyAt(2), lamports)]) {
  const message = new TransactionMessage({
    payerKey: payer,
    recentBlockhash: payer.toBase58(),
    instructions: [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 1_000_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: priceInMicroLamports }),
      ...instructions,
    ],
  })
  const bytes = new VersionedTransaction(message.compileToV0Message()).serialize()
  return warningsOf(ofSolana, 'TRANSACTION_TYPE_SOLANA', Buffer.from(bytes).toString('hex'))
}

test('Solana: the priority fee, beside the lamports', async () => {
  expect(await solana(9_999_999, 1_000_000n)).toEqual([['highFee', 1_000_000n]])
  expect(await solana(10_000_000, 1_000_000n)).toEqual([])
  expect(await solana(1_000, 500_000n)).toEqual([])
})

test('Solana: what comes back, and a stake that stays one, is not sent', async () => {
  const lamports = 90_000_000_000
  const split = { stakePubkey: keyAt(7), authorizedPubkey: payer, splitStakePubkey: keyAt(8), lamports }
  const [divided] = StakeProgram.split(split, 0).instructions.slice(-1)
  const high = [['highFee', 6_000_000_000n]]
  const there = paymentTo(keyAt(2), lamports)
  for (const instructions of [
    [paymentTo(payer, lamports)],
    [divided ?? there],
    [there, paymentTo(payer, lamports, keyAt(2))],
    [there, paymentTo(keyAt(3), lamports, keyAt(2)), paymentTo(payer, lamports, keyAt(3))],
  ])
    expect(await solana(lamports, 6_000_000_000n, instructions)).toEqual(expect.arrayContaining(high))
  // Lamports of somebody else are not the sender's, wherever they go.
  const ofOthers = [paymentTo(keyAt(3), lamports, keyAt(2)), paymentTo(keyAt(4), lamports, keyAt(3))]
  expect(await solana(lamports, 6_000_000_000n, ofOthers)).toEqual(expect.arrayContaining(high))
  const around = [paymentTo(keyAt(3), lamports, keyAt(2)), paymentTo(keyAt(2), lamports, keyAt(3))]
  expect(await solana(lamports, 6_000_000_000n, [...around, paymentTo(keyAt(5), 1)])).toEqual(
    expect.arrayContaining(high),
  )
  const through = [there, paymentTo(keyAt(3), lamports, keyAt(2))]
  // The title says who gets it.
  expect(await solana(lamports, 6_000_000_000n, through)).toEqual([])
  expect(await solana(lamports, 10_000_000n, [paymentTo(payer, lamports)])).toEqual([])
})

test('Solana: what a new account of the sender gets is not sent', async () => {
  const lamports = 90_000_000_000
  const stake = { fromPubkey: payer, stakePubkey: keyAt(7), lamports }
  const stakeOf = (withdrawer: PublicKey) =>
    StakeProgram.createAccount({ ...stake, authorized: new Authorized(payer, withdrawer) }).instructions
  const nonceOf = (authorizedPubkey: PublicKey) =>
    SystemProgram.createNonceAccount({ fromPubkey: payer, noncePubkey: keyAt(7), authorizedPubkey, lamports })
      .instructions
  for (const made of [stakeOf, nonceOf]) {
    expect(await solana(lamports, 6_000_000_000n, made(payer))).toEqual([['highFee', 6_000_000_000n]])
    const codes = (await solana(lamports, 6_000_000_000n, made(keyAt(5)))).map(([code]) => code)
    expect(codes).toEqual(['changesControl'])
  }
})

function tron(type: string, value: object, fee_limit: number) {
  const raw_data = {
    contract: [
      { type, parameter: { value: { owner_address: TronWeb.address.toHex(ofTron), ...value }, type_url: '' } },
    ],
    ...{ ref_block_bytes: '0102', ref_block_hash: '0102030405060708', expiration: 2, timestamp: 1, fee_limit },
  }
  const transaction = utils.transaction.txJsonToPb({ visible: false, txID: '', raw_data_hex: '', raw_data } as never)
  const rawData = utils.transaction.txPbToRawDataHex(transaction).toLowerCase()
  return warningsOf(ofTron, 'TRANSACTION_TYPE_TRON', rawData)
}

test('Tron: the limit of the fee, beside the TRX', async () => {
  const transfer7 = `a9059cbb${'0'.repeat(24)}${'cd'.repeat(20)}${'7'.padStart(64, '0')}`
  const contract = { contract_address: `41${'ab'.repeat(20)}`, data: transfer7 }
  expect(await tron('TriggerSmartContract', contract, 200_000_000)).toEqual([])
  expect(await tron('TriggerSmartContract', contract, 200_000_001)).toEqual([['highFee', 200_000_001n]])
  const called = { ...contract, data: '', call_value: 300_000_000 }
  expect(await tron('TriggerSmartContract', called, 30_000_000)).toEqual([])
  expect(await tron('TriggerSmartContract', called, 30_000_001)).toEqual([['highFee', 30_000_001n]])
  const transfer = { to_address: `41${'cd'.repeat(20)}`, amount: 200_000_000 }
  expect(await tron('TransferContract', transfer, 20_000_001)).toEqual([['highFee', 20_000_001n]])
  expect(await tron('TransferContract', transfer, 20_000_000)).toEqual([])
  const toOther = { to_address: TronWeb.address.toHex(otherOfTron), amount: 100_000_000_000 }
  expect(await tron('TransferContract', toOther, 9_000_000_000)).toEqual([['highFee', 9_000_000_000n]])
  expect(await tron('TransferContract', toOther, 100_000_000)).toEqual([])
  const toItself = { to_address: TronWeb.address.toHex(ofTron), amount: 100_000_000_000 }
  expect(await tron('TransferContract', toItself, 200_000_001)).toEqual([['highFee', 200_000_001n]])
})

const { accounts } = await found('list_wallet_accounts', { walletId })
const publicKey = String(accounts.find(({ address }: { address: string }) => address === ofBitcoin)?.publicKey)

function bitcoin(inputs: readonly bigint[], outputs: readonly (readonly [to: string, value: bigint])[]) {
  const { output: script = new Uint8Array() } = payments.p2wpkh({ pubkey: hexToBytes(publicKey) })
  const psbt = new Psbt()
  for (const [index, value] of inputs.entries()) {
    psbt.addInput({ hash: new Uint8Array(32).fill(7), index, witnessUtxo: { script, value } })
  }
  for (const [address, value] of outputs) psbt.addOutput({ address, value })
  const fee = inputs.reduce((sum, value) => sum + value, 0n) - psbt.txOutputs.reduce((sum, out) => sum + out.value, 0n)
  return {
    fee,
    warnings: warningsOf(ofBitcoin, 'TRANSACTION_TYPE_BITCOIN', Buffer.from(psbt.toBuffer()).toString('hex')),
  }
}

test('Bitcoin: what the inputs have more than the outputs, beside what goes to others', async () => {
  const stranger = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
  const paid = bitcoin(
    [1_000_000n],
    [
      [stranger, 100_000n],
      [ofBitcoin, 889_999n],
    ],
  )
  expect(paid.fee).toBe(10_001n)
  expect(await paid.warnings).toEqual([['highFee', paid.fee]])
  const usual = bitcoin(
    [1_000_000n],
    [
      [stranger, 100_000n],
      [ofBitcoin, 890_000n],
    ],
  )
  expect(await usual.warnings).toEqual([])
  // All of it comes back, so the fee stands beside all of it.
  const back = bitcoin([1_000_000n], [[ofBitcoin, 920_000n]])
  expect(await back.warnings).toEqual([])
  const spent = bitcoin([1_000_000n], [[ofBitcoin, 900_000n]])
  expect(await spent.warnings).toEqual([['highFee', spent.fee]])
  // However much comes back, it does not make a great fee a small one.
  const much = bitcoin([100_000_000n], [[ofBitcoin, 99_899_999n]])
  expect(await much.warnings).toEqual([['highFee', much.fee]])
  expect(await bitcoin([100_000_000n], [[ofBitcoin, 99_900_000n]]).warnings).toEqual([])
})

test('Bitcoin: a fee that is not certain is said, beside the fee that the PSBT states', async () => {
  const stranger = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'
  const usual = bitcoin([500_000n, 500_000n], [[stranger, 990_000n]])
  expect(await usual.warnings).toEqual([['feeUncertain']])
  const high = bitcoin([500_000n, 500_000n], [[stranger, 400_000n]])
  expect(await high.warnings).toEqual([['highFee', high.fee], ['feeUncertain']])
})
