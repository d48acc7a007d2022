import { expect, test } from 'vitest'
import { bitcoinMainnet } from '../../../protocol/chains/address_formats.ts'
import { addressOfScript, ownScript, scriptKinds } from '../../transactions/bitcoin/bitcoin_scripts.ts'
import { computeBudgetProgram } from '../../transactions/solana/read_instruction.ts'
import { budgetFeesOf, readCall } from '../../transactions/solana/solana_calls.ts'
import { type AskedOfField, areNeverTogether } from './fields_together.ts'
import { numbersAmong, textsAmong } from './possible_values.ts'

/** Whether the fields of a struct never have these values together. */
function areApart(struct: string, fields: Readonly<Record<string, string | bigint>>): boolean {
  const asked = new Map<string, AskedOfField>(
    Object.entries(fields).map(([name, value]) => {
      const values = typeof value === 'bigint' ? numbersAmong([value]) : textsAmong([value])
      return [`${struct}.${name}`, { values, isSoBeyond: false }]
    }),
  )
  return [...asked.keys()].some((place) => areNeverTogether(place, (one) => asked.get(one)))
}

test('an output as it is read is none that the format excludes, and one with a field of another is', () => {
  const publicKey = Buffer.from('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex')
  const read = scriptKinds.map((kind) => {
    const { script } = ownScript(kind, publicKey)
    const found = addressOfScript(script, bitcoinMainnet)
    return {
      address_type: String(found?.kind),
      address: String(found?.address),
      script_pubkey: Buffer.from(script).toString('hex'),
    }
  })
  const outputs = [...read, { address_type: '', address: '', script_pubkey: '6a0401020304' }]
  for (const output of outputs) {
    expect(areApart('bitcoin.tx.outputs[0]', output)).toBe(false)
    for (const other of outputs.filter((one) => one !== output)) {
      expect(areApart('bitcoin.tx.outputs[@1]', { ...output, address_type: other.address_type })).toBe(true)
      expect(areApart('bitcoin.tx.outputs[@1]', { ...output, script_pubkey: other.script_pubkey })).toBe(true)
    }
  }
})

test('the fee of Solana as it is read is none that its price and limit exclude', () => {
  const numberOf = (prefix: number, value: bigint, bytes: number) => {
    const data = Buffer.alloc(1 + 8)
    data[0] = prefix
    data.writeBigUInt64LE(value, 1)
    return readCall({ program: computeBudgetProgram, accounts: [], data: data.subarray(0, 1 + bytes) })
  }
  for (const limit of [0n, 1n, 200_000n, 4_000_000n])
    for (const price of [0n, 1n, 1_000_000n, 2n ** 64n - 1n]) {
      const fees = budgetFeesOf([numberOf(2, limit, 4), numberOf(3, price, 8)])
      const fields = {
        compute_unit_limit: fees.computeUnitLimit,
        compute_unit_price: fees.microLamportsPerComputeUnit,
        priority_fee: fees.priorityFeeLamports,
      }
      expect(areApart('solana.tx', fields)).toBe(false)
      expect(areApart('solana.tx', { ...fields, priority_fee: fees.priorityFeeLamports === 0n ? 1n : 0n })).toBe(true)
    }
})
