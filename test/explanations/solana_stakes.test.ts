import {
  SYSVAR_CLOCK_PUBKEY as clock,
  type PublicKey,
  SYSVAR_RENT_PUBKEY as rent,
  StakeInstruction,
  StakeProgram,
  SystemProgram,
  type TransactionInstruction,
} from '@solana/web3.js'
import { expect, test } from 'vitest'
import { explainingSolana, keyOf as key, unreadCall } from '../support/explaining_solana.ts'
import { memberOf, plain, valuesAt } from '../support/explanations.ts'

/** The stake program takes its accounts with the sysvars of its older versions or without. web3.js builds the older form. */

const { payer, explainTransaction, call: callWith } = await explainingSolana()
const [stake, eve, other] = [key(6), key(5), key(7)]
const stakes = StakeProgram.programId

const u64 = (number: bigint) => [...new Uint8Array(BigUint64Array.of(number).buffer)]
const call = (keys: readonly PublicKey[], ...data: readonly number[]) => callWith(stakes, keys, Buffer.from(data))
const control = (to: PublicKey) => `control of ${stake} goes to ${to}`
const titleOf = async (...instructions: TransactionInstruction[]) =>
  (await explainTransaction(...instructions)).lines[0] ?? ''
const rolesOf = async (instruction: TransactionInstruction) => {
  const [shown] = valuesAt((await explainTransaction(instruction)).explanation, 'calls', 'call')
  const accounts = memberOf(shown, 'accounts')
  const items = accounts?.kind === 'list' ? accounts.items : []
  return items.map((item) => plain(memberOf(item, 'accountRole')))
}

const withdrawer = [1, 0, 0, 0]
const seed = [...u64(1n), 97, ...SystemProgram.programId.toBytes()]
const made = (lamports: number) =>
  SystemProgram.createAccount({ fromPubkey: payer, newAccountPubkey: stake, lamports, space: 200, programId: stakes })

const setUp = (one: PublicKey, of = stake) =>
  call([of, rent], 0, 0, 0, 0, ...one.toBytes(), ...one.toBytes(), ...u64(0n), ...u64(0n), ...key(0).toBytes())
const split = (to: PublicKey, lamports: bigint, from = stake) => call([from, to, payer], 3, 0, 0, 0, ...u64(lamports))
const sol = 1_000_000_000

test.each<[string, readonly PublicKey[], readonly PublicKey[], readonly number[]]>([
  ['AuthorizeChecked', [stake, clock, payer, eve], [stake, payer, eve], [10, 0, 0, 0, ...withdrawer]],
  ['AuthorizeCheckedWithSeed', [stake, payer, clock, eve], [stake, payer, eve], [11, 0, 0, 0, ...withdrawer, ...seed]],
])('%s gives control to the same account with sysvars and without', async (_name, older, newer, data) => {
  const title = `Give control of ${stake} to ${eve}`
  for (const accounts of [older, newer]) {
    expect(await titleOf(call(accounts, ...data))).toBe(title)
    expect(await titleOf(call([...accounts, other], ...data))).toContain(title)
  }
  // A version with fixed places would give control to the custodian here.
  expect(await titleOf(call([...newer, other], ...data))).toContain(`WARNING: ${control(other)}. `)
  // That the signer would get it there must not stand before who gets it.
  expect(await titleOf(call([...newer, payer], ...data))).toBe(title)
  expect(await titleOf(call([...older, other], ...data))).not.toContain(control(other))
})

test('whoever may stake or withdraw is named, with the sysvar and without', async () => {
  const checked = (...accounts: readonly PublicKey[]) => call([stake, ...accounts], 9, 0, 0, 0)
  for (const accounts of [
    [eve, payer],
    [payer, eve],
    [eve, payer, payer],
    [rent, eve, payer],
    [clock, eve, payer],
  ]) {
    expect(await titleOf(made(5), checked(...accounts))).toContain(`WARNING: ${control(eve)}`)
  }
  expect(await titleOf(made(5), checked(payer, payer))).toMatch(/^Call /)
  expect(await titleOf(made(5), checked(rent, payer, payer))).toMatch(/^Call /)
})

