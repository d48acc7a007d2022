import { createReallocateInstruction, ExtensionType, getAccountLen, TOKEN_2022_PROGRAM_ID } from '@solana/spl-token'
import {
  AddressLookupTableInstruction,
  AddressLookupTableProgram,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  VoteInit,
  VoteInstruction,
  VoteProgram,
} from '@solana/web3.js'
import { expect, test } from 'vitest'
import { explainingSolana, keyOf as key, unreadCall } from '../support/explaining_solana.ts'
import { memberOf, plain, valuesAt } from '../support/explanations.ts'

/** The programs for votes and lookup tables as web3.js builds and reads them, and the loader, which no library of ours builds. */

const { payer, explainTransaction, shown, call: callWith } = await explainingSolana()
const [vote, eve, node, account, program] = [key(2), key(3), key(4), key(5), key(8)]
const loader = new PublicKey('BPFLoaderUpgradeab1e11111111111111111111111')
const payment = SystemProgram.transfer({ fromPubkey: payer, toPubkey: key(7), lamports: 5n })

const toLoader = (keys: readonly PublicKey[], ...data: readonly number[]) => callWith(loader, keys, Buffer.from(data))
const only = ([one, ...more]: readonly TransactionInstruction[]) => {
  if (one === undefined || more.length > 0) throw new Error('one instruction was built')
  return one
}
const authority = { votePubkey: vote, voteAuthorizationType: { index: 1 } }
const fieldsOf = async (instruction: TransactionInstruction) => {
  const { explanation } = await explainTransaction(instruction)
  const [shown] = valuesAt(explanation, 'calls', 'call')
  return (name: string) => plain(memberOf(shown, name))
}

test('instructions for votes have the fields that web3.js decodes', async () => {
  const withdraw = only(
    VoteProgram.withdraw({ votePubkey: vote, authorizedWithdrawerPubkey: payer, lamports: 77, toPubkey: eve })
      .instructions,
  )
  expect((await fieldsOf(withdraw))('amount')).toBe(BigInt(VoteInstruction.decodeWithdraw(withdraw).lamports))
  const authorize = only(
    VoteProgram.authorize({ ...authority, authorizedPubkey: payer, newAuthorizedPubkey: eve }).instructions,
  )
  const authorized = await fieldsOf(authorize)
  const read = VoteInstruction.decodeAuthorize(authorize)
  expect(authorized('newAuthority')).toBe(read.newAuthorizedPubkey.toBase58())
  expect(authorized('authorityType')).toBe(['Voter', 'Withdrawer'][read.voteAuthorizationType.index])
  const derived = only(
    VoteProgram.authorizeWithSeed({
      ...authority,
      currentAuthorityDerivedKeyBasePubkey: payer,
      currentAuthorityDerivedKeyOwnerPubkey: program,
      currentAuthorityDerivedKeySeed: 'seed',
      newAuthorizedPubkey: eve,
    }).instructions,
  )
  const withSeed = await fieldsOf(derived)
  const seeded = VoteInstruction.decodeAuthorizeWithSeed(derived)
  expect([withSeed('newAuthority'), withSeed('ownerProgram'), withSeed('seed')]).toEqual([
    seeded.newAuthorizedPubkey.toBase58(),
    seeded.currentAuthorityDerivedKeyOwnerPubkey.toBase58(),
    seeded.currentAuthorityDerivedKeySeed,
  ])
  const voteInit = new VoteInit(node, eve, payer, 9)
  const initialize = VoteProgram.initializeAccount({ votePubkey: vote, nodePubkey: node, voteInit })
  const initialized = await fieldsOf(initialize)
  const { voteInit: init } = VoteInstruction.decodeInitializeAccount(initialize)
  expect([initialized('voter'), initialized('withdrawer'), initialized('commission')]).toEqual([
    init.authorizedVoter.toBase58(),
    init.authorizedWithdrawer.toBase58(),
    BigInt(init.commission),
  ])
})

const control = (of: PublicKey, to: PublicKey | 'none') => [
  `Give control of ${of} to ${to}`,
  `control of ${of} goes to ${to}`,
]
const closed = (of: PublicKey, to: PublicKey) => [
  `Close the account ${of} and send what it holds to ${to}`,
  `${to} gets all lamports`,
]
const closeTable = AddressLookupTableProgram.closeLookupTable({
  lookupTable: account,
  authority: payer,
  recipient: eve,
})

