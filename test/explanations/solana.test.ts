import {
  AddressLookupTableAccount,
  Authorized,
  ComputeBudgetInstruction,
  ComputeBudgetProgram,
  Lockup,
  PublicKey,
  StakeProgram,
  SystemInstruction,
  SystemProgram,
  type TransactionInstruction,
} from '@solana/web3.js'
import { expect, test } from 'vitest'
import type { Value } from '../../src/contract/explanation/explanation.ts'
import { explainingSolana, keyOf as key, token2022, tokens, unreadCall } from '../support/explaining_solana.ts'
import { memberOf, plain, valuesAt, warningsOf } from '../support/explanations.ts'

const { done, signWith, payer, explainWith, explainTransaction, shown, call } = await explainingSolana()
const [to, mint, program] = [key(2), key(4), key(8)]

/** The accounts of a call by what they are to it. */
function rolesOf(shown: Value | undefined): Readonly<Record<string, PublicKey>> {
  const accounts = memberOf(shown, 'accounts')
  const items = accounts?.kind === 'list' ? accounts.items.map(plain) : []
  return Object.fromEntries(
    (items as readonly { account: string; accountRole?: string }[]).flatMap(({ account, accountRole }) =>
      accountRole === undefined ? [] : [[accountRole === 'tokenMint' ? 'mint' : accountRole, new PublicKey(account)]],
    ),
  )
}

const payment = SystemProgram.transfer({ fromPubkey: payer, toPubkey: to, lamports: 1_500_000_000n })

test('a transfer has the accounts and lamports that web3.js decodes', async () => {
  const { explanation, lines } = await explainTransaction(payment)
  const read = SystemInstruction.decodeTransfer(payment)
  expect(lines[0]).toBe(`Send 1.5 SOL (1500000000 lamport) to ${read.toPubkey.toBase58()}`)
  const [transfer, ...more] = valuesAt(explanation, 'transfers', 'transfer')
  expect(more).toEqual([])
  expect(plain(transfer)).toEqual({
    from: read.fromPubkey.toBase58(),
    to: read.toPubkey.toBase58(),
    amount: read.lamports,
  })
  for (const label of ['fee payer', 'from', 'account']) {
    expect(lines).toContain(`${label}: “Treasury” (${signWith})`)
  }
  expect(lines).toContain('fee: [The signed content does not say this]')
})

test('a title counts recipients, not transfers, and names the only one', async () => {
  const titleOf = async (...instructions: TransactionInstruction[]) =>
    (await explainTransaction(...instructions)).lines[0]
  const several = Array.from({ length: 3 }, () => payment)
  expect(await titleOf(...several)).toBe(`Send 4.5 SOL (4500000000 lamport) to ${to.toBase58()}`)
  const other = SystemProgram.transfer({ fromPubkey: payer, toPubkey: key(3), lamports: 1_500_000_000n })
  expect(await titleOf(...several, other)).toBe(
    `WARNING: ${to} gets 4.5 SOL (4500000000 lamport), and 1 more. Send 6 SOL (6000000000 lamport) to 2 recipients`,
  )
  const amount = Buffer.alloc(9)
  amount.writeUInt8(3)
  amount.writeBigUInt64LE(7n, 1)
  const ofTokens = call(tokens, [key(5), to, payer], amount)
  const gets = (amount: string) => `WARNING: ${to} gets ${amount}. `
  const sentTwice = `Send 2 transfers of tokens and coins to ${to}`
  expect(await titleOf(ofTokens, ofTokens)).toBe(`${gets('14 of the smallest unit')}${sentTwice}`)
  const both = `7 of the smallest unit; ${to} gets 1.5 SOL (1500000000 lamport)`
  expect(await titleOf(ofTokens, payment)).toBe(`${gets(both)}${sentTwice}`)
  expect(await titleOf(ofTokens, other)).toBe(
    `WARNING: ${to} gets 7 of the smallest unit; ${key(3)} gets 1.5 SOL (1500000000 lamport). Send 2 transfers of tokens and coins to 2 recipients`,
  )
})

