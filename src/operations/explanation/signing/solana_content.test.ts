import {
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { expect, test } from 'vitest'
import { parseSolanaTransaction } from '../../../policy/transactions/solana/solana.ts'
import { solanaStruct } from '../../../policy/transactions/solana/solana_struct.ts'
import { finished } from '../../../protocol/tools/steps.ts'
import { titleLine } from '../plain_lines.ts'
import { address } from '../values.ts'
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

function titleOf(...instructions: readonly TransactionInstruction[]): string {
  const message = new TransactionMessage({
    payerKey: payer,
    recentBlockhash: key(9).toBase58(),
    instructions: [...instructions],
  }).compileToV0Message()
  const bytes = new VersionedTransaction(message).serialize()
  const { struct: tx } = finished(solanaStruct(parseSolanaTransaction(bytes).message, new Map()))
  const { title } = solanaContent({ tx, interfaces: [], from: address })
  return titleLine(title).replaceAll('\u00a0', '')
}

test('a payment that opens the account of its recipient has the title of a payment', () => {
  const payment = titleOf(transfer)
  expect(payment).toMatch(new RegExp(`^Send 5 .*${mint}.* to ${to}$`))
  for (const data of [[], [0], [1]]) expect(titleOf(unitLimit, opening(to, data), transfer)).toBe(payment)
})

test('an account of somebody else, and one that nothing is sent to, are calls of the program', () => {
  const called = `Call the program ${associatedToken}`
  const sent = `${called} and send 5 of the smallest unit of the token ${mint}`
  expect(titleOf(opening(key(6)), transfer)).toBe(sent)
  expect(titleOf(opening(to))).toBe(called)
  expect(titleOf(unitLimit, opening(to))).toBe(called)
  // `RecoverNested` moves tokens.
  expect(titleOf(opening(to, [2]), transfer)).toBe(sent)
})
