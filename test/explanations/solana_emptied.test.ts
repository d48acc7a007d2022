import {
  PublicKey,
  SYSVAR_RENT_PUBKEY as rent,
  StakeProgram,
  SystemProgram,
  type TransactionInstruction,
  VoteProgram,
} from '@solana/web3.js'
import { expect, test } from 'vitest'
import { explainingSolana, keyOf as key, tokens } from '../support/explaining_solana.ts'
import { plain } from '../support/explanations.ts'

/** An account that is emptied may be somebody else's when it gets the same amount back. */

const { payer, explainTransaction, call: callWith } = await explainingSolana()
const [eve, mint, other, made, target, own] = [key(2), key(4), key(5), key(6), key(7), key(8)]
const stakes = StakeProgram.programId
const wrappedSol = new PublicKey('So11111111111111111111111111111111111111112')
const associatedTokens = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
const whole = 100_000_000_000n

const u64 = (number: bigint) => [...new Uint8Array(BigUint64Array.of(number).buffer)]
const call = (programId: PublicKey, keys: readonly PublicKey[], ...data: readonly number[]) =>
  callWith(programId, keys, Buffer.from(data))
const pay = (toPubkey: PublicKey, lamports = whole, fromPubkey = payer) =>
  SystemProgram.transfer({ fromPubkey, toPubkey, lamports })
const createFor = (programId: PublicKey, newAccountPubkey = made, fromPubkey = payer) =>
  SystemProgram.createAccount({ fromPubkey, newAccountPubkey, lamports: 2_282_880, space: 200, programId })
const setUpStake = (one: PublicKey) =>
  call(
    stakes,
    [one, rent],
    ...[0, 0, 0, 0, ...payer.toBytes(), ...payer.toBytes()],
    ...[...u64(0n), ...u64(0n), ...key(0).toBytes()],
  )
const newStake = (one: PublicKey) => [createFor(stakes, one), setUpStake(one)]
const withdraw = (lamports = whole) => call(stakes, [made, payer, payer], 4, 0, 0, 0, ...u64(lamports))
const split = (from: PublicKey, to: PublicKey, staker = payer) =>
  call(stakes, [from, to, staker], 3, 0, 0, 0, ...u64(whole))
const merge = call(stakes, [target, made, payer], 7, 0, 0, 0)
/** `CloseAccount`, `UnwrapLamports` and `TransferChecked` of the program for tokens. */
const close = call(tokens, [made, payer, payer], 9)
const unwrap = call(tokens, [made, payer, payer], 45, 1, ...u64(whole))
const moveTokens = (from: PublicKey, to: PublicKey, of: PublicKey) =>
  call(tokens, [from, of, to, payer], 12, ...u64(whole), 6)
const openOwn = (of: PublicKey) => call(associatedTokens, [payer, own, payer, of, SystemProgram.programId, tokens], 1)
const forEve = (of: PublicKey) => [createFor(tokens, made, eve), call(tokens, [made, of], 18, ...eve.toBytes())]

/** Who gets how much, in the title or in its warnings. */
async function gainsOf(...instructions: readonly TransactionInstruction[]) {
  const { explanation } = await explainTransaction(...instructions)
  const { title } = explanation
  const gains = (title.warnings ?? []).flatMap(({ code, values = [] }) =>
    code === 'goesTo' ? [values.map(plain)] : [],
  )
  return title.code.endsWith('WithPayment') ? [...gains, title.values.slice(1).map(plain)] : gains
}

const gainOf = (one: PublicKey) => [whole, one.toBase58()]
const nonce = { noncePubkey: made, authorizedPubkey: payer, toPubkey: payer, lamports: Number(whole) }
const derived = { fromPubkey: payer, basePubkey: payer, seed: 's' }

test.each<[string, readonly TransactionInstruction[]]>([
  ['a stake', [withdraw(), pay(made)]],
  ['a nonce', [SystemProgram.nonceWithdraw(nonce), pay(made)]],
  ['an account of votes', [call(VoteProgram.programId, [made, payer, payer], 3, 0, 0, 0, ...u64(whole)), pay(made)]],
  ['the new half of a stake', [createFor(stakes), split(other, made), withdraw(whole + 2_282_880n), pay(made)]],
  ['wrapped SOL', [unwrap, close, pay(made)]],
  ['wrapped SOL as tokens', [openOwn(wrappedSol), moveTokens(made, own, wrappedSol), close, pay(made)]],
  [
    'an account of tokens',
    [openOwn(mint), moveTokens(made, own, mint), close, ...forEve(mint), moveTokens(own, made, mint)],
  ],
  [
    'an address that is derived from the wallet, and then the half of a stake of somebody else',
    [
      SystemProgram.transfer({ ...derived, fromPubkey: made, toPubkey: payer, lamports: whole, programId: stakes }),
      SystemProgram.createAccountWithSeed({
        ...{ ...derived, newAccountPubkey: made, lamports: 2_282_880, space: 200, programId: stakes },
      }),
      split(other, made, eve),
      pay(made),
    ],
  ],
])('what leaves %s first does not hide what it gets afterwards', async (_name, instructions) => {
  const gains = await gainsOf(...instructions)
  const isSaid = gains.some(([amount, to]) => Number(amount) >= Number(whole) && to === made.toBase58())
  expect(isSaid).toBe(true)
  // A small payment must not stand in its place.
  const [first] = await gainsOf(...instructions, pay(eve, 1_000_000n))
  expect(first?.[1]).toBe(made.toBase58())
})

test('what leaves an account counts up to what it got before', async () => {
  expect(await gainsOf(pay(made), withdraw(2n * whole))).toEqual([])
  expect(await gainsOf(pay(made), withdraw(2n * whole), pay(made))).toEqual([gainOf(made)])
  // Who has the key of a wallet has it afterwards.
  expect(await gainsOf(pay(payer, whole, eve), pay(eve))).toEqual([])
})

test('a stake that is merged into another one is the signer’s no more', async () => {
  const both = [...newStake(made), ...newStake(target)]
  expect(await gainsOf(...both, pay(made))).toEqual([])
  expect(await gainsOf(...both, pay(made), merge, pay(target))).toEqual([])
  expect(await gainsOf(...both, merge, pay(made))).toEqual([gainOf(made)])
  const away = split(made, eve, made)
  for (const account of away.keys) account.isSigner ||= account.pubkey.equals(made)
  expect(await gainsOf(...both, merge, pay(made), away)).toContainEqual(gainOf(eve))
})
