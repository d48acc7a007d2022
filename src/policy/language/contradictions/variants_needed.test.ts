import { describe, expect, test } from 'vitest'
import { realRequests } from '../../../../test/support/signing_facts.ts'
import { builtInPrograms } from '../../transactions/solana/read_instruction.ts'
import { tronContractFields } from '../../transactions/tron/tron_transaction.ts'
import { check } from '../checking/check.ts'
import { isStruct, valueAt } from '../expression_values.ts'
import { solanaLamportMoves } from '../names/payload_types.ts'
import { movesWithoutAmount, tronFieldsByType } from '../names/variants.ts'
import { parse } from '../reading/parse.ts'
import { wordsNeverTogether } from './words_together.ts'

const address = "'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'"
const recipient = "'0x1f9090aae28b8a3dceadf281b0f12828e676c326'"

function problemsOf(text: string): readonly string[] {
  return check(parse(text), 'condition', text).neverEqual.map(({ offset, message }) => `${offset + 1}: ${message}`)
}

describe('fields and words that no variant of a transaction has together are named', () => {
  const types = '; with eth.tx.max_fee_per_gas, eth.tx.type is TYPE_2, TYPE_3, TYPE_4'
  const apart = (one: string, other: string, hint = '') => `no request has both ${one} and ${other}${hint}`
  test.each([
    [
      "eth.tx.type == 'LEGACY' && eth.tx.max_fee_per_gas > 5",
      16,
      apart('eth.tx.max_fee_per_gas', "eth.tx.type == 'LEGACY'", types),
    ],
    [
      "eth.tx.type in ['TYPE_2', 'LEGACY'] && eth.tx.max_fee_per_gas > 5",
      27,
      apart('eth.tx.max_fee_per_gas', "eth.tx.type == 'LEGACY'", types),
    ],
    [
      "eth.tx.max_fee_per_blob_gas > 5 && eth.tx.type == 'TYPE_4'",
      51,
      apart(
        'eth.tx.max_fee_per_blob_gas',
        "eth.tx.type == 'TYPE_4'",
        '; with eth.tx.max_fee_per_blob_gas, eth.tx.type is TYPE_3',
      ),
    ],
    [
      "eth.tx.data == '0x' && eth.tx.function_name == 'transfer'",
      16,
      apart('eth.tx.function_name', "eth.tx.data == '0x'"),
    ],
    [
      "eth.tx.to == '0x' && eth.tx.contract_call_args['a'] == 1",
      14,
      apart('eth.tx.contract_call_args', "eth.tx.to == ''"),
    ],
    [
      `tron.tx.contract.any(c, c.to_address == ${address} && c.contract_address == ${address})`,
      81,
      apart('c.to_address', 'c.contract_address'),
    ],
    [
      "tron.tx.contract.any(c, c.type == 'TransferContract' && c.data[0..8] == 'a9059cbb')",
      35,
      apart('c.data', "c.type == 'TransferContract'", '; with c.data, c.type is TriggerSmartContract'),
    ],
    [
      `tron.tx.contract[0].amount > 5 && tron.tx.contract.any(c, c.call_value > 5)`,
      59,
      apart('tron.tx.contract[0].amount', 'c.call_value'),
    ],
    [
      "!tron.tx.contract.all(c, !(c.type == 'TransferContract' && c.owner.threshold == 1))",
      38,
      apart(
        'c.owner.threshold',
        "c.type == 'TransferContract'",
        '; with c.owner.threshold, c.type is AccountPermissionUpdateContract',
      ),
    ],
    [
      "tron.tx.contract.filter(c, c.type == 'TransferContract').any(c, c.call_value > 5)",
      38,
      apart('c.call_value', "c.type == 'TransferContract'", '; with c.call_value, c.type is TriggerSmartContract'),
    ],
    [
      "solana.tx.lamport_transfers.any(t, t.instruction_name == 'CloseAccount' && t.amount > 5)",
      58,
      apart('t.amount', "t.instruction_name == 'CloseAccount'"),
    ],
    [
      "solana.tx.lamport_transfers.filter(t, t.instruction_name == 'CloseAccount').any(t, t.amount > 5)",
      61,
      apart('t.amount', "t.instruction_name == 'CloseAccount'"),
    ],
  ])('%s', (text, column, reason) => {
    expect(problemsOf(text)).toEqual([`${column}: ${reason}`])
  })

  test.each([
    "eth.tx.type in ['TYPE_2', 'TYPE_4'] && eth.tx.max_fee_per_gas > 5",
    "eth.tx.type == 'LEGACY' && eth.tx.gas_price > 5",
    "eth.tx.type != 'LEGACY' && eth.tx.max_fee_per_gas > 5",
    "eth.tx.type == 'LEGACY' || eth.tx.max_fee_per_gas > 5",
    "eth.tx.data[0..10] == '0xa9059cbb' && eth.tx.function_name == 'transfer'",
    `eth.tx.to == ${recipient} && eth.tx.function_name == 'transfer'`,
    `tron.tx.contract.any(c, c.to_address == ${address} || c.contract_address == ${address})`,
    'tron.tx.contract.any(c, c.amount + c.call_value > 5)',
    'tron.tx.contract[0].amount + tron.tx.contract[0].call_value > 5',
    "tron.tx.contract.any(c, c.type in ['DelegateResourceContract'] && c.balance > 5 && c.lock)",
    "solana.tx.lamport_transfers.any(t, t.instruction_name == 'CloseAccount') && solana.tx.lamport_transfers.any(t, t.amount > 5)",
    "solana.tx.lamport_transfers[0].instruction_name == 'Close' && solana.tx.lamport_transfers[1].amount > 5",
    "solana.tx.lamport_transfers.any(t, t.instruction_name == 'UnwrapLamports' && t.amount > 5)",
    "solana.tx.lamport_transfers.any(t, t.instruction_name == 'Withdraw' && t.amount > 5)",
  ])('others are not: %s', (text) => {
    expect(problemsOf(text)).toEqual([])
  })
})

