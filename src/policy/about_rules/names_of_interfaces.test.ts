import { describe, expect, test } from 'vitest'
import { compileCondition } from '../decision/policy_expressions.ts'
import { goesByOtherNames, readsCallsOf } from './names_of_interfaces.ts'

const elsewhere = '0x1f9090aae28b8a3dceadf281b0f12828e676c326'
const uploaded = `0x${'1a'.repeat(20)}`
const byName = "eth.tx.function_name == 'swap'"
const budget = 'ComputeBudget111111111111111111111111111111'
const program = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const isSwap = "i.parsed_instruction_data.instruction_name == 'swap'"
const any = (test: string) => `solana.tx.instructions.any(i, ${test})`
const rootOf = (condition: string) => compileCondition(condition).root

describe('an expression reads calls of a contract unless it names others for the same call', () => {
  test.each([
    byName,
    `eth.tx.to == '${uploaded}' && ${byName}`,
    `eth.tx.to == '${uploaded.slice(2).toUpperCase()}' && ${byName}`,
    `eth.tx.to in ['${elsewhere}', '${uploaded}'] && ${byName}`,
    `(eth.tx.to == '${elsewhere}' || eth.tx.to == '${uploaded}') && ${byName}`,
    `eth.tx.to == '${elsewhere}' || ${byName}`,
    `eth.tx.to != '${elsewhere}' && ${byName}`,
    `(eth.tx.to == '${elsewhere}') == false && ${byName}`,
    `eth.tx.to == wallet_account.address && ${byName}`,
    `eth.tx.to[0..6] == '0x1f90' && ${byName}`,
  ])('of Ethereum: %s', (text) => {
    expect(readsCallsOf(uploaded, rootOf(text))).toBe(true)
  })

  test.each([
    any(isSwap),
    any(`i.program_key == '${program}' && ${isSwap}`),
    any(`i.program_key in ['${budget}', '${program}'] && ${isSwap}`),
    `${any(`i.program_key == '${budget}'`)} && ${any(isSwap)}`,
    `${any(isSwap)} && ${any(`i.program_key == '${budget}'`)}`,
    any(`i.program_key == '${budget}' && ${any(isSwap).replaceAll('i.', 'j.').replace('(i', '(j')}`),
    any(`i.program_key == '${budget}' || ${isSwap}`),
    `solana.tx.instructions[0].program_key == '${budget}' && ${isSwap.replace('i.', 'solana.tx.instructions[1].')}`,
    `solana.tx.instructions.filter(i, i.program_key == '${budget}').count() == 1 && ${any(isSwap)}`,
    // The call of another is without a value until it can be decoded.
    any(`${isSwap} && i.program_key == '${budget}'`),
  ])('of Solana: %s', (text) => {
    expect(readsCallsOf(program, rootOf(text))).toBe(true)
  })

  test.each([
    ...[`eth.tx.to == '${elsewhere}' && ${byName}`, `${byName} && '${elsewhere.slice(2)}' == eth.tx.to`],
    `!(eth.tx.to == '${elsewhere}' && ${byName})`,
    `eth.tx.value == 0 || eth.tx.to in ['${elsewhere}'] && (${byName} || eth.tx.function_name == 'trade')`,
    any(`i.program_key == '${budget}' && ${isSwap}`),
    any(`i.program_key == '${budget}' && (i.accounts.count() == 1 || ${isSwap})`),
    `solana.tx.instructions.all(i, i.program_key == '${budget}' && ${isSwap})`,
    `!solana.tx.instructions.all(i, !(i.program_key == '${budget}' && ${isSwap}))`,
    `solana.tx.instructions.filter(i, i.program_key == '${budget}').all(i, ${isSwap})`,
    `solana.tx.instructions[0].program_key == '${budget}' && ${isSwap.replace('i.', 'solana.tx.instructions[0].')}`,
  ])('not %s', (text) => {
    expect(readsCallsOf(text.includes('solana') ? program : uploaded, rootOf(text))).toBe(false)
  })
})

describe('an expression may hold for names that it does not write', () => {
  test.each([
    "eth.tx.function_name[0..4] == 'swap'",
    "eth.tx.function_name[0] == 's'",
    "eth.tx.function_name != 'approve'",
    "!(eth.tx.function_name == 'approve')",
    "(eth.tx.function_name in ['approve']) == false",
    'eth.tx.function_name == wallet.label',
    "'a' in [eth.tx.function_name, wallet.label]",
    "eth.tx.function_signature == '0x12345678'",
    any("i.parsed_instruction_data.instruction_name[0..4] == 'swap'"),
    any("i.parsed_instruction_data.discriminator == '0102030405060708'"),
  ])('%s', (text) => {
    expect(goesByOtherNames(rootOf(text))).toBe(true)
  })

  test.each([
    byName,
    `'swap' == eth.tx.function_name && eth.tx.chain_id != 1 && !(eth.tx.value > 5)`,
    "eth.tx.function_name in ['swap', 'trade'] && eth.tx.data[0..10] == '0xa9059cbb'",
    "['swap'].contains(eth.tx.function_name) && eth.tx.contract_call_args['amount'] == 5",
    any(isSwap),
    "solana.tx.lamport_transfers.any(t, t.instruction_name != 'Transfer')",
  ])('not %s', (text) => {
    expect(goesByOtherNames(rootOf(text))).toBe(false)
  })
})