test('a title says who validates with a stake', async () => {
  const delegation = { stakePubkey: key(5), authorizedPubkey: payer, votePubkey: key(6) }
  const [delegate = payment] = StakeProgram.delegate(delegation).instructions
  const [stake, vote] = [key(5).toBase58(), key(6).toBase58()]
  expect((await explainTransaction(delegate)).lines[0]).toBe(`Delegate the stake ${stake} to ${vote}`)
  expect((await explainTransaction(delegate, payment)).lines[0]).toMatch(
    `WARNING: the stake ${stake} is delegated to ${vote}. Call the program `,
  )
})

test('a price of compute units is shown as the most that it costs', async () => {
  const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 2n ** 40n })
  const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 200_001 })
  const { microLamports } = ComputeBudgetInstruction.decodeSetComputeUnitPrice(price)
  const { units } = ComputeBudgetInstruction.decodeSetComputeUnitLimit(limit)
  const feeOf = (most: number) => (BigInt(most) * BigInt(microLamports) + 999_999n) / 1_000_000n
  const { explanation, lines } = await explainTransaction(limit, price, payment)
  expect(lines[0]).toMatch(/^WARNING: the fee is up to 219\.[0-9]+ SOL \([0-9]+ lamport\)\. Send 1\.5 SOL /)
  expect(valuesAt(explanation, 'transaction', 'priorityFee').map(plain)).toEqual([feeOf(units)])
  expect(lines.some((line) => line.startsWith('priority fee at most: 219.'))).toBe(true)
  const without = await explainTransaction(price, payment)
  expect(valuesAt(without.explanation, 'transaction', 'priorityFee').map(plain)).toEqual([feeOf(1_400_000)])
})

/** As `transfer_fee/instruction.rs` of Token-2022 packs it. No library of ours builds it. */
function withFee(amount: bigint, { decimals, fee }: { decimals: number; fee: bigint }): Buffer {
  const data = Buffer.alloc(19)
  data.writeUInt8(26)
  data.writeUInt8(1, 1)
  data.writeBigUInt64LE(amount, 2)
  data.writeUInt8(decimals, 10)
  data.writeBigUInt64LE(fee, 11)
  return data
}

test('a transfer of a token with a fee is a transfer, and its call has fee, mint and decimals', async () => {
  const data = withFee(2n ** 64n - 1n, { decimals: 9, fee: 12_345n })
  const accounts = [key(3), mint, to, payer]
  const { explanation, lines } = await explainTransaction(call(token2022, accounts, data))
  const ofToken = `of the smallest unit of the token ${mint.toBase58()}`
  expect(lines[0]).toBe(
    `Send 18446744073709551615 ${ofToken} to ${to.toBase58()}, less a fee of 12345 ${ofToken} that is withheld`,
  )
  expect(plain(valuesAt(explanation, 'transfers', 'transfer')[0])).toMatchObject({
    ...{ amount: 2n ** 64n - 1n, withheldFee: 12_345n, token: mint.toBase58() },
  })
  const [shown] = valuesAt(explanation, 'calls', 'call')
  expect(plain(shown)).toMatchObject({ amount: 2n ** 64n - 1n, withheldFee: 12_345n, decimals: 9n })
  expect(rolesOf(shown)).toEqual({ source: key(3), mint, destination: to, owner: payer })
  expect(lines).toContain(`fee that is withheld from the amount: 12345 ${ofToken}`)

  for (const [other, bytes] of [
    [data.subarray(0, 18), 18],
    [Buffer.concat([Buffer.of(26, 9), data.subarray(2)]), 18],
    [Buffer.concat([Buffer.of(26, 0), data.subarray(2)]), 19],
  ] as const) {
    const { lines: unread } = await explainTransaction(call(token2022, accounts, other))
    expect(unread[0]).toMatch(new RegExp(`^WARNING: .*Call the program ${token2022}$`))
    expect(unread.join('\n')).toContain(`${bytes} bytes that are signed are not read`)
  }
})

