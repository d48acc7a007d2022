import {
  AddressLookupTableAccount,
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  TransactionInstruction as Instruction,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
  VoteProgram,
} from '@solana/web3.js'
import { expect, test } from 'vitest'
import { finished } from '../../../protocol/tools/steps.ts'
import { borshValuesMax } from '../../contracts/solana/borsh_values.ts'
import { structsIn } from '../../language/expression_values.ts'
import type { Interfaces } from '../transaction_kind.ts'
import { callsOfStruct } from './solana_calls.ts'
import { solanaStruct } from './solana_struct.ts'
import { parseSolanaTransaction } from './solana_transaction.ts'

const key = (index: number) => new PublicKey(new Uint8Array(32).fill(index))
const [payer, to, mint, owner, member, tableKey] = [1, 2, 3, 4, 5, 6].map(key) as [
  PublicKey,
  PublicKey,
  PublicKey,
  PublicKey,
  PublicKey,
  PublicKey,
]
const token = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const token2022 = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
const loader = new PublicKey('BPFLoaderUpgradeab1e11111111111111111111111')
const table = new AddressLookupTableAccount({
  key: tableKey,
  state: {
    deactivationSlot: 2n ** 64n - 1n,
    lastExtendedSlot: 0,
    lastExtendedSlotStartIndex: 0,
    addresses: [key(7), to],
  },
})

function structOf(
  instructions: readonly TransactionInstruction[],
  tables: AddressLookupTableAccount[] = [],
  idls: Interfaces = new Map(),
) {
  const message = new TransactionMessage({
    payerKey: payer,
    recentBlockhash: key(9).toBase58(),
    instructions: [...instructions],
  }).compileToV0Message(tables)
  return finished(solanaStruct(parseSolanaTransaction(new VersionedTransaction(message).serialize()).message, idls))
    .struct
}

const system = SystemProgram.programId
const call = (programId: PublicKey, keys: readonly PublicKey[], data: readonly number[]) =>
  new Instruction({
    programId,
    keys: keys.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
    data: Buffer.from(data),
  })
const five = [5, 0, 0, 0, 0, 0, 0, 0]

test('solana.tx of a transfer', () => {
  const text = (publicKey: PublicKey) => publicKey.toBase58()
  const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: to, lamports: 5 })
  expect(structOf([transfer])).toStrictEqual({
    account_keys: [text(payer), text(to), text(system)],
    program_keys: [text(system)],
    recent_blockhash: text(key(9)),
    instructions: [
      {
        program_key: text(system),
        accounts: [
          { account_key: text(payer), signer: true, writable: true },
          { account_key: text(to), signer: false, writable: true },
        ],
        instruction_data_hex: '020000000500000000000000',
        address_table_lookups: [],
        parsed_instruction_data: undefined,
      },
    ],
    transfers: [{ from: text(payer), to: text(to), amount: 5n }],
    lamport_transfers: [{ instruction_name: 'Transfer', from: text(payer), to: text(to), amount: 5n }],
    spl_transfers: [],
    address_table_lookups: [],
    priority_fee: 0n,
    compute_unit_price: 0n,
    compute_unit_limit: 1_400_000n,
  })
})

test('an account from a lookup table is named as such everywhere', () => {
  const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: to, lamports: 5 })
  const lookup = { address_table_key: tableKey.toBase58(), writable_indexes: [1n], readonly_indexes: [] }
  expect(structOf([transfer], [table])).toMatchObject({
    account_keys: [payer.toBase58(), system.toBase58(), 'ADDRESS_TABLE_LOOKUP'],
    instructions: [
      {
        accounts: [
          { account_key: payer.toBase58(), signer: true, writable: true },
          { account_key: 'ADDRESS_TABLE_LOOKUP', signer: false, writable: true },
        ],
        address_table_lookups: [lookup],
      },
    ],
    transfers: [{ from: payer.toBase58(), to: 'ADDRESS_TABLE_LOOKUP', amount: 5n }],
    address_table_lookups: [{ address_table_key: tableKey.toBase58(), writable_indexes: [1n], readonly_indexes: [] }],
  })
})

