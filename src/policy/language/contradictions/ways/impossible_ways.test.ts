import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Pick } from '../../../../../test/support/policy_generator.ts'
import { referenceOutcome } from '../../../../../test/support/policy_reference.ts'
import { check } from '../../checking/check.ts'
import type { ExpressionKind } from '../../names/keywords.ts'
import { parse } from '../../reading/parse.ts'
import { type Environment, evaluate } from '../../running/evaluate.ts'
import { hasOnlyImpossibleWays } from './impossible_ways.ts'

const [token, safe] = ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', '0x1f9090aae28b8a3dceadf281b0f12828e676c326']
const [one, two] = ['9a3c8c1e-6f0e-4a52-8f1b-2b7d1c0a9e44', '9a3c8c1e-6f0e-4a52-8f1b-2b7d1c0a9e45']
const transfer = '0xa9059cbb'
const spent = (duration: string) => `spent('eth.tx.value', '${duration}')`

function isNever(text: string, kind: ExpressionKind = 'condition'): boolean {
  return hasOnlyImpossibleWays(check(parse(text), kind, text).expression, kind)
}

test.each([
  // Parts of one text.
  `eth.tx.data[0..10] == '${transfer}' && eth.tx.data == '0x'`,
  `eth.tx.data == '0x' && eth.tx.data[10..74] == '${'0'.repeat(64)}'`,
  `eth.tx.data[0..10] == '${transfer}' && eth.tx.data[2..6] == '095e'`,
  `eth.tx.data[0..10] == '${transfer}' && eth.tx.data[6..12] == '9cbc00'`,
  `eth.tx.data[0..10] in ['${transfer}', '0xa9059cbc'] && eth.tx.data[3] != '9'`,
  `eth.tx.data == '${transfer}' && eth.tx.data[0..10] != '${transfer}'`,
  `eth.tx.data[0..10] == '${transfer}' && !(eth.tx.data[3] == '9')`,
  `eth.tx.data == '0x' && eth.tx.data[34..74] == eth.tx.to[2..42]`,
  // Each text of the field begins with 0x.
  `eth.tx.data[2..10] == '${transfer.slice(2)}' && eth.tx.data[0..10] != '${transfer}'`,
  `eth.tx.data[2..10] in ['${transfer.slice(2)}', '095ea7b3'] && eth.tx.data[0..4] == '0x23'`,
  `eth.tx.to == '${token}' && eth.tx.data[34..74] == eth.tx.to[2..42] && eth.tx.data[34..74] == '${safe.slice(2)}'`,
  "wallet.label[0..4] == 'Cold' && wallet.label == 'Hot wallet'",
  // Beyond a written text.
  "'abc'[3] == 'd'",
  "'abc'[2..4] == 'cd'",
  "'abc'[0..2] == 'bc' || 'abc'[1] == 'c'",
  "wallet.label == 'abc'[0..2] && wallet.label == 'abc'",
  // Fields that a format orders, or excludes together.
  'eth.tx.max_priority_fee_per_gas > 100 && eth.tx.max_fee_per_gas < 50',
  'eth.tx.max_priority_fee_per_gas > eth.tx.max_fee_per_gas',
  'eth.tx.max_fee_per_gas > 100 && eth.tx.gas_price < 100',
  'eth.tx.gas_price > eth.tx.max_fee_per_gas',
  "eth.tx.to == '' && eth.tx.type == 'TYPE_3' || eth.tx.type == 'TYPE_4' && eth.tx.to == ''",
  'solana.tx.transfers.any(t, t.amount > 5) && solana.tx.lamport_transfers.count() == 0',
  'solana.tx.instructions.count() < 3 && solana.tx.spl_transfers.count() >= 3',
  'solana.tx.program_keys.count() > solana.tx.instructions.count()',
  // Fields that equal each other.
  "eth.tx.to == eth.tx.from && eth.tx.to == ''",
  `eth.tx.to == eth.tx.from && eth.tx.to == '${token}' && eth.tx.from == '${safe}'`,
  'eth.tx.to == eth.tx.from && !(eth.tx.from == eth.tx.to)',
  `eth.tx.to == '${token}' && eth.tx.from == '${token}' && eth.tx.to != eth.tx.from`,
  'wallet.imported == wallet.exported && wallet.imported && !wallet.exported',
  'eth.tx.nonce == eth.tx.gas && eth.tx.gas > 5 && eth.tx.nonce < 3',
  // Order.
  'eth.tx.nonce < eth.tx.gas && eth.tx.gas < eth.tx.nonce',
  'eth.tx.nonce < eth.tx.gas && eth.tx.gas <= eth.tx.value && !(eth.tx.nonce < eth.tx.value)',
  'eth.tx.gas + 1 < eth.tx.nonce && eth.tx.nonce < 3 && eth.tx.gas > 0',
  'eth.tx.gas + eth.tx.value > 10 && eth.tx.value + eth.tx.gas < 10',
  'eth.tx.value < eth.tx.gas && eth.tx.gas < 1',
  // Windows of what was spent.
  `${spent('24h')} > 10 && ${spent('7d')} < 5`,
  `${spent('24h')} > ${spent('7d')}`,
  `${spent('1h')} > 5 && ${spent('24h')} + 1 <= 5`,
  `${spent('24h')} + eth.tx.value > 10 && eth.tx.value + ${spent('7d')} <= 10`,
  // A test says something of each item.
  'wallet_account.path_hardened.all(h, h) && wallet_account.path_hardened.any(h, h == false)',
  'wallet_account.path_indexes.all(i, i < 5) && wallet_account.path_indexes.any(i, i > 5)',
  'solana.tx.transfers.all(t, t.amount < 5) && solana.tx.transfers.filter(t, t.amount > 2).any(t, t.amount > 7)',
  'solana.tx.transfers.all(t, t.amount < 5 || t.amount > 9) && solana.tx.transfers.any(t, t.amount == 7)',
  // How many items a list has.
  'wallet_account.path_indexes.any(i, i == 1) && wallet_account.path_indexes.any(i, i == 2) && wallet_account.path_indexes.count() == 1',
  'wallet_account.path_indexes[0] == 44 && wallet_account.path_indexes.count() == 0',
  'wallet_account.path_indexes.count() < 3 && !(wallet_account.path_indexes[2] != 5)',
  'bitcoin.tx.outputs[1].value > 5 && bitcoin.tx.outputs.count() <= 1',
  // Each side by itself.
  `(eth.tx.data[0..10] == '${transfer}' || eth.tx.data[0..4] == '0x09') && eth.tx.data == '0x'`,
  `!(eth.tx.to != eth.tx.from || eth.tx.to != '')`,
])('%s is never true', (text) => {
  expect(isNever(text)).toBe(true)
})

