import { describe, expect, test } from 'vitest'
import { check } from '../checking/check.ts'
import type { ExpressionKind } from '../names/keywords.ts'
import { parse } from '../reading/parse.ts'

function problemsOf(text: string, kind: ExpressionKind = 'condition'): readonly string[] {
  return check(parse(text), kind, text).neverEqual.map(({ offset, message }) => `${offset + 1}: ${message}`)
}

const [token, safe] = ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', '0x1f9090aae28b8a3dceadf281b0f12828e676c326']

describe('what is true of everything is refused', () => {
  test.each([
    `eth.tx.to != '${token}' || eth.tx.to != '${safe}'`,
    'eth.tx.chain_id != 1 || eth.tx.chain_id != 10',
    `!(eth.tx.to == '${token}' && eth.tx.to == '${safe}')`,
    'eth.tx.value <= 5 || eth.tx.value > 5',
    "activity.action != 'EXPORT' || activity.action != 'DELETE'",
    "activity.kind != 'EXPORT_WALLET' || activity.kind != 'EXPORT_PRIVATE_KEY'",
    "wallet.label == 'Cold' || wallet.label != 'Cold' || wallet.imported",
  ])('%s', (text) => {
    const [problem] = problemsOf(text)
    expect(problem).toContain('is always true where its fields exist')
    expect(problemsOf(`activity.action == 'SIGN' && (${text})`)[0]).toContain('always true')
  })

  test('in the test of an item', () => {
    const isOther = (to: string) => `t.to != '${to}'`
    const [system, other] = ['11111111111111111111111111111111', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA']
    const text = `solana.tx.transfers.all(t, ${isOther(system)} || ${isOther(other)})`
    expect(problemsOf(text)).toEqual([
      `28: (${isOther(system)} || ${isOther(other)}) is always true where its fields exist`,
    ])
  })
})

test.each([
  'eth.tx.value >= 0',
  'eth.tx.value >= 0 || eth.tx.gas > 5',
  "true || activity.action == 'SIGN'",
  `eth.tx.to != '${token}' && eth.tx.to != '${safe}'`,
  `eth.tx.to == '${token}' || eth.tx.to == '${safe}'`,
  "activity.kind != 'SIGN_TRANSACTION' || eth.tx.value > 5",
  'eth.tx.data[0..10] != "0x" || eth.tx.value > 5'.replaceAll('"', "'").replace("'0x'", "'0xa9059cbb'"),
  'eth.tx.value < 5 || eth.tx.value > 5',
  `eth.tx.to == '${token}' || activity.action == 'SIGN'`,
])('what leaves something out is accepted: %s', (text) => {
  expect(problemsOf(text)).toEqual([])
})