for (const [claim, instruction, count] of [
  ['a tail that the program ignores hides no transfer', call(system, [payer, to], [2, 0, 0, 0, ...five, 1]), 1],
  ['another instruction of the System program is none', call(system, [payer, to], [3, 0, 0, 0, ...five]), 0],
  ['one without a recipient fails on the chain', call(system, [payer], [2, 0, 0, 0, ...five]), 0],
  ['one without its amount fails on the chain', call(system, [payer, to], [2, 0, 0, 0, 5]), 0],
] as const) {
  test(`transfers: ${claim}`, () => {
    expect(structOf([instruction]).transfers).toHaveLength(count)
  })
}

const seen = { from: payer, to, amount: 5n, owner, signers: [owner], token_mint: mint, withheld_fee: 0n }
for (const [claim, instruction, expected] of [
  ['Transfer', call(token, [payer, to, owner], [3, ...five]), [{ ...seen, token_mint: undefined }]],
  [
    'Transfer of a multisig',
    call(token, [payer, to, owner, member, key(8)], [3, ...five]),
    [{ ...seen, token_mint: undefined, signers: [member, key(8)] }],
  ],
  ['TransferChecked', call(token, [payer, mint, to, owner], [12, ...five, 6]), [seen]],
  [
    'TransferCheckedWithFee',
    call(token2022, [payer, mint, to, owner], [26, 1, ...five, 6, ...five]),
    [{ ...seen, withheld_fee: 5n }],
  ],
  ['a fee that ends early', call(token2022, [payer, mint, to, owner], [26, 1, ...five, 6, 5]), []],
  ['a tail hides no transfer', call(token, [payer, mint, to, owner], [12, ...five, 6, 0]), [seen]],
  ['another extension with a fee', call(token2022, [payer, mint, to, owner], [26, 2, ...five]), []],
  ['Approve', call(token, [payer, to, owner], [4, ...five]), []],
  ['another program', call(key(8), [payer, to, owner], [3, ...five]), []],
  ['an amount that ends early', call(token, [payer, to, owner], [3, 5]), []],
  ['an account too few', call(token, [payer, mint, to], [12, ...five, 6]), []],
] as const) {
  test(`spl_transfers: ${claim}`, () => {
    const text = (value: unknown): unknown =>
      value instanceof PublicKey ? value.toBase58() : Array.isArray(value) ? value.map(text) : value
    const plain = expected.map((transfer) =>
      Object.fromEntries(Object.entries(transfer).map(([name, value]) => [name, text(value)])),
    )
    expect(structOf([instruction]).spl_transfers).toStrictEqual(plain)
  })
}

const price = (units: bigint) => ComputeBudgetProgram.setComputeUnitPrice({ microLamports: units })
const limit = (units: number) => ComputeBudgetProgram.setComputeUnitLimit({ units })
const withTail = ({ programId, keys, data }: TransactionInstruction, bytes: number) =>
  new Instruction({ programId, keys, data: Buffer.concat([data, Buffer.alloc(bytes, 0xee)]) })

for (const [claim, instructions, fee] of [
  ['no price costs nothing', [limit(200_000)], 0n],
  ['a price without a limit is that of 1,400,000 units', [price(2_000_000n)], 2_800_000n],
  ['a part of a lamport is a lamport', [limit(1), price(1n)], 1n],
  ['a greater limit is lowered', [limit(2_000_000), price(1_000_000n)], 1_400_000n],
  ...[1, 2, 8, 100].map(
    (tail) =>
      [
        `a tail of ${tail} bytes is ignored, as by the runtime`,
        [withTail(limit(100), tail), withTail(price(1_000_000n), tail)],
        100n,
      ] as const,
  ),
  ['of two limits of one kind the greater holds', [limit(9), limit(7), price(1_000_000n), price(1n)], 9n],
  ['a price that cannot be read may be any', [call(ComputeBudgetProgram.programId, [], [3, 1])], 2n ** 64n - 1n],
  [
    'so may an instruction of the budget that nobody knows',
    [call(ComputeBudgetProgram.programId, [], [9])],
    2n ** 64n - 1n,
  ],
  ['no lamports are above 64 bits', [price(2n ** 64n - 1n)], 2n ** 64n - 1n],
] as const) {
  test(`priority_fee: ${claim}`, () => {
    expect(structOf([...instructions]).priority_fee).toBe(fee)
  })
}