test('a transfer of a token names its mint, its accounts and the amount in its smallest unit', async () => {
  const data = Buffer.alloc(10)
  data.writeUInt8(12)
  data.writeBigUInt64LE(2n ** 64n - 1n, 1)
  data.writeUInt8(6, 9)
  const { explanation, lines } = await explainTransaction(call(tokens, [key(3), mint, to, payer], data))
  expect(lines[0]).toBe(
    `Send 18446744073709551615 of the smallest unit of the token ${mint.toBase58()} to ${to.toBase58()}`,
  )
  const [transfer] = valuesAt(explanation, 'transfers', 'transfer')
  expect(plain(transfer)).toEqual({
    from: key(3).toBase58(),
    to: to.toBase58(),
    amount: data.readBigUInt64LE(1),
    tokenOwner: signWith,
    token: mint.toBase58(),
  })
})

const budget = ComputeBudgetProgram.programId
const small = SystemProgram.transfer({ fromPubkey: payer, toPubkey: to, lamports: 1_000 })

test.each([0, 1, 2, 8, 100])(
  'a price of compute units with a tail of %s bytes costs what the runtime takes',
  async (tail) => {
    const price = Buffer.from('0300602225aa3f0000'.concat('00'.repeat(tail)), 'hex')
    const { explanation, lines } = await explainTransaction(call(budget, [], price), small)
    const read = ComputeBudgetInstruction.decodeSetComputeUnitPrice(call(budget, [], price))
    const fee = (BigInt(read.microLamports) * 1_400_000n) / 1_000_000n
    expect(fee).toBe(98_000_000_000_000n)
    const more = tail === 0 ? '' : ', and 1 more'
    const sent = `Send 0.000001 SOL (1000 lamport) to ${to.toBase58()}`
    expect(lines[0]).toBe(`WARNING: the fee is up to 98000 SOL (98000000000000 lamport)${more}. ${sent}`)
    expect(valuesAt(explanation, 'transaction', 'priorityFee').map(plain)).toEqual([fee])
    expect(explanation.title.warnings?.[1]?.values?.map(plain)).toEqual(tail === 0 ? undefined : [BigInt(tail)])
  },
)

test('a limit of compute units with a tail holds, and an instruction of the budget that cannot be read may cost anything', async () => {
  const limit = Buffer.concat([ComputeBudgetProgram.setComputeUnitLimit({ units: 100 }).data, Buffer.alloc(3, 1)])
  const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_000 })
  const { explanation, lines } = await explainTransaction(call(budget, [], limit), price, payment)
  expect(valuesAt(explanation, 'transaction', 'priorityFee').map(plain)).toEqual([100n])
  expect(lines[0]).toMatch(/^WARNING: 3 bytes that are signed are not read. Send 1.5 SOL /)

  for (const data of ['', '03', '0301020304050607', '00c0270900e8030000', '05', 'ff01']) {
    const unread = await explainTransaction(call(budget, [], Buffer.from(data, 'hex')), payment)
    expect(unread.lines[0]).toMatch(/^WARNING: the fee is up to 18446744073.709551615 SOL /)
    expect(unread.lines[0]).toContain(`Call the program ${budget.toBase58()} and send 1.5 SOL`)
    expect(unread.lines[0]).not.toContain('Send 1.5')
  }
})

test('of two prices, with which the transaction fails, the greater is shown, and both are calls', async () => {
  const prices = [5_000_000n, 9_000_000n, 7_000_000n].map((microLamports) =>
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports }),
  )
  const { explanation } = await explainTransaction(...prices, payment)
  expect(valuesAt(explanation, 'transaction', 'priorityFee').map(plain)).toEqual([12_600_000n])
  expect(valuesAt(explanation, 'calls', 'call')).toHaveLength(4)
})