test('the variants are those that are read', () => {
  expect(Object.entries(tronFieldsByType)).toEqual([...tronContractFields])
  const forms = [...builtInPrograms.values()].flatMap((program) => program.forms)
  const without = solanaLamportMoves.filter((name) =>
    forms.every(
      ({ code, moves, fields }) => code !== name || moves?.asset !== 'lamports' || fields.amount === undefined,
    ),
  )
  expect(new Set(movesWithoutAmount)).toEqual(new Set(without))
})

test('all fields and words of one real request may be written together', () => {
  const judged = realRequests.flatMap(({ facts }) => {
    const lists = [valueAt(facts, ['tron', 'tx', 'contract']), valueAt(facts, ['solana', 'tx', 'lamport_transfers'])]
    const items = lists.flatMap((list, at) =>
      (Array.isArray(list) ? list : []).map((item, index) => ({
        item,
        name: at === 0 ? `tron.tx.contract[${index}]` : `solana.tx.lamport_transfers[${index}]`,
      })),
    )
    const structs = [{ item: valueAt(facts, ['eth', 'tx']), name: 'eth.tx' }, ...items]
    return structs.flatMap(({ item, name }) => {
      if (item === undefined || !isStruct(item)) return []
      const present = Object.entries(item).filter(([, value]) => value !== undefined)
      const needs = present.map(([field, value]) =>
        typeof value === 'string' ? `${name}.${field} == '${value}'` : `${name}.${field} == ${name}.${field}`,
      )
      return [needs.join(' && ')]
    })
  })
  expect(judged.length).toBeGreaterThan(20)
  for (const text of judged) expect(wordsNeverTogether(parse(text)), text).toEqual([])
})

test('a long condition is judged in a moment', () => {
  const words = Array.from({ length: 140 }, () => "eth.tx.type == 'TYPE_2'")
  for (const text of [words.join(' && '), `eth.tx.max_fee_per_gas > 5 && (${words.join(' || ')} || true)`]) {
    expect(wordsNeverTogether(parse(text))).toEqual([])
  }
})