test('lamport_transfers: everything of the message that moves lamports', () => {
  const [fromPubkey, basePubkey, programId, seed] = [payer, owner, key(8), 'seed']
  const struct = structOf([
    SystemProgram.createAccount({ fromPubkey, newAccountPubkey: to, lamports: 1, space: 2, programId }),
    SystemProgram.createAccountWithSeed({
      ...{ fromPubkey, newAccountPubkey: member, basePubkey, seed, lamports: 2, space: 3, programId },
    }),
    SystemProgram.nonceWithdraw({ noncePubkey: member, authorizedPubkey: owner, toPubkey: to, lamports: 3 }),
    SystemProgram.transfer({ fromPubkey: member, basePubkey, toPubkey: to, lamports: 4, seed, programId }),
    call(system, [to, payer], [13, 0, 0, 0, ...five, ...five, ...programId.toBytes()]),
    call(token, [member, to, owner], [9]),
    call(token, [member, to, owner], [45, 1, ...five]),
    call(token, [member, to, owner], [45, 0]),
    call(token2022, [member, to, owner], [38]),
    ...VoteProgram.withdraw({ votePubkey: member, authorizedWithdrawerPubkey: owner, toPubkey: to, lamports: 6 })
      .instructions,
    AddressLookupTableProgram.closeLookupTable({ lookupTable: member, authority: owner, recipient: to }),
    // Agave's loader drains the buffer, its account 3, to the payer, its account 0, and Firedancer's does so too.
    call(loader, [to, programId, key(9), member, key(10), key(11), system, owner], [2, 0, 0, 0, ...five]),
    call(loader, [payer, programId, member, to, key(9), key(10), owner], [3, 0, 0, 0]),
    call(loader, [member, to, owner], [5, 0, 0, 0]),
  ])
  const moved = (instruction_name: string, from: PublicKey, target: PublicKey, amount?: bigint) => ({
    ...{ instruction_name, from: from.toBase58(), to: target.toBase58(), amount },
  })
  expect(struct.lamport_transfers).toStrictEqual([
    moved('CreateAccount', payer, to, 1n),
    moved('CreateAccountWithSeed', payer, member, 2n),
    moved('WithdrawNonceAccount', member, to, 3n),
    moved('TransferWithSeed', member, to, 4n),
    moved('CreateAccountAllowPrefund', payer, to, 5n),
    moved('CloseAccount', member, to),
    moved('UnwrapLamports', member, to, 5n),
    moved('UnwrapLamports', member, to),
    moved('WithdrawExcessLamports', member, to),
    moved('Withdraw', member, to, 6n),
    moved('CloseLookupTable', member, to),
    moved('DeployWithMaxDataLen', member, to),
    moved('Upgrade', member, to),
    moved('Close', member, to),
  ])
  // The interface calls only `Transfer` a transfer.
  expect(struct.transfers).toEqual([])
})

test('spl_transfers: those of a batch, which is not read if a part of it is not there', () => {
  const parts = [3, 9, 3, ...five, 4, 10, 12, ...five, 6]
  const accounts = [payer, to, owner, payer, mint, to, owner]
  const count = (data: readonly number[], keys = accounts) =>
    structOf([call(token, keys, [255, ...data])]).spl_transfers
  expect(count(parts)).toMatchObject([{ amount: 5n }, { amount: 5n, token_mint: mint.toBase58() }])
  expect(count(parts.slice(0, -1))).toEqual([])
  expect(count(parts, accounts.slice(0, -1))).toEqual([])
  expect(count([...parts, 0, 1, 255])).toEqual([])
})