const seed = 'savings'
const unlimited = 'WARNING: UNLIMITED: the greatest amount that there is. '
const u64 = (number: bigint) => [...new Uint8Array(BigUint64Array.of(number).buffer)]
test.each([
  [
    'SetAuthority',
    call(tokens, [key(3), payer], Buffer.of(6, 2, 1, ...key(5).toBytes())),
    `Give control of ${key(3)} to ${key(5)}`,
    { authorityType: 'AccountOwner', newAuthority: key(5).toBase58() },
    { account: key(3), currentAuthority: payer },
  ],
  [
    'SetAuthority to nobody',
    call(tokens, [mint, payer], Buffer.of(6, 0, 0)),
    `Give control of ${mint} to none`,
    { authorityType: 'MintTokens', newAuthority: [] },
    { account: mint, currentAuthority: payer },
  ],
  [
    'Assign',
    SystemProgram.assign({ accountPubkey: payer, programId: program }),
    `Give control of ${shown(payer)} to ${program}`,
    { ownerProgram: program.toBase58() },
    { account: payer },
  ],
  [
    'AuthorizeNonceAccount',
    SystemProgram.nonceAuthorize({ noncePubkey: to, authorizedPubkey: payer, newAuthorizedPubkey: key(5) }),
    `Give control of ${to} to ${key(5)}`,
    { newAuthority: key(5).toBase58() },
    { nonceAccount: to, nonceAuthority: payer },
  ],
  [
    'CreateAccountWithSeed',
    SystemProgram.createAccountWithSeed({
      ...{ fromPubkey: payer, newAccountPubkey: to, basePubkey: payer, seed, programId: program, space: 165 },
      lamports: 5_000_000_000,
    }),
    `WARNING: control of ${to} goes to ${program}. Create the account ${to} of the program ${program} with 5 SOL (5000000000 lamport)`,
    { amount: 5_000_000_000n, base: signWith, seed, space: 165n, ownerProgram: program.toBase58() },
    { fundingAccount: payer, newAccount: to },
  ],
  [
    'Approve',
    call(tokens, [key(3), key(5), payer], Buffer.of(4, ...new Uint8Array(8).fill(255))),
    `${unlimited}Let ${key(5)} spend everything`,
    { amount: 2n ** 64n - 1n, unlimited: { kind: 'note', code: 'unlimited' } },
    { source: key(3), delegate: key(5), owner: payer },
  ],
  [
    'CloseAccount',
    call(tokens, [key(3), to, payer], Buffer.of(9)),
    `Close the account ${key(3)} and send what it holds to ${to}`,
    {},
    { account: key(3), destination: to, owner: payer },
  ],
  [
    'MintTo',
    call(tokens, [mint, key(5), payer], Buffer.of(7, ...u64(10n ** 18n))),
    `Make 1000000000000000000 of the smallest unit of the token ${mint} for ${key(5)}`,
    { amount: 10n ** 18n },
    { mint, destination: key(5), mintAuthority: payer },
  ],
  [
    'Burn',
    call(tokens, [key(3), mint, payer], Buffer.of(8, ...u64(9n))),
    `Destroy 9 of the smallest unit of the token ${mint} in ${key(3)}`,
    { amount: 9n },
    { source: key(3), mint, owner: payer },
  ],
  [
    'FreezeAccount',
    call(tokens, [key(3), mint, payer], Buffer.of(10)),
    `Freeze the tokens in ${key(3)}`,
    {},
    { account: key(3), mint, freezeAuthority: payer },
  ],
  [
    'WithdrawNonceAccount',
    SystemProgram.nonceWithdraw({ noncePubkey: key(3), authorizedPubkey: payer, toPubkey: to, lamports: 7 }),
    `Withdraw 0.000000007 SOL (7 lamport) from ${key(3)} to ${to}`,
    { amount: 7n },
    { nonceAccount: key(3), destination: to, nonceAuthority: payer },
  ],
  [
    'InitializePermanentDelegate',
    call(token2022, [mint], Buffer.of(35, ...key(5).toBytes())),
    `Give control of ${mint} to ${key(5)}`,
    { delegate: key(5).toBase58() },
    { mint },
  ],
  [
    'TransferWithSeed',
    SystemProgram.transfer({
      fromPubkey: key(3),
      basePubkey: payer,
      toPubkey: to,
      lamports: 7,
      seed,
      programId: program,
    }),
    `Send 0.000000007 SOL (7 lamport) to ${to}`,
    { amount: 7n, seed, ownerProgram: program.toBase58() },
    { source: key(3), baseAccount: payer, destination: to },
  ],
] as const)(
  '%s shows what decides, and what its accounts are to it',
  async (name, instruction, title, fields, roles) => {
    const { explanation, lines } = await explainTransaction(instruction)
    expect(lines[0]).toBe(title)
    const [shown] = valuesAt(explanation, 'calls', 'call')
    expect(plain(memberOf(shown, 'instruction'))).toBe(name.split(' ')[0])
    expect(plain(shown)).toMatchObject(fields)
    expect(rolesOf(shown)).toMatchObject(roles)

    // Beside a payment it is no payment, and nobody gets control in silence.
    const beside = await explainTransaction(payment, instruction)
    expect(beside.lines[0]).not.toMatch(/(^|\. )Send 1.5 SOL/)
    // Of these, only the own account has a name.
    const goes = title.includes('“') ? ' itself goes to ' : ' goes to '
    if (title.startsWith('Give'))
      expect(beside.lines[0]).toContain(`WARNING: ${title.replace('Give control', 'control').replace(' to ', goes)}`)
    if (name === 'Approve') expect(beside.lines[0]).toMatch(new RegExp(`^WARNING: ${key(5)} may spend everything, `))
  },
)

