import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CompiledExpression, compileCondition, truthOf } from '../decision/policy_expressions.ts'
import type { Struct } from '../language/expression_values.ts'
import { mayBeginToHold } from './begins_to_hold.ts'

const elsewhere = '0x1f9090aae28b8a3dceadf281b0f12828e676c326'
const uploaded = `0x${'1a'.repeat(20)}`
const budget = 'ComputeBudget111111111111111111111111111111'
const program = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const given: ReadonlySet<string> = new Set(['swap', 'amount'])
const names = (name: string) => given.has(name)
const isSwap = "i.parsed_instruction_data.instruction_name == 'swap'"
const isElsewhere = `eth.tx.to == '${elsewhere}'`
const isNamed = "eth.tx.function_name == 'swap'"
const isBudget = `i.program_key == '${budget}'`
const list = 'solana.tx.instructions'

const begins = ({ root, text }: CompiledExpression) =>
  mayBeginToHold({ address: text.includes('solana') ? program : uploaded, names }, root)

describe('a rule that does not guard may begin to hold', () => {
  test.each([
    isNamed,
    `eth.tx.to == '${uploaded}' && ${isNamed}`,
    `!(${isElsewhere} && ${isNamed})`,
    `eth.tx.value == 0 && !(${isElsewhere} && eth.tx.function_name == 'burn')`,
    `(${isElsewhere} && eth.tx.function_name == 'burn') || eth.tx.to == '${uploaded}'`,
    `(${isElsewhere} && ${isNamed}) == false`,
    "eth.tx.function_name != 'burn'",
    `${list}.any(i, ${isSwap})`,
    `${list}.any(i, ${isBudget} && ${isSwap})`,
    `!${list}.all(i, !(${isBudget} && ${isSwap}))`,
    `${list}.filter(i, ${isBudget} && ${isSwap}).count() == 1`,
    `${list}.filter(i, ${isBudget}).any(j, ${list}.any(i, ${isSwap}))`,
    `${list}[0].program_key == '${budget}' && ${isSwap.replace('i.', `${list}[1].`)}`,
  ])('%s', (text) => {
    expect(begins(compileCondition(text))).toBe(true)
  })

  test.each([
    `${isElsewhere} && ${isNamed}`,
    `${isNamed} && '${elsewhere.slice(2)}' == eth.tx.to`,
    `${isElsewhere} && !(eth.tx.function_name == 'burn')`,
    `(${isElsewhere} && ${isNamed}) || (${isElsewhere} && eth.tx.value == 0)`,
    "eth.tx.function_name == 'burn' && eth.tx.contract_call_args['amount'] == 1",
    'eth.tx.value == 0',
    `${list}.all(i, ${isBudget} && ${isSwap})`,
    `!${list}.any(i, !(${isBudget} && ${isSwap}))`,
    `${list}.filter(i, ${isBudget}).any(i, ${isSwap})`,
    `${list}.filter(i, ${isBudget}).filter(i, true).all(i, ${isSwap})`,
    `${list}[0].program_key == '${budget}' && ${isSwap.replace('i.', `${list}[0].`)}`,
  ])('not %s', (text) => {
    expect(begins(compileCondition(text))).toBe(false)
  })
})

/** Conditions of such atoms. */
const conditionsOf = (atoms: readonly string[]) =>
  fc.letrec<{ any: string }>((tie) => ({
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(...atoms),
      tie('any').map((inner) => `!(${inner})`),
      fc.tuple(tie('any'), fc.constantFrom('&&', '||'), tie('any')).map((all) => `(${all.join(' ')})`),
    ),
  })).any

const callOf = (known: Struct) => ({ eth: { tx: { to: uploaded, value: 3n, ...known } } })
const args = new Map([['amount', 4n]])
const instructionsOf = (...items: readonly Struct[]) => ({ solana: { tx: { instructions: items } } })
const ofProgram = { program_key: program }
const [swap, named] = [{ instruction_name: 'swap' }, { instruction_name: 'limit' }].map((parsed) => ({
  parsed_instruction_data: parsed,
}))
const ofBudget = { program_key: budget, ...named }

/** Requests before and after the upload, with the atoms of conditions about them. */
const uploads: readonly (readonly [string, readonly string[], readonly (readonly [Struct, Struct])[]])[] = [
  [
    'Ethereum',
    [
      ...[isElsewhere, `eth.tx.to != '${elsewhere}'`, `eth.tx.to in ['${uploaded}']`, 'eth.tx.value == 3'],
      ...[isNamed, "eth.tx.function_name != 'burn'", "eth.tx.function_name == 'burn'"],
      ...["eth.tx.contract_call_args['amount'] < 5", "eth.tx.function_signature == '0x12345678'"],
    ],
    [[callOf({}), callOf({ function_name: 'swap', function_signature: '0x12345678', contract_call_args: args })]],
  ],
  [
    'Solana',
    [
      ...['any', 'all'].flatMap((method) => [
        `${list}.${method}(i, ${isBudget})`,
        `${list}.${method}(i, ${isBudget} && ${isSwap})`,
        `${list}.${method}(i, ${isBudget} || !(${isSwap}))`,
        `${list}.filter(i, ${isBudget}).${method}(i, ${isSwap})`,
        `${list}.filter(i, !(${isBudget})).${method}(i, ${isSwap})`,
      ]),
      ...[`${list}.filter(i, ${isSwap}).count() == 1`, `${list}[0].program_key == '${budget}'`],
      ...[isSwap.replace('i.', `${list}[0].`), isSwap.replace('i.', `${list}[1].`), `${list}.count() == 2`],
    ],
    [
      [instructionsOf(ofProgram), instructionsOf({ ...ofProgram, ...swap })],
      [instructionsOf(ofProgram, ofBudget), instructionsOf({ ...ofProgram, ...swap }, ofBudget)],
      [instructionsOf(ofBudget, ofProgram), instructionsOf(ofBudget, { ...ofProgram, ...swap })],
    ],
  ],
]

test.each(uploads)('what begins to hold by an upload is told: %s', (_chain, atoms, requests) => {
  fc.assert(
    fc.property(conditionsOf(atoms), (text) => {
      const compiled = compileCondition(text)
      const holds = (keywords: Struct) => truthOf(compiled, { keywords }) === true
      const isBegun = requests.some(([before, after]) => !holds(before) && holds(after))
      expect(isBegun && !begins(compiled)).toBe(false)
    }),
    { numRuns: 300 },
  )
})
