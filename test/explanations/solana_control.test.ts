import { Authorized, type PublicKey, StakeProgram, SystemProgram, type TransactionInstruction } from '@solana/web3.js'
import { expect, test } from 'vitest'
import { explainingSolana, keyOf as key, token2022 } from '../support/explaining_solana.ts'
import { memberOf, plain, valuesAt, warningsOf } from '../support/explanations.ts'

/** What instructions of Solana's programs give away beside payments. No library of ours builds those of Token-2022. */

const { payer, explainTransaction, call: callWith } = await explainingSolana()
const [mint, account, stranger, stake] = [key(4), key(3), key(5), key(6)]
const stakes = StakeProgram.programId
const payment = SystemProgram.transfer({ fromPubkey: payer, toPubkey: key(2), lamports: 5n })

const call = (programId: PublicKey, keys: readonly PublicKey[], ...data: readonly number[]) =>
  callWith(programId, keys, Buffer.from(data))

const u64 = (number: bigint) => [...new Uint8Array(BigUint64Array.of(number).buffer)]
const some = (one: PublicKey) => [1, ...one.toBytes()]
const bytesOf = (one: PublicKey) => [...one.toBytes()]
const none = new Array<number>(32).fill(0)
const control = (of: PublicKey, to: PublicKey | 'none') => `control of ${of} goes to ${to}`

const makeMint = SystemProgram.createAccount({
  ...{ fromPubkey: payer, newAccountPubkey: mint, lamports: 5, space: 82, programId: token2022 },
})
const ownMint = call(token2022, [mint], 20, 6, ...bytesOf(payer), 0)

test('whoever may freeze the accounts of a new mint is named, though the payer may make its tokens', async () => {
  const frozenBy = (one: PublicKey) => call(token2022, [mint], 20, 6, ...bytesOf(payer), ...some(one))
  const { lines } = await explainTransaction(makeMint, frozenBy(stranger))
  expect(lines[0]).toContain(`WARNING: ${control(mint, stranger)}. Call `)
  expect((await explainTransaction(makeMint, frozenBy(payer))).lines[0]).toMatch(/^Call /)
  expect((await explainTransaction(makeMint, ownMint)).lines[0]).toMatch(/^Call /)
  const alone = await explainTransaction(frozenBy(stranger))
  expect(alone.lines[0]).toBe(`WARNING: ${control(mint, stranger)}. Give control of ${mint} to ${payer}`)
})

test('whoever may stake with a new account of the payer, or may withdraw from it, is named', async () => {
  const made = (staker: PublicKey, withdrawer: PublicKey) =>
    StakeProgram.createAccount({
      ...{ fromPubkey: payer, stakePubkey: stake, lamports: 5, authorized: new Authorized(staker, withdrawer) },
    }).instructions
  for (const [staker, withdrawer] of [
    [stranger, payer],
    [payer, stranger],
  ] as const) {
    expect((await explainTransaction(...made(staker, withdrawer))).lines[0]).toContain(
      `WARNING: ${control(stake, stranger)}. Call `,
    )
  }
  const [create] = made(payer, payer)
  if (create === undefined) throw new Error('the first instruction makes the account')
  const checked = call(stakes, [stake, key(7), stranger, payer], 9, 0, 0, 0)
  expect((await explainTransaction(create, checked)).lines[0]).toContain(`WARNING: ${control(stake, stranger)}. Call `)
})

