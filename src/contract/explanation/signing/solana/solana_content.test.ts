import {
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memberOf } from '../../../../../test/support/explanations.ts'
import { generatedRuns } from '../../../../../test/support/generated_runs.ts'
import { builtInPrograms } from '../../../../policy/transactions/solana/read_instruction.ts'
import { solanaStruct } from '../../../../policy/transactions/solana/solana_struct.ts'
import { parseSolanaTransaction } from '../../../../policy/transactions/solana/solana_transaction.ts'
import { finished } from '../../../../protocol/tools/steps.ts'
import type { Value } from '../../explanation.ts'
import { address } from '../../shown_values.ts'
import { titleLine } from '../../texts/plain_lines.ts'
import { solanaContent } from './solana_content.ts'

const key = (index: number) => new PublicKey(new Uint8Array(32).fill(index))
const token = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const associatedToken = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
const budget = new PublicKey('ComputeBudget111111111111111111111111111111')
const payer = key(1)
const from = key(2)
const to = key(3)
const mint = key(4)
const recipient = key(5)

const call = (programId: PublicKey, keys: readonly PublicKey[], data: readonly number[]) =>
  new TransactionInstruction({
    programId,
    keys: keys.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
    data: Buffer.from(data),
  })

const opening = (account: PublicKey, data: readonly number[] = []) =>
  call(associatedToken, [payer, account, recipient, mint, SystemProgram.programId, token], data)
/** `TransferChecked` of 5 with two decimals. */
const transfer = call(token, [from, mint, to, payer], [12, 5, 0, 0, 0, 0, 0, 0, 0, 2])
const unitLimit = call(budget, [], [2, 1, 0, 0, 0])

function explained(...instructions: readonly TransactionInstruction[]) {
  const message = new TransactionMessage({
    payerKey: payer,
    recentBlockhash: key(9).toBase58(),
    instructions: [...instructions],
  }).compileToV0Message()
  const bytes = new VersionedTransaction(message).serialize()
  const { struct: tx } = finished(solanaStruct(parseSolanaTransaction(bytes).message, new Map()))
  return { tx, ...solanaContent({ tx, interfaces: [], from: address, signer: { publicKey: payer.toBytes() } }) }
}

function titleOf(...instructions: readonly TransactionInstruction[]): string {
  return titleLine(explained(...instructions).title).replaceAll('\u00a0', '')
}

test('a payment that opens the account of its recipient has the title of a payment', () => {
  const payment = titleOf(transfer)
  expect(payment).toMatch(new RegExp(`^Send 5 .*${mint}.* to ${to}$`))
  for (const data of [[], [0], [1]]) expect(titleOf(unitLimit, opening(to, data), transfer)).toBe(payment)
})

test('an account of somebody else, and one that nothing is sent to, are calls of the program', () => {
  const called = `Call the program ${associatedToken}`
  const sent = `${called} and send 5 of the smallest unit of the token ${mint} to ${to}`
  expect(titleOf(opening(key(6)), transfer)).toBe(sent)
  expect(titleOf(opening(to))).toBe(called)
  expect(titleOf(unitLimit, opening(to))).toBe(called)
  // `RecoverNested` moves tokens.
  expect(titleOf(opening(to, [2]), transfer)).toBe(sent)
})

const programs = [...builtInPrograms.keys()].map((program) => new PublicKey(program))
const beginnings = [...builtInPrograms.values()].flatMap(({ forms }) => forms.map(({ prefix }) => [...prefix]))
const instruction = fc
  .tuple(
    fc.constantFrom(...programs),
    fc.array(fc.constantFrom(...[10, 11, 12, 13].map(key)), { maxLength: 8 }),
    fc.constantFrom(...beginnings, [255, 4, 9, 3, 5, 0, 0, 0, 0, 0, 0, 0]),
    fc.uint8Array({ maxLength: 20 }),
  )
  .map(([program, keys, prefix, rest]) => call(program, keys, [...prefix, ...rest]))

const mixed = fc.oneof(instruction, fc.constantFrom(transfer, unitLimit, opening(to)))

/** Whether the bytes may be part of a payment, by their first ones. */
function mayPay({ programId, data }: TransactionInstruction, index: number): boolean {
  const name = builtInPrograms.get(programId.toBase58())?.name
  const [first = 0, second] = data
  if (name === 'systemProgram') return first === 2 || first === 11 || (first === 4 && index === 0)
  if (name === 'tokenProgram') return [3, 12, 255].includes(first) || (first === 26 && second === 1)
  if (name === 'associatedToken') return first < 2
  return name === 'computeBudget' || name === 'memo'
}

test('what is shown of transfers is what rules see, and a payment is nothing else', () => {
  const [amountIn, textIn] = [
    (value: Value | undefined) => (value?.kind === 'amount' ? BigInt(value.smallest) : undefined),
    (value: Value | undefined) => (value?.kind === 'address' ? value.address : undefined),
  ]
  const structs = (value: unknown) => value as readonly Readonly<Record<'from' | 'to' | 'amount', unknown>>[]
  let payments = 0
  fc.assert(
    fc.property(fc.array(mixed, { minLength: 1, maxLength: 3 }), (instructions) => {
      const { tx, title, sections } = explained(...instructions)
      const rows = sections.flatMap(({ kind, rows }) => (kind === 'transfers' ? rows : []))
      const shown = rows.map(({ value }) => ({
        from: textIn(memberOf(value, 'from')),
        to: textIn(memberOf(value, 'to')),
        amount: amountIn(memberOf(value, 'amount')),
      }))
      const seen = [...structs(tx.lamport_transfers), ...structs(tx.spl_transfers)]
      expect(shown).toEqual(seen.map(({ from, to, amount }) => ({ from, to, amount })))
      if (!title.code.startsWith('send')) return
      payments += 1
      expect(instructions.every(mayPay)).toBe(true)
    }),
    { numRuns: 20 * generatedRuns },
  )
  expect(payments).toBeGreaterThan(10)
})