test('a durable nonce is shown as one, which never expires', async () => {
  const advance = SystemProgram.nonceAdvance({ noncePubkey: key(3), authorizedPubkey: payer })
  const { explanation, lines } = await explainTransaction(advance, payment)
  expect(lines[0]).toMatch(/^WARNING: NEVER EXPIRES: valid until somebody advances the nonce\. Send 1.5 SOL /)
  expect(valuesAt(explanation, 'transaction', 'recentBlockhash')).toEqual([])
  const [nonce] = valuesAt(explanation, 'transaction', 'durableNonce')
  expect(plain(nonce)).toEqual({
    nonce: key(9).toBase58(),
    nonceAccount: key(3).toBase58(),
    nonceAuthority: signWith,
    validUntil: { kind: 'note', code: 'untilNonceAdvances' },
  })
  expect(lines).toContain('valid until: [NEVER EXPIRES: valid until somebody advances the nonce]')

  // The runtime ignores bytes behind the instruction, so the nonce is durable with them too.
  const tailed = call(SystemProgram.programId, [key(3), key(7), payer], Buffer.of(4, 0, 0, 0, 9))
  const never = 'NEVER EXPIRES: valid until somebody advances the nonce'
  const withTail = await explainTransaction(tailed, payment)
  expect(warningsOf(withTail.explanation)).toEqual(['unreadBytes', 'untilNonceAdvances'])
  expect(withTail.lines[0]).toMatch(
    new RegExp(`^WARNING: 1 bytes that are signed are not read; ${never}\\. Send 1.5 SOL `),
  )
  const control = call(tokens, [key(5), payer], Buffer.of(6, 2, 1, ...key(6).toBytes()))
  expect((await explainTransaction(tailed, payment, control)).lines[0]).toMatch(
    new RegExp(`^WARNING: control of ${key(5)} goes to ${key(6)}; ${never}, and 1 more\\. `),
  )

  // Only the first instruction makes a nonce durable.
  const late = await explainTransaction(payment, advance)
  expect(valuesAt(late.explanation, 'transaction', 'recentBlockhash').map(plain)).toEqual([key(9).toBase58()])
  expect(late.lines[0]).toBe(
    `Call the program ${SystemProgram.programId} and send 1.5 SOL (1500000000 lamport) to ${to}`,
  )
})

test('a recipient from a lookup table is named by the table and the index', async () => {
  const addresses = [key(20), key(21), to]
  const state = { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0, addresses }
  const table = new AddressLookupTableAccount({ key: key(30), state })
  const { explanation, lines } = await explainWith([table], payment)
  const place = `account 2 of the lookup table ${key(30)}, which only the chain names`
  expect(lines[0]).toBe(`Send 1.5 SOL (1500000000 lamport) to ${place}`)
  const [transfer] = valuesAt(explanation, 'transfers', 'transfer')
  expect(memberOf(transfer, 'to')).toMatchObject({ code: 'lookedUpAccount' })
  expect(lines).toContain(`to: [${place}]`)
})

test('who gets control of accounts that only a lookup table names is a warning of each', async () => {
  const state = { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0 }
  const table = new AddressLookupTableAccount({ key: key(30), state: { ...state, addresses: [key(20), key(21)] } })
  const giving = [key(20), key(21)].map((account) =>
    call(tokens, [account, payer], Buffer.of(6, 2, 1, ...key(5).toBytes())),
  )
  const { lines } = await explainWith([table], ...giving)
  const place = `account 0 of the lookup table ${key(30)}, which only the chain names`
  expect(lines[0]).toBe(`WARNING: control of ${place} goes to ${key(5)}, and 1 more. Call the program ${tokens}`)
})

