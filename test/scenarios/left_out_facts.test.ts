import { Keypair, PublicKey, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js'
import { address, networks, Psbt, Transaction } from 'bitcoinjs-lib'
import { encodeFunctionData, erc20Abi, type Hex, serializeTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import { prepareBitcoinjs } from '../support/bitcoinjs.ts'
import { expectRefused, newAccount, newMfaPolicy, newPolicy, startOrganization } from '../support/organization.ts'

/** Denials and MFA policies hold though the user who asks leaves out a fact, or chooses a form without it. */

prepareBitcoinjs()
const denied = 'denied this action'

async function start() {
  const organization = await startOrganization()
  const { submit, done, anotherUser } = organization
  const ada = await anotherUser('ada')
  const accounts = [
    newAccount(),
    newAccount({ path: "m/84'/0'/0'/0/0", addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH' }),
    newAccount({ curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' }),
  ]
  const { addresses } = await done('create_wallet', { walletName: 'hot', accounts })
  const [ethereum = '', bitcoin = '', solana = ''] = addresses as readonly string[]
  const consensus = `approvers.any(user, user.id == '${ada.userId}')`
  const allow = { effect: 'EFFECT_ALLOW', policyName: 'allow', consensus, condition: "activity.action == 'SIGN'" }
  await done('create_policy', newPolicy(allow))
  const sign = (type: string, signWith: string, unsignedTransaction: string) =>
    submit('sign_transaction', { type: `TRANSACTION_TYPE_${type}`, signWith, unsignedTransaction }, ada)
  return {
    ...organization,
    bitcoin,
    solana: new PublicKey(solana),
    deny: (condition: string) => done('create_policy', newPolicy({ policyName: 'denial', condition })),
    askSteps: (condition: string) => done('create_mfa_policy', { userId: ada.userId, ...newMfaPolicy({ condition }) }),
    signEthereum: (transaction: object) =>
      sign('ETHEREUM', ethereum, serializeTransaction({ chainId: 1, gas: 65_000n, ...transaction } as never)),
    signBitcoin: (psbt: Psbt) => sign('BITCOIN', bitcoin, psbt.toHex()),
    signSolana(...instructions: readonly TransactionInstruction[]) {
      const payerKey = new PublicKey(solana)
      const recentBlockhash = PublicKey.default.toBase58()
      const message = new TransactionMessage({ payerKey, recentBlockhash, instructions: [...instructions] })
      const bytes = new VersionedTransaction(message.compileToV0Message()).serialize()
      return sign('SOLANA', solana, Buffer.from(bytes).toString('hex'))
    },
  }
}

/** Spends two coins of one bitcoin each. Without previous transactions, the signed transaction is the same. */
function payment(own: string, { fee, isProven }: { readonly fee: bigint; readonly isProven: boolean }): Psbt {
  const script = address.toOutputScript(own, networks.bitcoin)
  const psbt = new Psbt()
  for (const seed of [1, 2]) {
    const previous = new Transaction()
    previous.addInput(new Uint8Array(32).fill(seed), 0)
    previous.addOutput(script, 100_000_000n)
    const proof = isProven ? { nonWitnessUtxo: previous.toBuffer() } : {}
    psbt.addInput({ hash: previous.getId(), index: 0, witnessUtxo: { script, value: 100_000_000n }, ...proof })
  }
  psbt.addOutput({ address: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', value: 200_000_000n - fee })
  return psbt
}

describe('the fee of a PSBT without previous transactions', () => {
  test.each([
    ['bitcoin.tx.fee > 10000', 5_000n],
    ['!(bitcoin.tx.fee <= 10000)', 5_000n],
    ['bitcoin.tx.outputs[0].value + bitcoin.tx.fee > 1000000', undefined],
    ['bitcoin.tx.outputs.any(o, o.value + bitcoin.tx.fee > 1000000)', undefined],
  ])('is perhaps what is denied: %s', async (condition, allowedFee) => {
    const { deny, askSteps, done, signBitcoin, bitcoin } = await start()
    const { policyId } = await deny(condition)
    const ways = [true, false].map((isProven) => payment(bitcoin, { fee: 199_000_000n, isProven }))
    for (const psbt of ways) expectRefused(await signBitcoin(psbt), 403, denied)
    if (allowedFee !== undefined) {
      const usual = payment(bitcoin, { fee: allowedFee, isProven: true })
      expect((await signBitcoin(usual)).status).toBe(200)
    }
    await done('delete_policy', { policyId })
    await askSteps(condition)
    for (const psbt of ways)
      expect((await signBitcoin(psbt)).body.activity.status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
  })

  test('is not asked about where the rest of the denial is false', async () => {
    const { deny, signBitcoin, bitcoin } = await start()
    await deny('bitcoin.tx.outputs[0].value > 200000000 && bitcoin.tx.fee > 10000')
    expect((await signBitcoin(payment(bitcoin, { fee: 5_000n, isProven: false }))).status).toBe(200)
  })

  test('is no permission', async () => {
    const { found, done, signBitcoin, bitcoin } = await start()
    const [{ policyId }] = (await found('list_policies')).policies
    await done('update_policy', { policyId, policyCondition: '!(bitcoin.tx.fee > 10000)' })
    expect((await signBitcoin(payment(bitcoin, { fee: 5_000n, isProven: true }))).status).toBe(200)
    const unproven = await signBitcoin(payment(bitcoin, { fee: 5_000n, isProven: false }))
    expectRefused(unproven, 403, 'No policies evaluated to outcome: Allow')
  })
})

const usdc = new PublicKey('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
const tokens = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const [source, recipient, otherMint] = [1, 2, 3].map(() => Keypair.generate().publicKey) as [
  PublicKey,
  PublicKey,
  PublicKey,
]
function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}
const ofTokens = (keys: readonly PublicKey[], ...data: readonly Uint8Array[]) =>
  new TransactionInstruction({
    programId: tokens,
    keys: keys.map((pubkey, index) => ({ pubkey, isSigner: index === keys.length - 1, isWritable: true })),
    data: Buffer.concat(data),
  })

describe('a transfer of tokens that does not name its mint', () => {
  const named = (owner: PublicKey, mint: PublicKey, amount: number) =>
    ofTokens([source, mint, recipient, owner], Buffer.of(12), u64(amount), Buffer.of(6))
  const bare = (owner: PublicKey, amount: number) => ofTokens([source, recipient, owner], Buffer.of(3), u64(amount))

  test('is perhaps one of another token', async () => {
    const { deny, askSteps, done, signSolana, solana } = await start()
    const condition = `solana.tx.spl_transfers.any(t, t.token_mint != '${usdc.toBase58()}')`
    const { policyId } = await deny(condition)
    expect((await signSolana(named(solana, usdc, 5))).status).toBe(200)
    for (const one of [named(solana, otherMint, 5), bare(solana, 6)]) expectRefused(await signSolana(one), 403, denied)
    await done('delete_policy', { policyId })
    await askSteps(condition)
    expect((await signSolana(bare(solana, 7))).body.activity.status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
  })

  test('is denied as much of a token, and not as little of it', async () => {
    const { deny, signSolana, solana } = await start()
    await deny(`solana.tx.spl_transfers.any(t, t.token_mint == '${usdc.toBase58()}' && t.amount > 1000)`)
    for (const one of [named(solana, usdc, 1_001), bare(solana, 1_001)])
      expectRefused(await signSolana(one), 403, denied)
    for (const one of [named(solana, usdc, 1_000), bare(solana, 1_000), named(solana, otherMint, 5_000)])
      expect((await signSolana(one)).status).toBe(200)
  })
})

describe('a move of lamports that does not say how many', () => {
  const unwrap = (owner: PublicKey, to: PublicKey, amount?: number) =>
    ofTokens(
      [source, to, owner],
      Buffer.of(45),
      ...(amount === undefined ? [Buffer.of(0)] : [Buffer.of(1), u64(amount)]),
    )

  test('is perhaps too much', async () => {
    const { deny, askSteps, done, signSolana, solana } = await start()
    const condition = 'solana.tx.lamport_transfers.any(t, t.amount > 1000)'
    const { policyId } = await deny(condition)
    expect((await signSolana(unwrap(solana, recipient, 1_000))).status).toBe(200)
    for (const one of [unwrap(solana, recipient, 1_001), unwrap(solana, recipient)])
      expectRefused(await signSolana(one), 403, denied)
    await done('delete_policy', { policyId })
    await askSteps(condition)
    const { body } = await signSolana(unwrap(solana, recipient))
    expect(body.activity.status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
  })

  test('is not denied where it goes back, by a denial that says so', async () => {
    const { deny, signSolana, solana } = await start()
    await deny(`solana.tx.lamport_transfers.any(t, t.to != '${solana.toBase58()}' && t.amount > 1000)`)
    expect((await signSolana(unwrap(solana, solana))).status).toBe(200)
    expectRefused(await signSolana(unwrap(solana, recipient)), 403, denied)
  })
})

const token = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'

describe('a function that no interface declares', () => {
  const approve = (amount: bigint) =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [token, amount] })
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [token, 5n] })

  test.each([
    `eth.tx.to == '${token}' && eth.tx.function_name != 'transfer'`,
    `eth.tx.to == '${token}' && !(eth.tx.function_name in ['transfer'])`,
    "eth.tx.function_name != 'transfer'",
    "eth.tx.function_name != 'transfer' || eth.tx.contract_call_args['_value'] > 5",
  ])('is not the one that alone is allowed: %s', async (condition) => {
    const { deny, askSteps, done, signEthereum } = await start()
    await done('create_smart_contract_interface', {
      smartContractAddress: token,
      smartContractInterface: JSON.stringify(
        erc20Abi.filter((one) => one.type === 'function' && one.name === 'transfer'),
      ),
      type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
      label: 'token',
      notes: '',
    })
    const { policyId } = await deny(condition)
    const call = (data: Hex) => signEthereum({ type: 'eip1559', to: token, data })
    expect((await call(transfer)).status).toBe(200)
    for (const data of [approve(5n), '0x12'] as const) expectRefused(await call(data), 403, denied)
    // It calls nothing.
    expect((await signEthereum({ type: 'eip1559', to: token, value: 5n })).status).toBe(200)
    await done('delete_policy', { policyId })
    await askSteps(condition)
    expect((await call(approve(6n))).body.activity.status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
  })
})

describe('a type of a transaction without the field', () => {
  const ether = 10n ** 18n
  test.each([
    `eth.tx.value + eth.tx.max_fee_per_gas > ${ether}`,
    `!(eth.tx.value + eth.tx.max_fee_per_blob_gas <= ${ether})`,
    `eth.tx.max_priority_fee_per_gas > ${ether}`,
  ])('is no way past %s', async (condition) => {
    const { deny, signEthereum } = await start()
    await deny(condition)
    const legacy = { type: 'legacy', to: token }
    expect((await signEthereum({ ...legacy, value: 5n, gasPrice: 5n })).status).toBe(200)
    expectRefused(await signEthereum({ ...legacy, value: 2n * ether, gasPrice: 2n * ether }), 403, denied)
  })
})