test.each([
  `approvers.any(u, u.id == '${one}') && approvers.any(u, u.id == '${two}') && approvers.count() == 1`,
  `approvers.any(u, u.id == '${one}') && approvers.any(u, u.id == '${two}') && !(approvers.count() > 1)`,
  `approvers.any(u, u.id == '${one}' && u.alias == 'a') && approvers.any(u, u.alias != 'a') && 2 > approvers.count()`,
  `approvers.all(u, u.email == '') && approvers.any(u, u.id == '${one}' && u.email == 'a@example.com')`,
  `approvers.count() < credentials.count() && credentials.count() == 1 && approvers.any(u, u.id == '${one}')`,
])('the consensus %s is never true', (text) => {
  expect(isNever(text, 'consensus')).toBe(true)
})

test.each([
  `eth.tx.data[0..10] == '${transfer}' && eth.tx.data != '0x'`,
  `eth.tx.data[0..10] == '${transfer}' && eth.tx.data[2..6] == 'a905'`,
  `eth.tx.data[0..10] == '${transfer}' && eth.tx.data[6..12] == '9cbb00'`,
  // In a rule that guards, a part beyond the end is unequal to each text.
  `eth.tx.data == '0x' && eth.tx.data[0..10] != '${transfer}'`,
  `eth.tx.data == '0x' && !(eth.tx.data[0..10] == '${transfer}')`,
  "'abc'[3] != 'd'",
  "'abc'[2] == 'c'",
  "'abc'[3..3] == ''",
  "eth.tx.to != eth.tx.from && eth.tx.to == ''",
  `eth.tx.to == eth.tx.from && eth.tx.to == '${token}'`,
  'eth.tx.nonce < eth.tx.gas && eth.tx.gas < eth.tx.value',
  'eth.tx.nonce <= eth.tx.gas && eth.tx.gas <= eth.tx.nonce',
  'bitcoin.tx.outputs[0].value < bitcoin.tx.outputs[1].value && !(bitcoin.tx.outputs[0].value < 5)',
  '!(bitcoin.tx.outputs[5].value < bitcoin.tx.fee) && !(bitcoin.tx.outputs[5].value >= bitcoin.tx.fee)',
  `${spent('24h')} < 5 && ${spent('7d')} > 10`,
  `${spent('24h')} > 5 && spent('bitcoin.tx.fee', '7d') < 3`,
  `${spent('24h')} + eth.tx.value > 10 && ${spent('7d')} + eth.tx.gas <= 10`,
  'wallet_account.path_hardened.all(h, h)',
  'wallet_account.path_hardened.all(h, h) && wallet_account.path_hardened[0] == false || true',
  'wallet_account.path_hardened.all(h, h) && wallet_account.path_hardened.any(h, h == true)',
  'wallet_account.path_hardened.filter(h, h).all(h, h) && wallet_account.path_hardened.any(h, h == false)',
  'wallet_account.path_indexes.any(i, i == 1) && wallet_account.path_indexes.any(i, i >= 1) && wallet_account.path_indexes.count() == 1',
  'wallet_account.path_indexes.any(i, i == 1) && wallet_account.path_indexes.any(i, i == 2) && wallet_account.path_indexes.count() == 2',
  "wallet.label[0..4] == 'Cold' && wallet.label == 'Cold wallet'",
  "wallet.label[2..4] == 'ld' && wallet.label[0..4] != 'Cold'",
  "eth.tx.data[2..10] != 'a9059cbb' && eth.tx.data[0..10] == '0xa9059cbc'",
  'wallet_account.path_indexes[0] == 44 && wallet_account.path_indexes.count() == 1',
  // In a rule that guards, an item beyond the end is unequal to each number.
  'wallet_account.path_indexes[0] != 44 && wallet_account.path_indexes.count() == 0',
  '!(wallet_account.path_indexes[2] > 5) && wallet_account.path_indexes.count() == 0',
  "solana.tx.transfers.all(t, t.amount < 5) && spent('eth.tx.value', '24h') > 5",
  "eth.eip_712.domain.name == '0xAB' && eth.eip_712.domain.name[2] != 'a'",
  'false || eth.tx.value > 5',
])('%s may be true', (text) => {
  expect(isNever(text)).toBe(false)
})

