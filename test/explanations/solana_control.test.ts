import {
  Authorized,
  type PublicKey,
  StakeProgram,
  SYSVAR_RENT_PUBKEY,
  SystemProgram,
  type TransactionInstruction,
} from '@solana/web3.js'
import { expect, test } from 'vitest'
import { explainingSolana, keyOf as key, token2022, tokens, unreadCall } from '../support/explaining_solana.ts'
import { memberOf, plain, valuesAt, warningsOf } from '../support/explanations.ts'

/** What instructions of Solana's programs give away beside payments. No library of ours builds those of Token-2022. */

const { payer, explainTransaction, shown, call: callWith } = await explainingSolana()
const [mint, account, stranger, stake] = [key(4), key(3), key(5), key(6)]
const stakes = StakeProgram.programId
const payment = SystemProgram.transfer({ fromPubkey: payer, toPubkey: key(2), lamports: 5n })

const call = (programId: PublicKey, keys: readonly PublicKey[], ...data: readonly number[]) =>
  callWith(programId, keys, Buffer.from(data))

const u64 = (number: bigint) => [...new Uint8Array(BigUint64Array.of(number).buffer)]
const some = (one: PublicKey) => [1, ...one.toBytes()]
const bytesOf = (one: PublicKey) => [...one.toBytes()]
const none = new Array<number>(32).fill(0)
const control = (of: PublicKey, to: PublicKey | 'none') =>
  `control of ${shown(of)}${of.equals(payer) ? ' itself' : ''} goes to ${to === 'none' ? to : shown(to)}`

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
  expect(alone.lines[0]).toBe(`WARNING: ${control(mint, stranger)}. Give control of ${mint} to ${shown(payer)}`)
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
  const checked = call(stakes, [stake, SYSVAR_RENT_PUBKEY, stranger, payer], 9, 0, 0, 0)
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
    'Resume',
    call(token2022, [mint, payer], 44, 2),
    `Let the tokens in ${mint} move again`,
    `the tokens in ${mint} can be moved again`,
  ],
  [
    'ThawAccount',
    call(token2022, [account, mint, payer], 11),
    `Let the tokens in ${account} move again`,
    `the tokens in ${account} can be moved again`,
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
    `WARNING: the program ${token2022} owns ${mint} from then on, and whoever sets it up there first controls it. Call `,
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
  expect(await titleOf(36, 0, ...none)).toBe(`${unreadCall(token2022, { more: 1 })}Call the program ${token2022}`)
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

test('a wallet that gets data or another owner program has a warning, and an account of somebody else with data none', async () => {
  const titleOf = async (...instructions: TransactionInstruction[]) =>
    (await explainTransaction(...instructions)).lines[0]
  const allocate = (accountPubkey: PublicKey) => SystemProgram.allocate({ accountPubkey, space: 8 })
  const data = `WARNING: ${shown(payer)} itself gets data, so its key can move nothing out of it any more. Call `
  expect(await titleOf(allocate(payer))).toContain(data)
  expect(await titleOf(payment, allocate(payer))).toContain(data)
  expect(await titleOf(payment, allocate(account))).toMatch(/^Call /)
  expect(await titleOf(payment, SystemProgram.allocate({ accountPubkey: payer, space: 0 }))).toMatch(/^Call /)
  const withSeed = (basePubkey: PublicKey, programId: PublicKey) =>
    SystemProgram.allocate({ accountPubkey: account, basePubkey, seed: 's', space: 8, programId })
  expect(await titleOf(payment, withSeed(payer, SystemProgram.programId))).toContain(`WARNING: ${account} gets data`)
  expect(await titleOf(payment, withSeed(stranger, SystemProgram.programId))).toMatch(/^Call /)
  expect(await titleOf(payment, withSeed(payer, stranger))).toContain(`WARNING: ${control(account, stranger)}. `)

  const assign = (programId: PublicKey) => SystemProgram.assign({ accountPubkey: payer, programId })
  expect(await titleOf(payment, assign(stranger))).toContain(`WARNING: ${control(payer, stranger)}. `)
  expect(await titleOf(withSeed(payer, stranger), assign(stranger))).toContain(
    `WARNING: ${control(payer, stranger)}, and `,
  )
  expect(await titleOf(payment, assign(token2022))).toContain(
    `WARNING: the program ${token2022} owns ${shown(payer)} itself from`,
  )
  expect(await titleOf(assign(token2022))).toBe(`Make the program ${token2022} the owner of ${shown(payer)}`)
  expect(await titleOf(payment, assign(SystemProgram.programId))).toMatch(/^Call /)
})

test('what takes the wallet that signs away stands before control of a junk mint', async () => {
  const junk = call(tokens, [mint, payer], 6, 0, ...some(stranger))
  const [allocate, assign] = [
    SystemProgram.allocate({ accountPubkey: payer, space: 165 }),
    SystemProgram.assign({ accountPubkey: payer, programId: tokens }),
  ]
  const hook = call(token2022, [account, key(20), key(7), stranger, payer, key(21)], 12, ...u64(1n), 6)
  const first = async (...instructions: TransactionInstruction[]) =>
    (await explainTransaction(...instructions)).explanation.title.warnings?.[0]?.code
  expect(await first(junk, payment)).toBe('changesControl')
  expect(await first(junk, allocate)).toBe('getsData')
  expect(await first(junk, assign)).toBe('programOwns')
  expect((await explainTransaction(junk, allocate, assign)).lines[0]).toContain(
    `WARNING: the program ${tokens} owns ${shown(payer)} itself from then on, and whoever sets it up there first `,
  )
  expect(await first(junk, hook)).toBe('signsForHook')
  expect(await first(junk, hook, allocate, assign)).toBe('signsForHook')
  // Of any other account, control comes first.
  expect(await first(junk, SystemProgram.assign({ accountPubkey: account, programId: tokens }))).toBe('changesControl')
})

test('who gets control of a new account counts only after it was made, and only who alone paid for it gives nothing away', async () => {
  const setUp = (owner: PublicKey) =>
    StakeProgram.initialize({ stakePubkey: stake, authorized: new Authorized(owner, owner) })
  const made = { fromPubkey: payer, newAccountPubkey: stake, lamports: 5, space: 200, programId: stakes }
  const create = SystemProgram.createAccount(made)
  const titleOf = async (...instructions: TransactionInstruction[]) =>
    (await explainTransaction(...instructions)).lines[0]
  expect(await titleOf(create, setUp(payer))).toMatch(/^Call /)
  const open = `WARNING: the program ${stakes} owns ${stake} from then on, and whoever sets it up there first controls it`
  expect(await titleOf(setUp(payer), create)).toContain(open)
  const [split] = StakeProgram.split(
    { stakePubkey: account, authorizedPubkey: payer, splitStakePubkey: stake, lamports: 5 },
    0,
  ).instructions.slice(-1)
  expect(await titleOf(create, ...(split ? [split] : []))).not.toContain(open)

  // `CreateAccountAllowPrefund`, which somebody else pays for, after the payer has put lamports there.
  const prefund = SystemProgram.transfer({ fromPubkey: payer, toPubkey: stake, lamports: 1_000 })
  const data = [13, 0, 0, 0, ...u64(1n), ...u64(200n), ...bytesOf(stakes)]
  const allowing = call(SystemProgram.programId, [stake, stranger], ...data)
  for (const order of [
    // The account may hold lamports already.
    [allowing, setUp(stranger)],
    [prefund, allowing, setUp(stranger)],
    [allowing, setUp(stranger), prefund],
  ])
    expect(await titleOf(...order)).toContain(`WARNING: ${control(stake, stranger)}`)
})

test('what the signer itself may spend stands behind what others may spend', async () => {
  const letSpend = (delegate: PublicKey, of: PublicKey, amount: bigint) =>
    call(token2022, [account, of, delegate, payer], 13, ...u64(amount), 6)
  const { explanation, lines } = await explainTransaction(
    letSpend(payer, key(7), 2n ** 64n - 1n),
    letSpend(stranger, mint, 10n ** 9n),
  )
  expect(lines[0]).toContain(
    `WARNING: ${stranger} may spend 1000000000 of the smallest unit of the token ${mint}, and `,
  )
  expect(warningsOf(explanation)).toEqual(['letsSpend', 'toOwn', 'unlimited'])
})

test.each<[string, TransactionInstruction, string]>([
  ['DisableCpiGuard', call(token2022, [account, payer], 34, 1), `“DisableCpiGuard” ends a protection of ${account}`],
  [
    'DisableMemoTransfers',
    call(token2022, [account, payer], 30, 1),
    `“DisableMemoTransfers” ends a protection of ${account}`,
  ],
  [
    'UpdateMetadataPointer',
    call(token2022, [mint, payer], 39, 1, ...bytesOf(stranger)),
    `for the token ${mint}, “UpdateMetadataPointer” sets ${stranger}`,
  ],
  [
    'UpdateGroupPointer',
    call(token2022, [mint, payer], 40, 1, ...none),
    `for the token ${mint}, “UpdateGroupPointer” sets none`,
  ],
  [
    'UpdateGroupMemberPointer',
    call(token2022, [mint, payer], 41, 1, ...bytesOf(stranger)),
    `for the token ${mint}, “UpdateGroupMemberPointer” sets ${stranger}`,
  ],
  [
    'UpdateInterestRate',
    call(token2022, [mint, payer], 33, 1, 0xff, 0x7f),
    `for the token ${mint}, “UpdateInterestRate” sets 32767`,
  ],
])('%s is a warning, alone and beside a payment', async (_name, instruction, warning) => {
  expect((await explainTransaction(instruction)).lines[0]).toBe(`WARNING: ${warning}. Call the program ${token2022}`)
  const beside = await explainTransaction(payment, instruction)
  expect(beside.lines[0]).toContain(
    `WARNING: ${warning}. Call 2 programs`.replace('2 programs', `the program ${token2022}`),
  )
})

test('what tokens withhold from several transfers is one sum, and stands in front', async () => {
  const withFee = (to: PublicKey, fee: bigint) =>
    call(token2022, [account, mint, to, payer], 26, 1, ...u64(100n), 6, ...u64(fee))
  const { explanation, lines } = await explainTransaction(withFee(stranger, 60n), withFee(key(7), 40n))
  const fee = `a fee of 100 of the smallest unit of the token ${mint} is withheld from what is sent`
  expect(lines[0]).toContain(`; ${fee}, and 1 more. Send 2 transfers of tokens and coins to 2 recipients`)
  expect(warningsOf(explanation)).toEqual(['goesTo', 'goesTo', 'feeWithheld'])
  expect(warningsOf((await explainTransaction(withFee(stranger, 0n), withFee(stranger, 0n))).explanation)).toEqual([
    'goesTo',
  ])
})

test('a hook of a token that gets the account that signs is a warning, and members of a multisig are none', async () => {
  const moved = (owner: PublicKey, ...others: readonly PublicKey[]) =>
    call(token2022, [account, mint, key(7), owner, ...others], 12, ...u64(1n), 6)
  const signs = `${shown(payer)} signs for the hook of the token ${mint} too, which is not read and may do what`
  const [hook, state] = [key(20), key(21)]
  const titleOf = async (...instructions: TransactionInstruction[]) =>
    (await explainTransaction(...instructions)).lines[0]
  expect(await titleOf(moved(stranger, payer, SystemProgram.programId, hook, state))).toContain(`WARNING: ${signs}`)
  expect(await titleOf(payment, moved(stranger, hook, state, payer))).toContain(`WARNING: ${signs}`)
  // The hook gets the owner without its signature.
  expect(await titleOf(moved(payer, hook, state))).toMatch(/^Send /)
  expect(await titleOf(moved(payer, hook, state, payer))).toMatch(/^Send /)
  expect(await titleOf(moved(stranger, payer))).toMatch(/^Send /)
})

test('a stake that is locked up stands before small payments to others', async () => {
  const locked = call(stakes, [stake, payer], 6, 0, 0, 0, 0, 1, ...u64(900n), 0)
  const other = SystemProgram.transfer({ fromPubkey: payer, toPubkey: key(7), lamports: 1 })
  expect((await explainTransaction(payment, other, locked)).lines[0]).toContain(
    `WARNING: nobody can withdraw from ${stake} while it is locked up`,
  )
})