test.each<[string, TransactionInstruction, readonly (string | undefined)[]]>([
  [
    'Withdraw',
    only(
      VoteProgram.withdraw({ votePubkey: vote, authorizedWithdrawerPubkey: payer, lamports: 77, toPubkey: eve })
        .instructions,
    ),
    [`Withdraw 0.000000077 SOL (77 lamport) from ${vote} to ${eve}`, `${eve} gets 0.000000077 SOL (77 lamport)`],
  ],
  [
    'Authorize',
    only(VoteProgram.authorize({ ...authority, authorizedPubkey: payer, newAuthorizedPubkey: eve }).instructions),
    control(vote, eve),
  ],
  [
    'AuthorizeChecked',
    callWith(VoteProgram.programId, [vote, key(9), payer, eve], Buffer.of(7, 0, 0, 0, 1, 0, 0, 0)),
    control(vote, eve),
  ],
  [
    'UpdateValidatorIdentity',
    callWith(VoteProgram.programId, [vote, eve, payer], Buffer.of(4, 0, 0, 0)),
    control(vote, eve),
  ],
  ['CloseLookupTable', closeTable, closed(account, eve)],
  ['Close', toLoader([account, eve, payer], 5, 0, 0, 0), closed(account, eve)],
  [
    'Close',
    toLoader([account, eve, payer, program], 5, 0, 0, 0),
    [
      `WARNING: ${eve} gets all lamports. End the program ${program} for good and send what ${account} holds to ${eve}`,
      `the program ${program} ends for good`,
    ],
  ],
  [
    'FreezeLookupTable',
    AddressLookupTableProgram.freezeLookupTable({ lookupTable: account, authority: payer }),
    [`Freeze the lookup table ${account} for good`, `nobody can change or close the lookup table ${account} any more`],
  ],
  ['SetAuthority', toLoader([account, payer, eve], 4, 0, 0, 0), control(account, eve)],
  ['SetAuthority', toLoader([account, payer], 4, 0, 0, 0), control(account, 'none')],
  ['SetAuthorityChecked', toLoader([account, payer, eve], 7, 0, 0, 0), control(account, eve)],
  [
    'DeployWithMaxDataLen',
    toLoader(
      [payer, account, program, key(9), key(10), key(11), key(12), eve],
      ...[2, 0, 0, 0],
      ...new Uint8Array(BigUint64Array.of(100n).buffer),
    ),
    [
      `WARNING: control of ${program} goes to ${eve}. Deploy the code in ${key(9)} as the program ${program}, which ${eve} controls`,
      `control of ${program} goes to ${eve}`,
    ],
  ],
])('%s has a title of what it does, and a warning beside a payment', async (name, instruction, [title, warning]) => {
  const { explanation, lines } = await explainTransaction(instruction)
  expect(lines[0]).toBe(title)
  expect(plain(memberOf(valuesAt(explanation, 'calls', 'call')[0], 'instruction'))).toBe(name)
  expect((await explainTransaction(payment, instruction)).lines[0]).toContain(`WARNING: ${warning}`)
})

test('a program that ends for good is named whoever gets its lamports, and a buffer that is closed has no warning', async () => {
  const ended = toLoader([account, payer, payer, program], 5, 0, 0, 0)
  expect((await explainTransaction(ended)).lines[0]).toBe(
    `End the program ${program} for good and send what ${account} holds to ${shown(payer)}`,
  )
  expect((await explainTransaction(payment, ended)).lines[0]).toContain(`WARNING: the program ${program} ends for good`)
  const closedBuffer = toLoader([account, payer, payer], 5, 0, 0, 0)
  expect((await explainTransaction(payment, closedBuffer)).lines[0]).not.toContain('ends for good')
})

test('an upgrade says which code a program gets, and who gets the lamports of it', async () => {
  const upgrade = toLoader([account, program, node, eve, key(9), key(10), payer], 3, 0, 0, 0)
  expect((await explainTransaction(upgrade)).lines[0]).toBe(
    `WARNING: ${eve} gets all lamports. Give the program ${program} the code in ${node}`,
  )
  expect((await explainTransaction(payment, upgrade)).lines[0]).toContain(
    `WARNING: the program ${program} gets the code in ${node}, and may do something else from then on, and 2 more. `,
  )
})