/** `CLAVIGER_CASES` is for long runs (CONTRIBUTING.md). */
const numRuns = Number(process.env.CLAVIGER_CASES ?? 3000)
const anyNumber = () => fc.noBias(fc.nat())

function oneOf<T>(pick: Pick, items: readonly T[]): T {
  const found = items[pick(anyNumber) % items.length]
  if (found === undefined) throw new Error('there is nothing to pick from')
  return found
}

const datas = ['0x', '0xa9', '0xa9059cbb', '0x095ea7b3', '0xa9059cbb00']
const addresses = ['', token, safe]
const labels = ['Cold', 'Hot', 'Cold wallet', '0xA9', '0xa9']
const small = [0, 1, 2, 3]
const orders = ['<', '<=', '>', '>=', '==', '!=']
const durations = ['1h', '24h', '7d'] as const

/** A comparison about a few fields, so that several of them often exclude each other. */
const themes: readonly ((pick: Pick) => string)[] = [
  (pick) => {
    const [of, texts] = oneOf(pick, [
      ['eth.tx.data', datas],
      ['wallet.label', labels],
      ["'Cold'", labels],
    ] as const)
    const text = oneOf(pick, texts)
    const from = oneOf(pick, small)
    const to = from + oneOf(pick, [0, 1, 2, 4, 8])
    const piece = text.slice(from, to)
    const part = to === from + 1 && pick(fc.boolean) ? `${of}[${from}]` : `${of}[${from}..${to}]`
    const equal = () => oneOf(pick, ['==', '==', '!='])
    const other = piece.length === to - from && pick(fc.boolean) ? piece : 'x'.repeat(to - from)
    return oneOf(pick, [
      `${part} ${equal()} '${other}'`,
      `${part} ${equal()} '${other}'`,
      `${part} in ['${other}', '${piece.padEnd(to - from, '0')}']`,
      `${of} ${equal()} '${text}'`,
      `${part} ${equal()} eth.tx.data[0..${to - from}]`,
    ])
  },
  (pick) => {
    const [one, other] = [oneOf(pick, ['eth.tx.to', 'eth.tx.from']), oneOf(pick, ['eth.tx.to', 'eth.tx.from'])]
    const text = oneOf(pick, addresses)
    return oneOf(pick, [
      `${one} ${oneOf(pick, ['==', '!='])} ${other}`,
      `${one} ${oneOf(pick, ['==', '!='])} '${text}'`,
      `${one}[2..6] == '${(text || token).slice(2, 6)}'`,
      `${one}[2..6] ${oneOf(pick, ['==', '!='])} ${other}[2..6]`,
    ])
  },
  (pick) => {
    const field = () => oneOf(pick, ['eth.tx.gas', 'eth.tx.nonce', 'bitcoin.tx.outputs[1].value'])
    const term = () =>
      oneOf(pick, [
        field(),
        field(),
        `${oneOf(pick, small)}`,
        `${field()} + ${oneOf(pick, small)}`,
        `${field()} + ${field()}`,
      ])
    return `${term()} ${oneOf(pick, orders)} ${term()}`
  },
  (pick) => {
    const sum = () => spent(oneOf(pick, durations))
    const term = () => oneOf(pick, [sum(), sum(), `${oneOf(pick, small)}`, `${sum()} + eth.tx.gas`])
    return `${term()} ${oneOf(pick, orders)} ${term()}`
  },
  (pick) => {
    const list = oneOf(pick, ['wallet_account.path_indexes', 'wallet_account.path_hardened', 'solana.tx.transfers'])
    const number = () => oneOf(pick, small)
    const test = (): string => {
      if (list.endsWith('hardened')) return oneOf(pick, ['x', '!x', 'x == false', 'x == true'])
      const item = list.endsWith('transfers')
        ? oneOf(pick, ['x.amount', 'x.amount', 'x.lamports']).replace('lamports', 'amount')
        : 'x'
      const one = () => `${item} ${oneOf(pick, orders)} ${number()}`
      return oneOf(pick, [one(), one(), `(${one()} ${oneOf(pick, ['||', '&&'])} ${one()})`, `!(${one()})`])
    }
    const any = () => `${list}.any(x, ${test()})`
    const at = () => (list.endsWith('indexes') ? `${list}[${number()}] ${oneOf(pick, orders)} ${number()}` : any())
    return oneOf(pick, [
      any(),
      any(),
      at(),
      `${list}.all(x, ${test()})`,
      `!${list}.all(x, ${test()})`,
      `${list}.filter(x, ${test()}).any(x, ${test()})`,
      `${list}.count() ${oneOf(pick, orders)} ${number()}`,
    ])
  },
]

