import { Authorized, PublicKey, StakeProgram, SystemProgram, type TransactionInstruction } from '@solana/web3.js'
import { expect, test } from 'vitest'
import { explainingSolana, keyOf as key, tokens } from '../support/explaining_solana.ts'
import { plain } from '../support/explanations.ts'

/** Each account of somebody else that has more afterwards stands in the title or in its warnings, with its sum. */

const { payer, explainTransaction, shown, call: callWith } = await explainingSolana()
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