test.each<[string, TransactionInstruction, string, string]>([
  [
    'WithdrawExcessLamports',
    call(token2022, [account, stranger, payer], 38),
    `Withdraw all lamports beyond the rent from ${account} to ${stranger}`,
    `${stranger} gets all lamports beyond the rent`,
  ],
  [
    'UnwrapLamports',
    call(token2022, [account, stranger, payer], 45, 0),
    `Withdraw all lamports from ${account} to ${stranger}`,
    `${stranger} gets all lamports`,
  ],
  [
    'UnwrapLamports',
    call(token2022, [account, stranger, payer], 45, 1, ...u64(7n)),
    `Withdraw 0.000000007 SOL (7 lamport) from ${account} to ${stranger}`,
    `${stranger} gets 0.000000007 SOL (7 lamport)`,
  ],
  [
    'CloseAccount',
    call(token2022, [account, stranger, payer], 9),
    `Close the account ${account} and send what it holds to ${stranger}`,
    `${stranger} gets all lamports`,
  ],
  [
    'ConfidentialTransfer',
    call(token2022, [account, mint, stranger, key(7), payer], 27, 7),
    `Withdraw an amount that only its owners can read from ${account} to ${stranger}`,
    `${stranger} gets an amount that only its owners can read`,
  ],
  [
    'WithdrawWithheldTokensFromMint',
    call(token2022, [mint, stranger, payer], 26, 2),
    `Withdraw the fees that were withheld from transfers from ${mint} to ${stranger}`,
    `${stranger} gets the fees that were withheld from transfers`,
  ],
  [
    'UpdateTransferHook',
    call(token2022, [mint, payer], 36, 1, ...bytesOf(stranger)),
    `Give control of ${mint} to ${stranger}`,
    control(mint, stranger),
  ],
  [
    'UpdateTransferHook',
    call(token2022, [mint, payer], 36, 1, ...none),
    `Give control of ${mint} to none`,
    control(mint, 'none'),
  ],
  [
    'InitializeMintCloseAuthority',
    call(token2022, [mint], 25, ...some(stranger)),
    `Give control of ${mint} to ${stranger}`,
    control(mint, stranger),
  ],
  [
    'InitializePausable',
    call(token2022, [mint], 44, 0, ...bytesOf(stranger)),
    `Give control of ${mint} to ${stranger}`,
    control(mint, stranger),
  ],
  [
    'Pause',
    call(token2022, [mint, payer], 44, 1),
    `Freeze the tokens in ${mint}`,
    `nobody can move the tokens in ${mint} any more`,
  ],
  [
    'PermissionedBurn',
    call(token2022, [account, mint, stranger, payer], 46, 1, ...u64(9n)),
    `Destroy 9 of the smallest unit of the token ${mint} in ${account}`,
    `9 of the smallest unit of the token ${mint} in ${account} are destroyed`,
  ],
  [
    'UpdateDefaultAccountState',
    call(token2022, [mint, payer], 28, 1, 2),
    `WARNING: nobody can move the tokens in new accounts of ${mint} before somebody thaws them. Call the program ${token2022}`,
    `nobody can move the tokens in new accounts of ${mint} before somebody thaws them`,
  ],
  [
    'SetTransferFee',
    call(token2022, [mint, payer], 26, 5, 0x10, 0x27, ...u64(2n ** 64n - 1n)),
    `WARNING: each transfer of ${mint} withholds 10000 hundredths of a percent, at most 18446744073709551615 of the smallest unit of the token ${mint}. Call the program ${token2022}`,
    `each transfer of ${mint} withholds 10000 hundredths of a percent`,
  ],
  [
    'SetLockup',
    call(stakes, [stake, payer], 6, 0, 0, 0, 1, ...u64(4_102_444_800n), 0, ...some(stranger)),
    `WARNING: nobody can withdraw from ${stake} while it is locked up, unless ${stranger} agrees. Give control of ${stake} to ${stranger}`,
    control(stake, stranger),
  ],
  [
    'SetLockup',
    call(stakes, [stake, payer], 6, 0, 0, 0, 0, 1, ...u64(900n), 0),
    `WARNING: nobody can withdraw from ${stake} while it is locked up, unless the custodian that it has agrees. Call the program ${stakes}`,
    `nobody can withdraw from ${stake} while it is locked up, unless the custodian that it has agrees`,
  ],
  [
    'SetLockupChecked',
    call(stakes, [stake, payer, stranger], 12, 0, 0, 0, 1, ...u64(4_102_444_800n), 0),
    `WARNING: nobody can withdraw from ${stake} while it is locked up, unless ${stranger} agrees. Give control of ${stake} to ${stranger}`,
    control(stake, stranger),
  ],
])('%s has a title of what it does, and a warning beside a payment', async (name, instruction, title, warning) => {
  const { explanation, lines } = await explainTransaction(instruction)
  expect(lines[0]).toBe(title)
  expect(plain(memberOf(valuesAt(explanation, 'calls', 'call')[0], 'instruction'))).toBe(name)
  const beside = await explainTransaction(payment, instruction)
  expect(beside.lines[0]).toContain(`WARNING: ${warning}`)
  expect(beside.lines[0]).not.toMatch(/\. Send /)
})