test('accounts without sysvars have their own roles', async () => {
  const [roleOfStake, authority] = ['stakeAccount', 'currentAuthority']
  const checked = [10, 0, 0, 0, ...withdrawer]
  expect(await rolesOf(call([stake, clock, payer, eve, other], ...checked))).toEqual([
    ...[roleOfStake, 'sysvar', authority, 'newAuthority', 'custodian'],
  ])
  expect(await rolesOf(call([stake, payer, eve, other], ...checked))).toEqual([
    ...[roleOfStake, authority, 'newAuthority', 'custodian'],
  ])
  const withdraw = [4, 0, 0, 0, ...u64(5n)]
  expect(await rolesOf(call([stake, eve, payer, other], ...withdraw))).toEqual([
    ...[roleOfStake, 'destination', 'withdrawer', 'custodian'],
  ])
  expect(await rolesOf(call([stake, eve, payer], 2, 0, 0, 0))).toEqual([roleOfStake, 'voteAccount', 'staker'])
  expect(await rolesOf(call([stake, payer], 5, 0, 0, 0))).toEqual([roleOfStake, 'staker'])
  expect(await rolesOf(call([stake, other, payer], 7, 0, 0, 0))).toEqual(['destination', 'source', 'staker'])
  const [older] = StakeProgram.withdraw({
    stakePubkey: stake,
    authorizedPubkey: payer,
    toPubkey: eve,
    lamports: 5,
  }).instructions
  if (older === undefined) throw new Error('one instruction was built')
  expect(StakeInstruction.decodeWithdraw(older).authorizedPubkey).toEqual(payer)
  expect(await rolesOf(older)).toEqual([roleOfStake, 'destination', 'sysvar', 'sysvar', 'withdrawer'])
})

async function gainsOf(...instructions: readonly TransactionInstruction[]) {
  const { explanation } = await explainTransaction(...instructions)
  const { title } = explanation
  const gains = (title.warnings ?? []).flatMap(({ code, values = [] }) =>
    code === 'goesTo' ? [values.map(plain)] : [],
  )
  return title.code.endsWith('WithPayment') ? [...gains, title.values.slice(1).map(plain)] : gains
}

/** The program splits a stake without authorities only if it signs. */
const signedSplit = (to: PublicKey, lamports: bigint, from = stake) => {
  const built = split(to, lamports, from)
  for (const account of built.keys) account.isSigner ||= account.pubkey.equals(from)
  return built
}

test('a split of a stake without authorities is a gain of its target', async () => {
  const whole = 900n * BigInt(sol)
  const gain = [whole, eve.toBase58()]
  const away = signedSplit(eve, whole)
  expect(await gainsOf(made(901 * sol), away, setUp(payer))).toContainEqual(gain)
  expect(await gainsOf(made(901 * sol), away)).toContainEqual(gain)
  expect(await gainsOf(away, setUp(payer))).toContainEqual(gain)
  expect((await explainTransaction(away)).lines[0]).toBe(
    `Call the program ${stakes} and send 900 SOL (${whole} lamport) to ${eve}`,
  )
  // Such a split sets nothing up at its target.
  const onward = [signedSplit(other, whole), signedSplit(eve, whole, other)]
  expect(await gainsOf(made(901 * sol), ...onward, setUp(payer))).toContainEqual(gain)
  expect(await gainsOf(signedSplit(eve, whole, payer))).toContainEqual(gain)
})

test('a split of a stake with authorities is no gain', async () => {
  const away = split(eve, 900n * BigInt(sol))
  expect(await gainsOf(made(901 * sol), setUp(payer), away)).not.toContainEqual([900n * BigInt(sol), eve.toBase58()])
  expect(await gainsOf(away)).toEqual([])
  expect(await gainsOf(away, signedSplit(other, 5n, eve))).toEqual([])
})

test('what a split of a stake without authorities makes is open for whoever sets it up', async () => {
  const open = `the program ${stakes} owns ${stake} from then on, and whoever sets it up there first controls it`
  expect(await titleOf(made(5), split(stake, 5n, other))).not.toContain(open)
  expect(await titleOf(made(5), signedSplit(stake, 5n, other), setUp(payer, other))).toContain(open)
})

/** `MoveStake` and `MoveLamports` of solana-stake-interface: a u32 for the instruction, and a u64 of lamports. web3.js has neither. */
test.each([
  ['MoveStake', 16],
  ['MoveLamports', 17],
])('%s names both stakes and the amount, and is no gain', async (name, number) => {
  const move = call([stake, other, payer], number, 0, 0, 0, ...u64(5n))
  const { explanation, lines } = await explainTransaction(move)
  expect(lines[0]).toBe(`Call the program ${stakes} and move 0.000000005 SOL (5 lamport) from ${stake} to ${other}`)
  const [shown] = valuesAt(explanation, 'calls', 'call')
  expect([plain(memberOf(shown, 'instruction')), plain(memberOf(shown, 'amount'))]).toEqual([name, 5n])
  expect(await rolesOf(move)).toEqual(['source', 'destination', 'staker'])
  expect(await titleOf(call([stake, other, payer], number, 0, 0, 0, 1))).toContain(unreadCall(stakes, { more: 1 }))
})

test('a stake with a delinquent validator that is deactivated is read', async () => {
  const [shown] = valuesAt(
    (await explainTransaction(call([stake, eve, other], 14, 0, 0, 0))).explanation,
    'calls',
    'call',
  )
  expect(plain(memberOf(shown, 'instruction'))).toBe('DeactivateDelinquent')
})
