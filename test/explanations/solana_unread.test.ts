import { PublicKey } from '@solana/web3.js'
import { expect, test } from 'vitest'
import { explainingSolana, keyOf as key, token2022, unreadCall } from '../support/explaining_solana.ts'
import { warningsOf } from '../support/explanations.ts'

/** Calls of Solana that are not read here: what is said of them does not depend on what somebody uploads. */

const { payer, done, explainTransaction, call } = await explainingSolana()
const [program, eve] = [key(8), key(3)]
const memo = call(new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'), [], Buffer.from('hi'))

const upload = (address: PublicKey, instruction: object) =>
  done('create_smart_contract_interface', {
    ...{ smartContractAddress: `${address}`, label: 'Rewards', type: 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA' },
    smartContractInterface: JSON.stringify({ instructions: [instruction] }),
  })

test('a call of a program that is not read has the same warning with an IDL as without one, alone and beside a memo', async () => {
  const discriminator = [1, 2, 3, 4, 5, 6, 7, 8]
  const checkIn = call(program, [payer, eve], Buffer.from(discriminator))
  const before = await explainTransaction(checkIn)
  expect(before.lines[0]).toBe(`${unreadCall(program, { more: 1 })}Call the program ${program}`)
  await upload(program, {
    name: 'check_in',
    discriminator,
    accounts: [{ name: 'visitor' }, { name: 'book' }],
    args: [],
  })
  const alone = await explainTransaction(checkIn)
  expect(alone.lines[0]).toBe(`${unreadCall(program)}Call the program ${program}`)
  const beside = await explainTransaction(checkIn, memo)
  expect(warningsOf(beside.explanation)).toEqual(['unreadProgram'])
})

test('an instruction of a built-in program that is not read has the warning too, whatever an IDL calls it', async () => {
  const number = 200
  const unknown = call(token2022, [key(5), payer], Buffer.from([number, ...eve.toBytes()]))
  expect((await explainTransaction(unknown)).lines[0]).toContain(unreadCall(token2022, { more: 1 }))
  await upload(token2022, {
    ...{ name: 'refresh', discriminator: [number], accounts: [{ name: 'cache' }] },
    args: [{ name: 'ref', type: 'pubkey' }],
  })
  expect((await explainTransaction(unknown)).lines[0]).toBe(`${unreadCall(token2022)}Call the program ${token2022}`)
})
