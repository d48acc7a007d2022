import {
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { expect, test } from 'vitest'
import { expectRefused, newAccount, newPolicy, startOrganization } from '../support/organization.ts'

/** What rules see of Solana: fees, and everything that moves lamports. */

const to = new PublicKey(new Uint8Array(32).fill(2))
const budget = ComputeBudgetProgram.programId
const tokens = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')

/** Starts an organization with a user who may sign as these policies say. */
async function start(...policies: readonly object[]) {
  const { done, submit, anotherUser } = await startOrganization()
  const ada = await anotherUser('ada')
  const { addresses } = await done('create_wallet', {
    walletName: 'hot',
    accounts: [
      newAccount({ curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' }),
    ],
  })
  for (const [index, policy] of policies.entries()) {
    await done('create_policy', newPolicy({ policyName: `policy ${index}`, effect: 'EFFECT_ALLOW', ...policy }))
  }
  const signWith = String(addresses[0])
  const payer = new PublicKey(signWith)
  const sign = (...instructions: TransactionInstruction[]) => {
    const message = new TransactionMessage({ payerKey: payer, recentBlockhash: to.toBase58(), instructions })
    const bytes = new VersionedTransaction(message.compileToV0Message()).serialize()
    const unsignedTransaction = Buffer.from(bytes).toString('hex')
    return submit('sign_transaction', { signWith, type: 'TRANSACTION_TYPE_SOLANA', unsignedTransaction }, ada)
  }
  return {
    sign,
    payer,
    pay: (lamports: number) => SystemProgram.transfer({ fromPubkey: payer, toPubkey: to, lamports }),
  }
}

const onBudget = (data: string) =>
  new TransactionInstruction({ programId: budget, keys: [], data: Buffer.from(data, 'hex') })
const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 1_000_000 })
/** Prices of 1,000 and of 1,001 millionths of a lamport. */
const [low, high] = ['03e803000000000000', '03e903000000000000']
const tails = ['', '00', 'ffff', '00'.repeat(8), 'ab'.repeat(100)]
const signs = "activity.kind == 'SIGN_TRANSACTION'"

for (const [claim, policies] of [
  ['an allowance with a limit of the fee', [{ condition: `${signs} && solana.tx.priority_fee <= 1000` }]],
  [
    'a denial of high fees',
    [{ condition: signs }, { effect: 'EFFECT_DENY', condition: 'solana.tx.priority_fee > 1000' }],
  ],
] as const) {
  test(`${claim} sees the fee that the runtime takes, whatever follows the price`, async () => {
    const { sign, pay } = await start(...policies)
    for (const tail of tails) {
      expect((await sign(limit, onBudget(`${low}${tail}`), pay(5))).status, tail).toBe(200)
      expectRefused(await sign(limit, onBudget(`${high}${tail}`), pay(5)), 403)
    }
    // Without a limit, a price holds for 1,400,000 units.
    expectRefused(await sign(onBudget(low), pay(5)), 403)
    for (const unread of ['03', '0301020304050607', '09']) expectRefused(await sign(onBudget(unread), pay(5)), 403)
    // The transaction fails on the chain, and nothing relies on that.
    expectRefused(await sign(limit, onBudget(low), onBudget(high), pay(5)), 403)
    expect((await sign(pay(5))).status).toBe(200)
  })
}

test('a spending limit counts priority fees', async () => {
  const condition = `${signs} && spent('solana.tx.priority_fee', '24h') + solana.tx.priority_fee <= 1500`
  const { sign, pay } = await start({ condition })
  expect((await sign(limit, onBudget(`${low}00`), pay(5))).status).toBe(200)
  expectRefused(await sign(limit, onBudget(`${low}00`), pay(5)), 403)
  expect((await sign(pay(5))).status).toBe(200)
})

test('a limit of lamports holds for everything that moves them, and an amount that is not said is none', async () => {
  const moves = 'solana.tx.lamport_transfers'
  const { sign, payer, pay } = await start({
    condition: `${signs} && ${moves}.count() == 1 && ${moves}.all(t, t.to == '${to}' && t.amount <= 1000)`,
  })
  const moving = (lamports: number) => {
    const [fromPubkey, programId, seed] = [payer, tokens, 'seed']
    return [
      pay(lamports),
      SystemProgram.createAccountWithSeed({
        ...{ fromPubkey, newAccountPubkey: to, basePubkey: payer, seed, lamports, space: 1, programId },
      }),
      SystemProgram.nonceWithdraw({ noncePubkey: tokens, authorizedPubkey: payer, toPubkey: to, lamports }),
      SystemProgram.transfer({ fromPubkey: tokens, basePubkey: payer, toPubkey: to, lamports, seed, programId }),
    ]
  }
  for (const instruction of moving(1_000)) expect((await sign(instruction)).status).toBe(200)
  for (const instruction of moving(1_001)) expectRefused(await sign(instruction), 403)
  expectRefused(await sign(pay(1), ...moving(1).slice(1, 2)), 403)
  const keys = [tokens, to, payer].map((pubkey) => ({ pubkey, isSigner: pubkey.equals(payer), isWritable: true }))
  expectRefused(await sign(new TransactionInstruction({ programId: tokens, keys, data: Buffer.of(9) })), 403)
})