test('instructions: a batch, what it consists of, and what follows it', () => {
  const approve = [3, 9, 4, ...five]
  const transfer = [4, 10, 12, ...five, 6]
  const batch = call(token, [payer, to, owner, payer, mint, to, owner], [255, ...approve, ...transfer])
  const next = call(token, [payer, to, owner], [3, ...five])
  const struct = structOf([batch, next, batch])
  const data = structsIn(struct.instructions).map((one) => String(one.instruction_data_hex).slice(0, 2))
  expect(data).toEqual(['ff', '04', '0c', '03', 'ff', '04', '0c'])
  expect(struct.instructions).toMatchObject([
    {},
    { program_key: token.toBase58(), accounts: [payer, to, owner].map((one) => ({ account_key: one.toBase58() })) },
    { accounts: [{}, {}, {}, {}] },
    {},
    {},
    {},
    {},
  ])
  // What is read from the struct has each of them once.
  expect(callsOfStruct(struct).map(({ batch: parts }) => parts.length)).toEqual([2, 0, 2])
  expect(structsIn(struct.spl_transfers).length).toBe(3)
})

test('with the IDL of its program a call has names, and so has a looked-up account', () => {
  const program = key(8)
  const idl = JSON.stringify({
    instructions: [
      {
        name: 'pay',
        discriminator: [7],
        accounts: [{ name: 'from' }, { name: 'to' }],
        args: [{ name: 'amount', type: 'u64' }],
      },
    ],
  })
  const instructions = [call(program, [payer, to], [7, ...five]), call(program, [], [8])]
  const struct = structOf(instructions, [table], new Map([[program.toBase58(), [idl]]]))
  expect(struct.instructions).toMatchObject([
    {
      parsed_instruction_data: {
        instruction_name: 'pay',
        discriminator: '07',
        named_accounts: new Map([
          ['from', payer.toBase58()],
          ['to', 'ADDRESS_TABLE_LOOKUP'],
        ]),
        program_call_args: new Map([['amount', 5n]]),
      },
    },
    { parsed_instruction_data: { is_unnamed: true } },
  ])
})

test('empty values, which take no bytes, are limited over all calls together', () => {
  const program = key(8)
  const empties = { vec: { defined: { name: 'Empty' } } }
  const idl = JSON.stringify({
    instructions: [{ name: 'fill', discriminator: [7], accounts: [], args: [{ name: 'a', type: empties }] }],
    types: [{ name: 'Empty', type: { kind: 'struct', fields: [] } }],
  })
  const half = [7, (borshValuesMax / 2) & 0xff, (borshValuesMax / 2) >> 8, 0, 0]
  const struct = structOf(
    [half, half].map((data) => call(program, [], data)),
    [],
    new Map([[program.toBase58(), [idl]]]),
  )
  expect(struct.instructions).toMatchObject([
    { parsed_instruction_data: { program_call_args: expect.any(Map) } },
    { parsed_instruction_data: { instruction_name: 'fill', program_call_args: undefined } },
  ])
})

test('with several IDLs of a program, a call about which two contradict each other has no names', () => {
  const program = key(8)
  const idlOf = (amount: string, more: object = {}) =>
    JSON.stringify({
      instructions: [{ name: 'pay', discriminator: [7], accounts: [], args: [{ name: amount, type: 'u64' }], ...more }],
    })
  const read = (...idls: readonly string[]) => {
    const { instructions } = structOf([call(program, [], [7, ...five])], [], new Map([[program.toBase58(), idls]]))
    return instructions
  }
  const known = [{ parsed_instruction_data: { program_call_args: new Map([['amount', 5n]]) } }]
  const unknown = [{ parsed_instruction_data: { is_unnamed: true } }]
  expect(read(idlOf('amount'), idlOf('amount', { docs: ['Pays.'] }))).toMatchObject(known)
  expect(read(idlOf('amount'), idlOf('memo', { discriminator: [8] }))).toMatchObject(known)
  expect(read(idlOf('amount'), idlOf('memo'))).toMatchObject(unknown)
  expect(read(idlOf('amount', { discriminator: [7, 5] }), idlOf('amount'))).toMatchObject(unknown)
})
