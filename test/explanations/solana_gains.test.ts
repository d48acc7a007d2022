import {
  AddressLookupTableAccount,
  Authorized,
  ComputeBudgetProgram,
  PublicKey,
  StakeProgram,
  SystemProgram,
  type TransactionInstruction,
} from '@solana/web3.js'
import { expect, test } from 'vitest'
import { explainingSolana, keyOf as key, token2022, tokens } from '../support/explaining_solana.ts'
import { plain } from '../support/explanations.ts'

/** Each account of somebody else that has more afterwards stands in the title or in its warnings, with its sum. */

const { payer, explainTransaction, explainWith, shown, call: callWith } = await explainingSolana()
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

test('lamports do not stand before tokens, and more than a small fee of them stands beside these', async () => {
  const toEve = [1_000_000_000n, eve.toBase58()]
  for (const [lamports, isBeside] of [
    [500_000n, false],
    [500_001n, true],
  ] as const) {
    const toOther = [lamports, other.toBase58()]
    const { gains, title } = await explained(pay(other, lamports), payTokens(eve, 1_000_000_000n))
    expect(gains).toEqual([toEve, toOther])
    expect(title.includes(`; ${other} gets 0.000${lamports} SOL`)).toBe(isBeside)
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
  expect(again.title).toContain(` and send 1 SOL (1000000000 lamport) to ${made}`)
})

test('a title has what leaves the own accounts, and not what only goes on or comes back', async () => {
  const [in900, on900] = [pay(payer, 900n * sol, eve), pay(other, 900n * sol)]
  const moved = await explained(in900, on900, harmless)
  expect(moved.title).toContain(`WARNING: ${other} gets 900 SOL (900000000000 lamport). `)
  expect(moved.title).toContain(`Call the program ${tokens} and make 2 transfers`)
  expect((await explained(in900, on900)).title).toContain('. Send 2 transfers of tokens and coins to 2 recipients')
  // Through an account of somebody else.
  const through = [pay(other, 900n * sol), pay(eve, 900n * sol, other)]
  const sent = `nd 900 SOL (900000000000 lamport) to ${eve}`
  expect((await explained(...through, harmless)).title).toBe(`Call the program ${tokens} and se${sent}`)
  expect((await explained(...through)).title).toBe(`Se${sent}`)
  const partly = [pay(other, 900n * sol), pay(eve, 899n * sol, other)]
  expect((await explained(...partly, harmless)).title).toContain('Call the program Token')
  expect((await explained(...partly, harmless)).title).toContain(' and send 900 SOL (900000000000 lamport)')
  expect((await explained(...partly)).title).toContain('. Send 900 SOL (900000000000 lamport) to 2 recipients')
})

test('what comes back, or goes back to its own account, is in no sum', async () => {
  expect((await explained(pay(other, 900n * sol), pay(payer, 899n * sol, other), harmless)).title).toBe(
    `Call the program ${tokens} and send 1 SOL (1000000000 lamport) to ${other}`,
  )
  const circle = [pay(eve, 900n * sol, eve), pay(eve, sol)]
  expect((await explained(...circle)).title).toBe(`Send 1 SOL (1000000000 lamport) to ${eve}`)
  // What others pay is nothing that this key sends.
  const ofOther = await explained(pay(eve, 900n * sol, other), pay(made, sol), harmless)
  expect(ofOther.title).toContain(' and make 2 transfers')
  expect(ofOther.gains[0]).toEqual([900n * sol, eve.toBase58()])
})

test('a title names the only move where nobody else gets it', async () => {
  const back = SystemProgram.nonceWithdraw({
    ...{ noncePubkey: made, authorizedPubkey: payer, toPubkey: payer, lamports: 7 },
  })
  expect((await explained(back, harmless)).title).toBe(
    `Call 2 programs and move 0.000000007 SOL (7 lamport) from ${made} to ${shown(payer)}`,
  )
})

test('what an instruction takes from an account is not all that it got, unless the account is closed', async () => {
  // Lamports that were not synced stay in an account of wrapped SOL, and those beyond the rent are not those that are synced.
  for (const data of [[45, 0], [38]] as const) {
    const back = call(tokens, [other, payer, payer], ...data)
    expect((await explained(pay(other, 100n * sol), back)).gains).toEqual([[100n * sol, other.toBase58()]])
  }
  expect((await explained(pay(other, 100n * sol), call(tokens, [other, payer, payer], 9))).gains).toEqual([])
})

test('an account that another program than those for tokens opens is nobody\u2019s own', async () => {
  const openedBy = (program: PublicKey, ...data: readonly number[]) =>
    call(associatedTokens, [payer, made, payer, mint, SystemProgram.programId, program], ...data)
  for (const data of [[], [0], [1]]) {
    const { title } = await explained(openedBy(eve, ...data), pay(made, 100n * sol))
    expect(title).toMatch(/^WARNING: .*(not read)/)
    expect(title).toContain(` and send 100 SOL (100000000000 lamport) to ${made}`)
    expect((await explained(openedBy(tokens, ...data), pay(made, 100n * sol))).gains).toEqual([])
  }
})

const wrappedSol = new PublicKey('So11111111111111111111111111111111111111112')
const [junk, usdc] = [key(20), key(21)]
/** `TransferChecked`, for which an account of somebody else may sign. */
const moveTokens = (from: PublicKey, to: PublicKey, amount: bigint, of: PublicKey, owner = eve) =>
  call(tokens, [from, of, to, owner], 12, ...u64(amount), 6)
const openFor = (owner: PublicKey, newAccount: PublicKey, of = wrappedSol) =>
  call(associatedTokens, [payer, newAccount, owner, of, SystemProgram.programId, tokens], 1)
const closeTo = (to: PublicKey, closed: PublicKey, owner = eve) => call(tokens, [closed, to, owner], 9)
const sync = (one: PublicKey) => call(tokens, [one], 17)
const unread = (...keys: readonly PublicKey[]) => call(key(8), keys, 1)
/** A step of the program for tokens that moves what a payment brought out of an account. */
const [wrapping, kept] = [key(22), key(23)]
const wrap = [openFor(eve, wrapping), pay(wrapping, 100n * sol), sync(wrapping)]
const whole = 100n * sol

test.each<[string, PublicKey, readonly TransactionInstruction[]]>([
  ['goes on as tokens', kept, [moveTokens(wrapping, kept, whole, wrappedSol), closeTo(payer, wrapping)]],
  [
    'goes on as tokens and back into an account at the same address',
    wrapping,
    [
      ...[moveTokens(wrapping, kept, whole, wrappedSol), closeTo(payer, wrapping)],
      ...[openFor(eve, wrapping), moveTokens(kept, wrapping, whole, wrappedSol)],
    ],
  ],
  [
    'goes on by a transfer that names no mint',
    wrapping,
    [call(tokens, [wrapping, kept, eve], 3, ...u64(whole)), closeTo(payer, wrapping)],
  ],
  ['is in the hands of a program that is not read', wrapping, [unread(wrapping, kept), closeTo(payer, wrapping)]],
  [
    'is within reach of the hook of another token',
    wrapping,
    [call(token2022, [kept, mint, other, eve, wrapping], 12, ...u64(1n), 6), closeTo(payer, wrapping)],
  ],
  ['is unwrapped before', wrapping, [call(tokens, [wrapping, kept, eve], 45, 0), closeTo(payer, wrapping)]],
])('wrapped SOL that %s is a gain of 100 SOL, whatever is closed', async (_name, to, steps) => {
  const { gains } = await explained(...wrap, ...steps)
  expect(gains).toContainEqual([whole, to.toBase58()])
  // A small payment must not stand in its place.
  expect((await explained(...wrap, ...steps, pay(other, 1_000_000n))).gains).toContainEqual([whole, to.toBase58()])
})

test('wrapped SOL whose mint only a lookup table names is a gain too', async () => {
  const state = { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0 }
  const table = new AddressLookupTableAccount({ key: key(30), state: { ...state, addresses: [wrappedSol] } })
  const steps = [pay(wrapping, whole), moveTokens(wrapping, kept, whole, wrappedSol), closeTo(payer, wrapping)]
  const { explanation } = await explainWith([table], ...steps)
  const gains = (explanation.title.warnings ?? []).map(({ values = [] }) => values.map(plain))
  expect(gains).toContainEqual([whole, wrapping.toBase58()])
})

test('a closed account pays nothing on that paid for another one before', async () => {
  const opening = call(associatedTokens, [wrapping, kept, eve, mint, SystemProgram.programId, tokens], 1)
  const { gains } = await explained(pay(wrapping, whole), opening, closeTo(payer, wrapping))
  expect(gains).toContainEqual([whole, wrapping.toBase58()])
})

test('wrapped SOL is shown and added up as SOL', async () => {
  const sent = moveTokens(account, eve, whole, wrappedSol, payer)
  expect((await explained(sent)).title).toBe(`Send 100 SOL (100000000000 lamport) to ${eve}`)
  expect((await explained(sent, pay(eve, sol))).title).toBe(`Send 101 SOL (101000000000 lamport) to ${eve}`)
  expect((await explained(sent, sync(account), pay(other, 1n))).gains).toEqual([
    [whole, eve.toBase58()],
    [1n, other.toBase58()],
  ])
  const unwrapped = [
    openFor(payer, made),
    pay(made, whole),
    sync(made),
    moveTokens(made, eve, whole, wrappedSol, payer),
  ]
  expect((await explained(...unwrapped)).title).toContain(` and send 100 SOL (100000000000 lamport) to ${eve}`)
})

test('what the signer wraps for itself and unwraps again is no gain, also through a swap', async () => {
  const lamports = Number(whole)
  const temporary = [
    SystemProgram.createAccountWithSeed({
      ...{ fromPubkey: payer, newAccountPubkey: made, basePubkey: payer, seed: 's' },
      ...{ lamports, space: 165, programId: tokens },
    }),
    call(tokens, [made, wrappedSol, payer], 1),
  ]
  const swap = unread(payer, made, account)
  for (const steps of [
    [openFor(payer, made), pay(made, whole), sync(made), swap, closeTo(payer, made, payer)],
    [...temporary, swap, closeTo(payer, made, payer)],
    [openFor(payer, made), pay(made, whole), sync(made), swap],
    // Nothing proves here that the account is the signer's, but nothing else has it.
    [pay(made, whole), sync(made), closeTo(payer, made, payer)],
  ]) {
    expect((await explained(...steps)).gains).toEqual([])
  }
  // A program that has the account may give it to somebody else.
  const later = [openFor(payer, made), swap, pay(made, whole)]
  expect((await explained(...later, harmless)).title).toContain(` and send 100 SOL (100000000000 lamport) to ${made}`)
})

test('an account that a program takes from before the signer sets it up is not the signer’s yet', async () => {
  const create = SystemProgram.createAccount({
    ...{ fromPubkey: eve, newAccountPubkey: made, lamports: 2_039_280, space: 165, programId: tokens },
  })
  const setUp = call(tokens, [made, wrappedSol], 18, ...payer.toBytes())
  expect((await explained(pay(made, whole), unread(made), create, setUp)).gains).toContainEqual([
    ...[whole, made.toBase58()],
  ])
})

test('tokens of one mint are no return of those of another, in whatever account they were', async () => {
  const amount = 1_000_000_000_000n
  const gain = [amount, kept.toBase58()]
  const [ownJunk, ownUsdc, rent] = [key(24), key(25), 2_039_280n]
  const create = SystemProgram.createAccount({
    ...{ fromPubkey: eve, newAccountPubkey: kept, lamports: Number(rent), space: 165, programId: tokens },
  })
  const initialize = (of: PublicKey) => call(tokens, [kept, of], 18, ...eve.toBytes())
  const receive = moveTokens(kept, ownJunk, amount + 2n * rent, junk)
  const paid = moveTokens(ownUsdc, kept, amount, usdc, payer)
  const again = [closeTo(payer, kept), create, initialize(usdc), paid]
  expect((await explained(openFor(payer, ownJunk, junk), receive, ...again)).gains).toContainEqual(gain)
  // In three lives of the account, so that its rent comes back too.
  const wrapped = [
    ...[create, initialize(wrappedSol), call(tokens, [other, kept, eve], 3, ...u64(2n * rent))],
    call(tokens, [kept, payer, eve], 45, 1, ...u64(2n * rent)),
  ]
  const lives = [openFor(payer, ownJunk, junk), receive, closeTo(payer, kept), ...wrapped, ...again]
  expect((await explained(...lives)).gains).toContainEqual(gain)
  // A transfer that names no mint may be of any.
  const unnamed = (from: PublicKey, to: PublicKey, owner: PublicKey) =>
    call(tokens, [from, to, owner], 3, ...u64(amount))
  const two = [unnamed(kept, ownJunk, eve), closeTo(eve, kept), create, initialize(usdc), unnamed(ownUsdc, kept, payer)]
  expect((await explained(openFor(payer, ownJunk, junk), ...two)).gains).toContainEqual(gain)
  // Of one mint, what comes back into an account that is the signer's for certain is no gain.
  const back = moveTokens(kept, ownUsdc, amount, usdc)
  expect((await explained(openFor(payer, ownUsdc, usdc), paid, back, harmless)).gains).toEqual([])
})

test('a transfer of Token-2022 that names no fee is no return: it may deliver less than it takes', async () => {
  const [there, back] = [
    [account, made, payer],
    [made, account, eve],
  ].map(([from = eve, to = eve, owner = eve]) => call(token2022, [from, mint, to, owner], 12, ...u64(9n), 6))
  if (there === undefined || back === undefined) throw new Error('two transfers were built')
  expect((await explained(there, back)).gains).toContainEqual([9n, made.toBase58()])
})

test('a fee is compared with what leaves for certain', async () => {
  const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 10_000_000_000 })
  const highFees = async (...instructions: readonly TransactionInstruction[]) => {
    const { explanation } = await explainTransaction(price, ...instructions)
    return (explanation.title.warnings ?? []).filter(({ code }) => code === 'highFee').length
  }
  expect(await highFees(pay(eve, 1_000n * sol))).toBe(0)
  // All of it may come back.
  const away = pay(wrapping, 1_000n * sol)
  expect(await highFees(away, unread(wrapping), closeTo(payer, wrapping))).toBe(1)
  const asTokens = moveTokens(wrapping, kept, 1_000n * sol, wrappedSol)
  expect(await highFees(away, sync(wrapping), asTokens, closeTo(payer, kept))).toBe(1)
})
