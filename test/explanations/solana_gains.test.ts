import { Authorized, PublicKey, StakeProgram, SystemProgram, type TransactionInstruction } from '@solana/web3.js'
import { expect, test } from 'vitest'
import { explainingSolana, keyOf as key, tokens } from '../support/explaining_solana.ts'
import { plain } from '../support/explanations.ts'

/** Each account of somebody else that has more afterwards stands in the title or in its warnings, with its sum. */

const { payer, explainTransaction, call: callWith } = await explainingSolana()
const [eve, other, mint, account, made] = [key(2), key(3), key(4), key(5), key(6)]
const sol = 1_000_000_000n
const associatedTokens = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')

const call = (programId: PublicKey, keys: readonly PublicKey[], ...data: readonly number[]) =>
  callWith(programId, keys, Buffer.from(data))
const pay = (toPubkey: PublicKey, lamports: bigint, fromPubkey = payer) =>
  SystemProgram.transfer({ fromPubkey, toPubkey, lamports })
const u64 = (number: bigint) => [...new Uint8Array(BigUint64Array.of(number).buffer)]
const payTokens = (to: PublicKey, amount: bigint, from = account) =>
  call(tokens, [from, mint, to, payer], 12, ...u64(amount), 6)
const opened = (owner: PublicKey) =>
  call(associatedTokens, [payer, made, owner, mint, SystemProgram.programId, tokens], 1)
/** An instruction that changes nothing. */
const harmless = call(tokens, [account], 17)

async function explained(...instructions: readonly TransactionInstruction[]) {
  const { explanation, lines } = await explainTransaction(...instructions)
  const gains = (explanation.title.warnings ?? []).flatMap(({ code, values = [] }) =>
    code === 'goesTo' ? [values.map(plain)] : [],
  )
  return { title: lines[0] ?? '', gains }
}

test('the only recipient stands in the title with the amount, whatever else is called', async () => {
  const one = await explained(pay(eve, 100n * sol), harmless)
  expect(one.title).toBe(`Call the program ${tokens} and send 100 SOL (100000000000 lamport) to ${eve}`)
  expect((await explained(pay(eve, 60n * sol), pay(eve, 40n * sol), harmless)).title).toBe(one.title)
  expect((await explained(payTokens(eve, 7n), harmless)).title).toContain(
    `and send 7 of the smallest unit of the token`,
  )
  const several = await explained(pay(eve, 100n * sol), harmless, call(key(8), [eve], 1))
  expect(several.title).toContain(`Call 2 programs and send 100 SOL (100000000000 lamport) to ${eve}`)
})

test('of several recipients each is a warning with its sum, the greatest first', async () => {
  const gains = [
    [100n * sol, eve.toBase58()],
    [1n, other.toBase58()],
  ]
  const paid = [pay(other, 1n), pay(eve, 60n * sol), pay(eve, 40n * sol)]
  const warning = `WARNING: ${eve} gets 100 SOL (100000000000 lamport), and 1 more. `
  const payments = await explained(...paid)
  expect(payments.gains).toEqual(gains)
  expect(payments.title).toBe(`${warning}Send 100.000000001 SOL (100000000001 lamport) to 2 recipients`)
  const called = await explained(...paid, harmless)
  expect(called.gains).toEqual(gains)
  expect(called.title).toContain(warning)
  const ofTokens = await explained(payTokens(other, 1n), payTokens(eve, 9n), payTokens(eve, 9n))
  expect(ofTokens.gains).toEqual([
    [18n, eve.toBase58()],
    [1n, other.toBase58()],
  ])
})

test('a lamport does not stand before tokens', async () => {
  const toEve = [1_000_000_000n, eve.toBase58()]
  for (const [lamports, isFirst] of [
    [500_000n, false],
    [500_001n, true],
  ] as const) {
    const toOther = [lamports, other.toBase58()]
    const { gains } = await explained(pay(other, lamports), payTokens(eve, 1_000_000_000n))
    expect(gains).toEqual(isFirst ? [toOther, toEve] : [toEve, toOther])
  }
})

test('a gain is what an account has more in the end', async () => {
  expect((await explained(pay(other, 100n * sol), pay(eve, 99n * sol, other))).gains).toEqual([
    [99n * sol, eve.toBase58()],
    [sol, other.toBase58()],
  ])
  expect((await explained(pay(other, sol), pay(payer, sol, other), harmless)).gains).toEqual([])
  expect((await explained(payTokens(other, 5n), payTokens(eve, 5n, other))).gains).toEqual([[5n, eve.toBase58()]])
})

test('an account that is emptied passes on what it got', async () => {
  const close = (to: PublicKey) => call(tokens, [made, to, payer], 9)
  expect((await explained(opened(payer), pay(made, 100n * sol), close(eve))).gains).toEqual([
    ['allLamports', eve.toBase58()],
    [100n * sol, eve.toBase58()],
  ])
  expect((await explained(opened(payer), pay(made, 100n * sol), close(payer))).gains).toEqual([])
})

test('what a new account of the signer gets is no warning, unless it is not the only one with control of it', async () => {
  const stakeOf = (staker: PublicKey, withdrawer: PublicKey) =>
    StakeProgram.createAccount({
      ...{
        fromPubkey: payer,
        stakePubkey: made,
        lamports: Number(sol),
        authorized: new Authorized(staker, withdrawer),
      },
    }).instructions
  expect((await explained(...stakeOf(payer, payer))).gains).toEqual([])
  const authorized = { stakePubkey: made, authorizedPubkey: payer, newAuthorizedPubkey: eve }
  const { instructions } = StakeProgram.authorize({ ...authorized, stakeAuthorizationType: { index: 1 } })
  for (const shared of [stakeOf(payer, eve), stakeOf(eve, payer), [...stakeOf(payer, payer), ...instructions]]) {
    expect((await explained(...shared)).title).toContain(`and send 1 SOL (1000000000 lamport) to ${made}`)
    expect((await explained(...shared, pay(other, 1n))).gains).toEqual([
      [sol, made.toBase58()],
      [1n, other.toBase58()],
    ])
  }
  expect((await explained(opened(payer), pay(made, sol), harmless)).gains).toEqual([])
  expect((await explained(opened(eve), pay(made, sol), pay(made, sol, other))).title).toContain(
    `and send 2 SOL (2000000000 lamport) to ${made}`,
  )
})

test('an account of the signer that is emptied and paid again may be that of whoever has its key', async () => {
  const nonce = { fromPubkey: payer, noncePubkey: made, authorizedPubkey: payer, lamports: 5 }
  const emptied = SystemProgram.nonceWithdraw({ ...nonce, toPubkey: payer })
  const again = await explained(...SystemProgram.createNonceAccount(nonce).instructions, emptied, pay(made, sol))
  expect(again.gains).toEqual([[1_000_000_000n, made.toBase58()]])
})
