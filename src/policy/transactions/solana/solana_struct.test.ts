import {
  AddressLookupTableAccount,
  TransactionInstruction as Instruction,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { expect, test } from 'vitest'
import { finished } from '../../../protocol/tools/steps.ts'
import { borshValuesMax } from '../../contracts/solana/borsh_values.ts'
import type { Interfaces } from '../transaction_kind.ts'
import { parseSolanaTransaction } from './solana.ts'
import { solanaStruct } from './solana_struct.ts'

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
    spl_transfers: [],
    address_table_lookups: [],
  })
})

test('an account from a lookup table is named as such everywhere', () => {
  const transfer = SystemProgram.transfer({ fromPubkey: payer, toPubkey: to, lamports: 5 })
  const lookup = { address_table_key: tableKey.toBase58(), writable_indexes: [1n], readonly_indexes: [] }
  expect(structOf([transfer], [table])).toMatchObject({
    account_keys: [payer.toBase58(), system.toBase58()],
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

const seen = { from: payer, to, amount: 5n, owner, signers: [owner], token_mint: mint }
for (const [claim, instruction, expected] of [
  ['Transfer', call(token, [payer, to, owner], [3, ...five]), [{ ...seen, token_mint: undefined }]],
  [
    'Transfer of a multisig',
    call(token, [payer, to, owner, member, key(8)], [3, ...five]),
    [{ ...seen, token_mint: undefined, signers: [member, key(8)] }],
  ],
  ['TransferChecked', call(token, [payer, mint, to, owner], [12, ...five, 6]), [seen]],
  ['TransferCheckedWithFee', call(token2022, [payer, mint, to, owner], [26, 1, ...five, 6, ...five]), [seen]],
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
    { parsed_instruction_data: undefined },
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
  const unknown = [{ parsed_instruction_data: undefined }]
  expect(read(idlOf('amount'), idlOf('amount', { docs: ['Pays.'] }))).toMatchObject(known)
  expect(read(idlOf('amount'), idlOf('memo', { discriminator: [8] }))).toMatchObject(known)
  expect(read(idlOf('amount'), idlOf('memo'))).toMatchObject(unknown)
  expect(read(idlOf('amount', { discriminator: [7, 5] }), idlOf('amount'))).toMatchObject(unknown)
})