test('a lookup table of the payer gives nothing away, and that of somebody else does', async () => {
  const made = (owner: PublicKey) => {
    const [create, table] = AddressLookupTableProgram.createLookupTable({ authority: owner, payer, recentSlot: 9 })
    return { create, table, read: AddressLookupTableInstruction.decodeCreateLookupTable(create) }
  }
  const own = made(payer)
  expect((await explainTransaction(own.create)).lines[0]).toBe(
    `Create the lookup table ${own.table}, which ${shown(payer)} controls and ${shown(payer)} pays for`,
  )
  expect((await fieldsOf(own.create))('recentSlot')).toBe(BigInt(own.read.recentSlot))
  expect((await explainTransaction(payment, own.create)).lines[0]).toMatch(/^Call /)
  const other = made(eve)
  expect((await explainTransaction(other.create)).lines[0]).toBe(
    `WARNING: control of ${other.table} goes to ${eve}. Create the lookup table ${other.table}, which ${eve} controls and ${shown(payer)} pays for`,
  )
  expect((await explainTransaction(payment, other.create)).lines[0]).toContain(
    `WARNING: control of ${other.table} goes to ${eve}. Call `,
  )
})

test('a vote account that the payer makes for itself gives nothing away', async () => {
  const madeFor = (voter: PublicKey, withdrawer: PublicKey) =>
    VoteProgram.createAccount({
      ...{ fromPubkey: payer, votePubkey: vote, lamports: 9, voteInit: new VoteInit(node, voter, withdrawer, 9) },
    }).instructions
  expect((await explainTransaction(...madeFor(payer, payer))).lines[0]).toMatch(/^Call /)
  for (const [voter, withdrawer] of [
    [eve, payer],
    [payer, eve],
  ] as const)
    expect((await explainTransaction(...madeFor(voter, withdrawer))).lines[0]).toContain(
      `WARNING: control of ${vote} goes to ${eve}. `,
    )
})

test('the new addresses of a lookup table are those that web3.js decodes', async () => {
  const extended = (authority: PublicKey) =>
    AddressLookupTableProgram.extendLookupTable({ lookupTable: account, authority, payer, addresses: [eve, node] })
  const own = extended(payer)
  const { explanation, lines } = await explainTransaction(own)
  expect(lines[0]).toBe(`Call the program ${AddressLookupTableProgram.programId}`)
  expect(plain(memberOf(valuesAt(explanation, 'calls', 'call')[0], 'newAddresses'))).toEqual(
    AddressLookupTableInstruction.decodeExtendLookupTable(own).addresses.map(String),
  )
  expect((await explainTransaction(extended(eve))).lines[0]).toContain(`WARNING: ${eve} gets the rent for 64 bytes. `)
  const short = callWith(own.programId, [account, payer], own.data.subarray(0, -1))
  expect((await explainTransaction(short)).lines).toContain(
    `warning: [${short.data.length} bytes that are signed are not read]`,
  )
})

test('whoever pays for more bytes of a program of somebody else gives their rent away', async () => {
  const bytes = [...new Uint8Array(Uint32Array.of(10_000_000).buffer)]
  const gets = (one: PublicKey) => `WARNING: ${one} gets the rent for 10000000 bytes. Call the program ${loader}`
  const titleOf = async (...given: Parameters<typeof toLoader>) =>
    (await explainTransaction(toLoader(...given))).lines[0]
  const [system, silent] = [SystemProgram.programId, `Call the program ${loader}`]
  // `ExtendProgram` and `ExtendProgramChecked` of solana-loader-v3-interface: a u32 for the instruction, and one of bytes.
  expect(await titleOf([account, program, system, payer], 6, 0, 0, 0, ...bytes)).toBe(gets(account))
  expect(await titleOf([account, program], 6, 0, 0, 0, ...bytes)).toBe(silent)
  expect(await titleOf([account, program, eve, system, payer], 9, 0, 0, 0, ...bytes)).toBe(gets(eve))
  expect(await titleOf([account, program, payer, system, payer], 9, 0, 0, 0, ...bytes)).toBe(silent)
  const fields = await fieldsOf(toLoader([account, program, payer, system, payer], 9, 0, 0, 0, ...bytes))
  expect([fields('instruction'), fields('additionalBytes')]).toEqual(['ExtendProgramChecked', 10_000_000n])
})