test('what its owner gets of an account of tokens is no warning, nor is a lockup that ends', async () => {
  for (const data of [[9], [38], [45, 0]]) {
    const { explanation } = await explainTransaction(payment, call(token2022, [account, payer, payer], ...data))
    const [gained, ...more] = explanation.title.warnings ?? []
    expect([gained?.code, gained?.values?.map(plain)]).toEqual(['goesTo', [5n, key(2).toBase58()]])
    expect(more).toEqual([])
  }
  const unlocked = call(stakes, [stake, payer], 6, 0, 0, 0, 1, ...u64(0n), 1, ...u64(0n), 0)
  expect((await explainTransaction(unlocked)).lines[0]).toBe(`Call the program ${stakes}`)
})

test('each authority of an extension is named, unless it is that of who pays for the mint', async () => {
  const configOf = (fees: PublicKey, withdrawals: PublicKey) =>
    call(token2022, [mint], 26, 0, ...some(fees), ...some(withdrawals), 0, 0, ...u64(0n))
  const hookOf = (authority: PublicKey) => call(token2022, [mint], 36, 0, ...bytesOf(authority), ...bytesOf(key(8)))
  const titleOf = async (...instructions: TransactionInstruction[]) =>
    (await explainTransaction(makeMint, ...instructions, ownMint)).lines[0]
  expect(await titleOf(configOf(payer, stranger))).toContain(`WARNING: ${control(mint, stranger)}. Call `)
  expect(await titleOf(configOf(stranger, payer))).toContain(`WARNING: ${control(mint, stranger)}. Call `)
  expect(await titleOf(configOf(payer, payer))).toMatch(/^Call /)
  // A hook is a program that may refuse every transfer, whoever sets it.
  expect(await titleOf(hookOf(payer))).toContain(`WARNING: ${control(mint, key(8))}. Call `)
  const both = await explainTransaction(makeMint, hookOf(stranger), ownMint)
  expect(warningsOf(both.explanation)).toEqual(['changesControl', 'changesControl'])
  // Without a mint of its own, the account stays with its program.
  expect((await explainTransaction(makeMint, configOf(payer, payer))).lines[0]).toContain(
    `WARNING: ${control(mint, token2022)}. Call `,
  )
})

test('what is not read of an extension is counted: keys of auditors, hidden amounts, an unknown number', async () => {
  const titleOf = async (...data: readonly number[]) =>
    (await explainTransaction(call(token2022, [mint], ...data))).lines[0]
  const unread = (bytes: number) => `WARNING: ${bytes} bytes that are signed are not read. `
  expect(await titleOf(27, 0, ...none, 1, ...bytesOf(stranger))).toBe(`${unread(32)}Call the program ${token2022}`)
  const to = 'This cannot be read'
  expect(await titleOf(27, 7, ...new Array<number>(167).fill(3))).toBe(
    `${unread(167)}Withdraw an amount that only its owners can read from ${mint} to ${to}`,
  )
  expect(await titleOf(44, 9)).toBe(`${unread(1)}Call the program ${token2022}`)
  expect(await titleOf(36, 0, ...none)).toBe(`${unread(34)}Call the program ${token2022}`)
})

test('what many instructions make or destroy is one sum in the title, and equal delegates are counted', async () => {
  const titleOf = async (one: TransactionInstruction) =>
    (await explainTransaction(...Array.from({ length: 10 }, () => one))).lines[0]
  const making = call(token2022, [mint, account, payer], 7, ...u64(1000n))
  expect(await titleOf(making)).toContain(
    `WARNING: 10000 of the smallest unit of the token ${mint} are made for ${account}. `,
  )
  const burning = call(token2022, [account, mint, payer], 8, ...u64(1000n))
  expect(await titleOf(burning)).toContain(
    `WARNING: 10000 of the smallest unit of the token ${mint} in ${account} are destroyed. `,
  )
  const closing = call(token2022, [account, stranger, payer], 9)
  expect(await titleOf(closing)).toContain(`WARNING: 10 times: ${stranger} gets all lamports. `)
  const allowing = call(token2022, [account, stranger, payer], 4, ...u64(5n))
  expect(await titleOf(allowing)).toContain(`WARNING: 10 times: ${stranger} may spend 5`)
})