test('the instructions of a batch are shown, and what they move', async () => {
  const five = [5, 0, 0, 0, 0, 0, 0, 0]
  const batch = call(
    tokens,
    [key(3), to, payer, key(3), key(5), payer],
    Buffer.of(255, 3, 9, 3, ...five, 3, 9, 4, ...five),
  )
  const { explanation, lines } = await explainTransaction(batch)
  expect(lines[0]).toBe(
    `WARNING: ${key(5)} may spend 5 of the smallest unit. Call the program ${tokens} and send 5 of the smallest unit to ${to}`,
  )
  expect(valuesAt(explanation, 'transfers', 'transfer')).toHaveLength(1)
  const parts = memberOf(valuesAt(explanation, 'calls', 'call')[0], 'batch')
  expect(parts?.kind === 'list' ? parts.items.map((part) => plain(memberOf(part, 'instruction'))) : []).toEqual([
    ...['Transfer', 'Approve'],
  ])
})

test('a built-in name stays where an uploaded IDL names the instruction too', async () => {
  const idl = {
    address: budget.toBase58(),
    instructions: [{ name: 'harmless', discriminator: [3], accounts: [], args: [] }],
  }
  const { smartContractInterfaceId } = await done('create_smart_contract_interface', {
    ...{ smartContractAddress: budget.toBase58(), label: 'Budget', type: 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA' },
    smartContractInterface: JSON.stringify(idl),
  })
  const { explanation, lines } = await explainTransaction(
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 9 }),
    payment,
  )
  expect(plain(valuesAt(explanation, 'calls', 'call')[0])).toMatchObject({
    ...{ instruction: 'SetComputeUnitPrice', microLamportsPerComputeUnit: 9n, claimed: { function: 'harmless' } },
  })
  expect(lines[0]).toContain(
    'WARNING: an uploaded interface gives other names to “SetComputeUnitPrice”, which is known without it. ',
  )
  await done('delete_smart_contract_interface', { smartContractInterfaceId })
})

test('a transfer beside another call is no payment in the title, and an unknown call shows its first bytes', async () => {
  const data = Buffer.from('0102030405060708090a', 'hex')
  const { explanation, lines } = await explainTransaction(payment, call(program, [to], data))
  expect(lines[0]).toBe(
    `${unreadCall(program, { more: 1 })}Call the program ${program.toBase58()} and send 1.5 SOL (1500000000 lamport) to ${to}`,
  )
  expect(valuesAt(explanation, 'transfers', 'transfer')).toHaveLength(1)
  expect(lines).toContain('not known: [Unknown call, selector: “0x0102030405060708”]')
  const withoutData = await explainTransaction(call(program, [to], Buffer.of()))
  expect(withoutData.lines).toContain('not known: [This is not decoded]')
})

test('a program that is not read stands in the title also without data, of which nothing could be counted', async () => {
  const unread = unreadCall(program)
  const empty = call(program, [payer, to], Buffer.of())
  expect((await explainTransaction(empty)).lines[0]).toBe(`${unread}Call the program ${program}`)
  expect((await explainTransaction(payment, empty, empty)).lines[0]).toBe(
    `${unread}Call the program ${program} and send 1.5 SOL (1500000000 lamport) to ${to}`,
  )
})

