import {
  ComputeBudgetInstruction,
  ComputeBudgetProgram,
  PublicKey,
  SystemInstruction,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import { expect, test } from 'vitest'
import { explaining, memberOf, plain, valuesAt } from '../support/explanations.ts'
import { newAccount, startOrganization } from '../support/organization.ts'

const organization = await startOrganization()
const { done } = organization
const explain = explaining(organization)
const { addresses } = await done('create_wallet', {
  walletName: 'Treasury',
  accounts: [newAccount({ curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' })],
})
const signWith = String(addresses[0])
const payer = new PublicKey(signWith)
const key = (index: number) => new PublicKey(new Uint8Array(32).fill(index))
const [to, mint, program] = [key(2), key(4), key(8)]
const token2022 = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
const tokens = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')

function explainTransaction(...instructions: TransactionInstruction[]) {
  const recentBlockhash = key(9).toBase58()
  const message = new TransactionMessage({ payerKey: payer, recentBlockhash, instructions }).compileToV0Message()
  const unsignedTransaction = Buffer.from(new VersionedTransaction(message).serialize()).toString('hex')
  return explain('sign_transaction', { signWith, type: 'TRANSACTION_TYPE_SOLANA', unsignedTransaction })
}

const call = (programId: PublicKey, keys: readonly PublicKey[], data: Buffer) =>
  new TransactionInstruction({
    ...{ programId, data },
    keys: keys.map((pubkey) => ({ pubkey, isSigner: pubkey.equals(payer), isWritable: true })),
  })

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
  expect(lines).toContain(`fee payer: “Treasury” (${signWith})`)
  expect(lines).toContain('fee: [The signed content does not say this]')
})

test('a price of compute units is shown as the most that it costs', async () => {
  const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 2n ** 40n })
  const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 200_001 })
  const { microLamports } = ComputeBudgetInstruction.decodeSetComputeUnitPrice(price)
  const { units } = ComputeBudgetInstruction.decodeSetComputeUnitLimit(limit)
  const feeOf = (most: number) => (BigInt(most) * BigInt(microLamports) + 999_999n) / 1_000_000n
  const { explanation, lines } = await explainTransaction(limit, price, payment)
  expect(lines[0]).toMatch(/^Send 1.5 SOL /)
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
  expect(lines[0]).toBe(
    `Send 18446744073709551615 of the smallest unit of the token ${mint.toBase58()} to ${to.toBase58()}`,
  )
  expect(plain(valuesAt(explanation, 'transfers', 'transfer')[0])).toMatchObject({ amount: 2n ** 64n - 1n })
  const [shown] = valuesAt(explanation, 'calls', 'call').map(plain)
  expect(shown).toMatchObject({ amount: 2n ** 64n - 1n, withheldFee: 12_345n, decimals: 9n, token: mint.toBase58() })
  expect(lines).toContain('fee that is withheld from the amount: 12345 of the smallest unit')

  for (const other of [data.subarray(0, 18), Buffer.concat([Buffer.of(26, 0), data.subarray(2)])]) {
    const { lines: unread } = await explainTransaction(call(token2022, accounts, other))
    expect(unread[0]).toBe(`Call the program ${token2022.toBase58()}`)
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

test('a transfer beside another call is no payment in the title, and an unknown call shows its first bytes', async () => {
  const data = Buffer.from('0102030405060708090a', 'hex')
  const { explanation, lines } = await explainTransaction(payment, call(program, [to], data))
  expect(lines[0]).toBe(`Call the program ${program.toBase58()}`)
  expect(valuesAt(explanation, 'transfers', 'transfer')).toHaveLength(1)
  expect(lines).toContain('not known: [Unknown call, selector: “0x0102030405060708”]')
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
})