function textOf(pick: Pick, depth: number, leaf: () => string): string {
  if (depth === 0) return leaf()
  const below = () => textOf(pick, depth - 1, leaf)
  const forms = [
    () => `(${below()} && ${below()})`,
    () => `(${below()} && ${below()} && ${below()})`,
    () => `(${below()} || ${below()})`,
    () => `!(${below()})`,
    leaf,
  ]
  return oneOf(pick, forms)()
}

function environmentOf(pick: Pick): Environment {
  const may = <T>(value: T) => (pick(fc.nat, { max: 9 }) === 0 ? undefined : value)
  const number = () => BigInt(oneOf(pick, small))
  const items = <T>(make: () => T) => Array.from({ length: pick(fc.nat, { max: 3 }) }, make)
  const amounts = durations.map(number)
  const tx = {
    ...{ data: may(oneOf(pick, datas)), to: may(oneOf(pick, addresses)), from: oneOf(pick, [token, safe]) },
    ...{ gas: may(number()), nonce: number() },
  }
  return {
    keywords: {
      eth: { tx },
      wallet: may({ label: oneOf(pick, labels), imported: true, exported: false }),
      wallet_account: { path_indexes: items(number), path_hardened: items(() => pick(fc.boolean)) },
      bitcoin: { tx: { outputs: items(() => ({ value: number() })) } },
      solana: { tx: { transfers: items(() => ({ amount: may(number()) })) } },
    },
    spent: (_, durationMs) =>
      amounts.slice(0, durationMs <= 3_600_000 ? 1 : durationMs <= 86_400_000 ? 2 : 3).reduce((sum, one) => sum + one),
  }
}

const cases = fc.gen().map((pick: Pick) => {
  const chosen = [oneOf(pick, themes), oneOf(pick, themes)]
  return {
    text: textOf(pick, pick(fc.integer, { min: 1, max: 3 }), () => oneOf(pick, chosen)(pick)),
    environments: Array.from({ length: 40 }, () => environmentOf(pick)),
  }
})

test('no request makes an expression true that has only impossible ways, by the reference evaluator too', {
  timeout: 60_000 + numRuns * 20,
}, () => {
  const seen = { never: 0, otherwise: 0 }
  fc.assert(
    fc.property(cases, ({ text, environments }) => {
      const { expression } = check(parse(text), 'condition', text)
      if (!hasOnlyImpossibleWays(expression, 'condition')) {
        seen.otherwise += 1
        return
      }
      seen.never += 1
      for (const environment of environments) {
        for (const guards of [true, false]) {
          const evaluation = evaluate(expression, { ...environment, guards })
          expect(evaluation.kind === 'value' && evaluation.value, text).toBe(false)
        }
        const reference = referenceOutcome(expression, environment)
        expect('value' in reference && reference.value, text).toBe(false)
      }
    }),
    { numRuns, endOnFailure: true },
  )
  // Without these counts the property would say little.
  expect(seen.never).toBeGreaterThan(numRuns / 20)
  expect(seen.otherwise).toBeGreaterThan(numRuns / 4)
})
