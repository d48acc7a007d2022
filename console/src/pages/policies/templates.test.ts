import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from '../../../../src/policy/language/reading/parse.ts'
import { evaluate } from '../../../../src/policy/language/running/evaluate.ts'
import { problemIn } from '../../editor/expressions.ts'
import { expressionKinds } from './drafts.ts'
import { clausesOf, type Template, type TemplateValues, templates, withClauses } from './templates.ts'

const values: TemplateValues = {
  count: '2',
  tag: '9a3c8c1e-6f0e-4a52-8f1b-2b7d1c0a9e44',
  ether: '1.5',
  chainId: '1',
  address: '0x1f9090aaE28b8a3dCeaDf281B0F12828e676c326',
  addresses: '0x1f9090aaE28b8a3dCeaDf281B0F12828e676c326\n0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48\n',
  days: 'weekdays',
  from: '09:30',
  to: '17:00',
  zone: 'Europe/Berlin',
}
const built = (
  template: Template,
  changes: Partial<TemplateValues> = {},
): Readonly<Record<string, string | undefined>> => {
  const clauses = clausesOf(template, { ...values, ...changes })
  if ('wrong' in clauses) throw new Error(`${clauses.wrong} is wrong`)
  return Object.fromEntries(Object.entries(clauses).map(([kind, list]) => [kind, withClauses('', list)]))
}
const names = Object.keys(templates) as Template[]

test.for(names)('the template %s makes expressions that the server takes', (template) => {
  const problems = expressionKinds.map((kind) => problemIn(built(template)[kind] ?? '', { kind }))
  expect(problems).toEqual([undefined, undefined, undefined])
})

describe('a template holds for what it is about', () => {
  const transaction = { chain_id: 1n, to: values.address.toLowerCase(), data: '0x', value: 5n }
  const holds = (template: Template, changes: Partial<typeof transaction>, spent = 0n) => {
    const keywords = { activity: { kind: 'SIGN_TRANSACTION' }, eth: { tx: { ...transaction, ...changes } } }
    const verdict = evaluate(parse(built(template).condition ?? ''), { keywords, spent: () => spent })
    return verdict.kind === 'value' && verdict.value
  }
  test.for([
    ['recipient', {}, true],
    ['recipient', { to: '0x00' }, false],
    ['recipient', { data: '0xa9059cbb' }, false],
    ['recipient', { chain_id: 5n }, false],
    ['contracts', { data: '0xa9059cbb' }, true],
    ['contracts', { to: '0x00' }, false],
    ['daily', { value: 1_500_000_000_000_000_000n }, true],
    ['daily', { value: 1_500_000_000_000_000_001n }, false],
    ['daily', { data: '0xa9059cbb' }, false],
  ] as const)('%s with %o: %s', ([template, changes, expected]) => {
    expect(holds(template, changes)).toBe(expected)
  })
})

test.for([
  [{ from: '09:30', to: '17:00' }, "CronSpan('30 9 * * 1-5', '7h30m', 'Europe/Berlin')"],
  [{ from: '22:00', to: '06:00' }, "CronSpan('0 22 * * 1-5', '8h', 'Europe/Berlin')"],
  [{ days: 'everyDay', from: '00:00', to: '00:00', zone: 'UTC' }, "CronSpan('0 0 * * *', '24h', 'UTC')"],
] as const)('working hours %o are %s', ([changes, time]) => {
  expect(built('hours', changes)).toEqual({ time })
})

test.for([
  ['approvals', 'count', '0'],
  ['approvals', 'count', '2.5'],
  ['approvals', 'tag', ''],
  ['daily', 'ether', '0'],
  ['daily', 'ether', '0.0000000000000000001'],
  ['daily', 'ether', '1,5'],
  ['recipient', 'address', '0x12'],
  ['contracts', 'addresses', ''],
  ['contracts', 'addresses', 'vitalik.eth'],
  ['contracts', 'chainId', '01'],
  ['hours', 'from', '24:00'],
  ['hours', 'zone', '+02:00'],
  ['hours', 'days', 'toString'],
] as const)('%s refuses the %s %j', ([template, field, text]) => {
  expect(clausesOf(template, { ...values, [field]: text })).toEqual({ wrong: field })
})

describe('clauses are added', () => {
  test.for([
    ['', 'true &&\nfalse'],
    ['1 == 1', '1 == 1 &&\ntrue &&\nfalse'],
    ['1 == 1 || 2 == 2', '(1 == 1 || 2 == 2) &&\ntrue &&\nfalse'],
    ['(1 == 1) || (2 == 2)', '((1 == 1) || (2 == 2)) &&\ntrue &&\nfalse'],
    ['true && 1 == 1', 'true && 1 == 1 &&\nfalse'],
  ])('to %j', ([text, expected]) => {
    expect(withClauses(text, ['true', 'false'])).toBe(expected)
  })

  test('to no text with a mistake', () => {
    expect(withClauses('1 == ', ['true'])).toBeUndefined()
  })
})

test('any amount of ether is the same amount in wei', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 29n }), (wei) => {
      const digits = String(wei).padStart(19, '0')
      const ether = `${digits.slice(0, -18)}.${digits.slice(-18)}`
      expect(built('daily', { ether }).condition?.endsWith(`<= ${wei}`)).toBe(true)
    }),
  )
})
