import { type PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js'
import { expect, test } from 'vitest'
import { explainingSolana, keyOf as key, tokens } from '../support/explaining_solana.ts'

/** Who approves for many accounts sees by its name which of them a transaction is about. */

const { payer, explainTransaction, shown, call: callWith } = await explainingSolana()
const [eve, account, nonce] = [key(5), key(6), key(7)]
const own = shown(payer)

const call = (programId: PublicKey, keys: readonly PublicKey[], ...data: readonly number[]) =>
  callWith(programId, keys, Buffer.from(data))
const linesOf = async (...instructions: TransactionInstruction[]) => (await explainTransaction(...instructions)).lines
const titleOf = async (...instructions: TransactionInstruction[]) => (await linesOf(...instructions))[0]
const payment = SystemProgram.transfer({ fromPubkey: payer, toPubkey: eve, lamports: 1_500_000_000n })
const assign = SystemProgram.assign({ accountPubkey: payer, programId: eve })

test('the own account has its name in titles and in warnings', async () => {
  expect(await titleOf(assign)).toBe(`Give control of ${own} to ${eve}`)
  expect(await titleOf(payment, assign)).toContain(`WARNING: control of ${own} itself goes to ${eve}. `)
  const allocate = SystemProgram.allocate({ accountPubkey: payer, space: 8 })
  expect(await titleOf(payment, allocate)).toContain(`WARNING: ${own} itself gets data, so its key can move`)
  const approve = call(tokens, [account, payer, payer], 4, 5, 0, 0, 0, 0, 0, 0, 0)
  expect((await linesOf(payment, approve)).join('\n')).toContain(`${own} may spend 5 of the smallest unit`)
  const back = SystemProgram.nonceWithdraw({
    noncePubkey: nonce,
    authorizedPubkey: payer,
    toPubkey: payer,
    lamports: 7,
  })
  expect(await titleOf(back)).toBe(`Withdraw 0.000000007 SOL (7 lamport) from ${nonce} to ${own}`)
})

test('the own account has its name where it is the authority over a durable nonce', async () => {
  const advance = SystemProgram.nonceAdvance({ noncePubkey: nonce, authorizedPubkey: payer })
  expect(await linesOf(advance, payment)).toContain(`nonce authority: ${own}`)
})

test('no other account has the name of the own one', async () => {
  expect(await titleOf(payment)).toBe(`Send 1.5 SOL (1500000000 lamport) to ${eve}`)
})