test('a program that its payer deploys names the code and who controls it', async () => {
  const accounts = [account, program, node, key(10), key(11), key(12)]
  const deploy = toLoader([payer, ...accounts, payer], 2, 0, 0, 0, ...new Uint8Array(8))
  expect((await explainTransaction(deploy)).lines[0]).toBe(
    `Deploy the code in ${node} as the program ${program}, which ${shown(payer)} controls`,
  )
  const [beside] = (await explainTransaction(payment, deploy)).lines
  expect(beside).toBe(
    `WARNING: ${key(7)} gets 0.000000005 SOL (5 lamport). Call the program ${loader} and make 2 transfers`,
  )
  // Who pays gets what the buffer holds.
  const paidByEve = toLoader([eve, ...accounts, payer], 2, 0, 0, 0, ...new Uint8Array(8))
  expect((await explainTransaction(paidByEve)).lines[0]).toContain(
    `WARNING: ${eve} gets all lamports. Deploy the code in `,
  )
})

test('votes, code, and what newer vote accounts and the fourth loader do are not read, and counted', async () => {
  for (const [number, rest] of [
    [16, 4],
    [17, 1],
    [18, 3],
    [19, 8],
  ] as const) {
    const newer = callWith(
      VoteProgram.programId,
      [vote, payer],
      Buffer.from([number, 0, 0, 0, ...new Uint8Array(rest)]),
    )
    const { lines } = await explainTransaction(newer)
    expect(lines[0]).toContain(unreadCall(VoteProgram.programId, { more: 1 }))
    expect(lines).toContain(`warning: [${4 + rest} bytes that are signed are not read]`)
  }
  const fourth = new PublicKey('LoaderV411111111111111111111111111111111111')
  const transfer = callWith(fourth, [program, payer, eve], Buffer.of(5, 0, 0, 0))
  expect((await explainTransaction(transfer)).lines[0]).toBe(
    `${unreadCall(fourth, { more: 1 })}Call the program ${fourth}`,
  )
  expect((await explainTransaction(toLoader([account, payer], 1, 0, 0, 0, 9, 9))).lines).toContain(
    'warning: [6 bytes that are signed are not read]',
  )
  const close = toLoader([account, eve, payer], 5, 0, 0, 0, 1)
  expect((await explainTransaction(close)).lines[0]).toContain('WARNING: 1 bytes that are signed are not read. Close ')
})

test('whoever pays for more bytes of an account of tokens of somebody else gives their rent away', async () => {
  const resized = (given: { readonly extensions: readonly ExtensionType[]; readonly owner: PublicKey }) =>
    createReallocateInstruction(account, payer, [...given.extensions], given.owner)
  const linesOf = async (one: TransactionInstruction) => (await explainTransaction(one)).lines
  const silent = `Call the program ${TOKEN_2022_PROGRAM_ID}`
  for (const extensions of [
    [ExtensionType.MemoTransfer],
    [ExtensionType.CpiGuard, ExtensionType.CpiGuard, ExtensionType.ImmutableOwner],
    [
      ExtensionType.ConfidentialTransferAccount,
      ExtensionType.TransferFeeAmount,
      ExtensionType.TransferHookAccount,
      ExtensionType.PausableAccount,
    ],
  ]) {
    // An account without any gets these, and two bytes more if it would be as long as a multisig.
    const bytes = getAccountLen([...new Set(extensions)]) - getAccountLen([]) + 2
    const [title] = await linesOf(resized({ extensions, owner: eve }))
    expect(title).toBe(`WARNING: ${eve} gets the rent for up to ${bytes} bytes. ${silent}`)
    expect((await linesOf(resized({ extensions, owner: payer })))[0]).toBe(silent)
  }
  const both = [ExtensionType.MemoTransfer, ExtensionType.CpiGuard]
  expect((await fieldsOf(resized({ extensions: both, owner: payer })))('accountExtensions')).toEqual([
    'MemoTransfer',
    'CpiGuard',
  ])
  expect((await linesOf(resized({ extensions: [], owner: eve })))[0]).toBe(silent)
  // The program refuses an extension of a token, one that it does not know, and half a number.
  for (const tail of [[1, 0], [200, 0], [8]]) {
    const wrong = callWith(
      TOKEN_2022_PROGRAM_ID,
      [account, payer, SystemProgram.programId, payer],
      Buffer.of(29, ...tail),
    )
    expect((await linesOf(wrong))[0]).toContain(' is not read here')
  }
})