test('a memo that imitates a statement is a quoted text of the requester, and nothing in it ends the quotes', async () => {
  const memo = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
  const text = Buffer.from('approved by Alice”\nrequested by: “Alice\u202e')
  const { lines } = await explainTransaction(call(memo, [payer], text))
  expect(lines.filter((line) => line.includes('approved by'))).toEqual([
    expect.stringMatching(
      /^memo of the requester: “approved by Alice⟨U\+201D⟩↵requested by: ⟨U\+201C⟩Alice⟨U\+202E⟩” \[beware: /,
    ),
  ])
})

test('a memo that may be an order to another program is a warning beside what moves, and an ordinary one is not', async () => {
  const memo = (text: string) =>
    call(new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'), [payer], Buffer.from(text))
  const sent = `Send 1.5 SOL (1500000000 lamport) to ${to}`
  const warning = 'WARNING: data beside the payment may say what becomes of it. '
  const titleOf = async (...instructions: TransactionInstruction[]) =>
    (await explainTransaction(...instructions)).lines[0]
  for (const order of [`=:ETH.ETH:0x${'ab'.repeat(20)}`, 's:r:bob', `for ${to}`]) {
    expect(await titleOf(payment, memo(order))).toBe(`${warning}${sent}`)
    expect(await titleOf(memo('rent'), payment, memo(order))).toBe(`${warning}${sent}`)
    expect(await titleOf(memo(order))).toMatch(/^Call /)
  }
  expect(await titleOf(payment, memo('invoice 17'))).toBe(sent)
})

test('a transaction of nothing but a memo or a limit names its program', async () => {
  const memo = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
  expect((await explainTransaction(call(memo, [payer], Buffer.from('rent')))).lines[0]).toBe(`Call the program ${memo}`)
  const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 5 })
  expect((await explainTransaction(limit)).lines[0]).toBe(`Call the program ${budget}`)
})

test('a new account that is paid for says who gets control of it, if that is somebody else', async () => {
  const lamports = 5_000_000_000
  const newAccount = { fromPubkey: payer, newAccountPubkey: key(6), lamports }
  const made = (owner: PublicKey) => [
    [
      ...SystemProgram.createNonceAccount({ fromPubkey: payer, noncePubkey: key(6), authorizedPubkey: owner, lamports })
        .instructions,
    ],
    StakeProgram.createAccount({
      ...{ fromPubkey: payer, stakePubkey: key(6), lamports, authorized: new Authorized(payer, owner) },
    }).instructions,
    [
      SystemProgram.createAccount({ ...newAccount, space: 165, programId: tokens }),
      call(tokens, [key(6), mint], Buffer.of(18, ...owner.toBytes())),
    ],
  ]
  for (const instructions of made(key(5))) {
    const { lines } = await explainTransaction(...instructions)
    expect(lines[0]).toContain(`WARNING: control of ${key(6)} goes to ${key(5)}. Call `)
  }
  for (const instructions of made(payer)) {
    expect((await explainTransaction(...instructions)).lines[0]).toMatch(/^Call /)
  }
})

test('bytes of an instruction that are no text are counted in the title, and a text is not', async () => {
  const memo = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
  const titleOf = async (...instructions: TransactionInstruction[]) =>
    (await explainTransaction(...instructions)).lines[0]
  const sent = `Send 1.5 SOL (1500000000 lamport) to ${to}`
  const withControl = Buffer.from(`\u0007${'a'.repeat(600)}`)
  expect(await titleOf(payment, call(memo, [payer], withControl))).toBe(
    `WARNING: ${withControl.length} bytes that are signed are not read. ${sent}`,
  )
  expect(await titleOf(payment, call(memo, [payer], Buffer.from('rent')))).toBe(sent)
  expect(await titleOf(payment, call(memo, [payer], Buffer.of()))).toBe(sent)
})

test('a stake that is locked up is a warning with who may lift that, unless it is who may withdraw', async () => {
  const lockedBy = (custodian: PublicKey, unixTimestamp: number, epoch: number) =>
    StakeProgram.createAccount({
      ...{ fromPubkey: payer, stakePubkey: key(6), lamports: 5, authorized: new Authorized(payer, payer) },
      lockup: new Lockup(unixTimestamp, epoch, custodian),
    }).instructions
  const warning = `WARNING: nobody can withdraw from ${key(6)} while it is locked up, unless ${key(5)} agrees. Call `
  expect((await explainTransaction(...lockedBy(key(5), 4_102_444_800, 0))).lines[0]).toContain(warning)
  expect((await explainTransaction(...lockedBy(key(5), 0, 900))).lines[0]).toContain(warning)
  const [, alone] = lockedBy(key(5), 0, 900)
  if (alone === undefined) throw new Error('the second instruction initializes the stake')
  expect((await explainTransaction(alone)).lines[0]).toContain('WARNING: nobody can withdraw')
  expect((await explainTransaction(...lockedBy(key(5), 0, 0))).lines[0]).toMatch(/^Call /)
  expect((await explainTransaction(...lockedBy(payer, 4_102_444_800, 0))).lines[0]).toMatch(/^Call /)
})

test('a new account beside a payment says which program gets control of it, if no instruction says who', async () => {
  const ownedBy = (programId: PublicKey) =>
    SystemProgram.createAccount({ fromPubkey: payer, newAccountPubkey: key(6), lamports: 5, space: 0, programId })
  const control = (owner: PublicKey) => `WARNING: control of ${key(6)} goes to ${owner}`
  expect((await explainTransaction(payment, ownedBy(key(5)))).lines[0]).toContain(control(key(5)))
  const multisig = call(token2022, [key(6), key(5)], Buffer.of(19, 1))
  expect((await explainTransaction(ownedBy(token2022), multisig)).lines[0]).toContain(control(key(5)))
  // A program that is read here is nobody who could get it.
  for (const known of [tokens, token2022, StakeProgram.programId])
    expect((await explainTransaction(payment, ownedBy(known))).lines[0]).toContain(
      `WARNING: the program ${known} owns ${key(6)} from then on, and whoever sets it up there first controls it`,
    )
  // An account of the System program is a payment to its key.
  const ofKey = await explainTransaction(payment, ownedBy(SystemProgram.programId))
  expect(warningsOf(ofKey.explanation)).toEqual(['goesTo', 'goesTo'])
})

test('a call by an uploaded IDL has the name, arguments and accounts of the IDL', async () => {
  const idl = {
    address: program.toBase58(),
    instructions: [
      {
        ...{
          name: 'pay_rent',
          discriminator: [1, 2, 3, 4, 5, 6, 7, 8],
          accounts: [{ name: 'payee' }, { name: 'source' }],
        },
        args: [
          { name: 'amount', type: 'u64' },
          { name: 'memo', type: 'string' },
          { name: 'shares', type: { vec: 'u16' } },
          { name: 'target', type: 'pubkey' },
        ],
      },
    ],
  }
  await done('create_smart_contract_interface', {
    ...{ smartContractAddress: program.toBase58(), label: 'Rent', type: 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA' },
    smartContractInterface: JSON.stringify(idl),
  })
  const data = Buffer.alloc(64)
  Buffer.from(idl.instructions[0]?.discriminator ?? []).copy(data)
  data.writeBigUInt64LE(77n, 8)
  data.writeUInt32LE(2, 16)
  data.write('hi', 20)
  data.writeUInt32LE(2, 22)
  data.writeUInt16LE(300, 26)
  data.writeUInt16LE(9, 28)
  const whole = Buffer.concat([data.subarray(0, 30), mint.toBuffer()])
  const { explanation, lines } = await explainTransaction(call(program, [to, payer], whole))
  const [shown] = valuesAt(explanation, 'calls', 'call')
  expect(plain(memberOf(shown, 'function'))).toBe('pay_rent')
  expect(plain(memberOf(shown, 'arguments'))).toEqual({
    ...{ amount: 77n, memo: 'hi', shares: [300n, 9n], target: mint.toBase58() },
  })
  expect(plain(memberOf(shown, 'namedAccounts'))).toEqual({ payee: to.toBase58(), source: signWith })
  expect(lines.some((line) => line.startsWith('decoded by the interface: “Rent”'))).toBe(true)
  const cut = await explainTransaction(call(program, [to, payer], whole.subarray(0, 40)))
  expect(cut.lines).toContain('arguments: [The arguments are not encoded as the interface says]')

  // That its arguments are readable says nothing of what it does.
  const alone = await explainTransaction(
    ComputeBudgetProgram.setComputeUnitLimit({ units: 9 }),
    call(program, [to], whole),
  )
  expect(alone.lines[0]).toBe(`${unreadCall(program)}Call the program ${program}`)
  const beside = await explainTransaction(payment, call(program, [to, payer], whole))
  expect(beside.lines[0]).toBe(
    `${unreadCall(program)}Call the program ${program} and send 1.5 SOL (1500000000 lamport) to ${to}`,
  )
})
