import { describe, expect, test } from 'vitest'
import { finished } from '../../protocol/tools/steps.ts'
import type { CompiledPolicy } from '../decision/policy_evaluator.ts'
import { compileCondition, compileExpressions, guardHolds } from '../decision/policy_expressions.ts'
import { unseenExports } from './unseen_exports.ts'

const address = '0x1f9090aae28b8a3dceadf281b0f12828e676c326'
const guardOf = (condition: string, given: Partial<{ consensus: string; time: string }> = {}): CompiledPolicy => ({
  policyId: condition,
  effect: 'EFFECT_DENY',
  ...compileExpressions({ condition, ...given }),
})
const clausesOf = (condition: string, others: readonly CompiledPolicy[] = []) =>
  finished(unseenExports(guardOf(condition), others)).map(({ clause }) => clause)

describe('a rule about what is signed does not see exports', () => {
  const all = ['EXPORT_WALLET', 'EXPORT_WALLET_ACCOUNT', 'EXPORT_PRIVATE_KEY'].map(
    (kind) => `activity.kind == '${kind}'`,
  )
  const exports = "activity.action == 'EXPORT'"

  test('but where a denial of the same consensus and time sees them', () => {
    expect(clausesOf('eth.tx.value > 5')).toEqual(all)
    expect(clausesOf('eth.tx.value > 5', [guardOf(exports)])).toEqual([])
    for (const other of [
      { ...guardOf(exports), effect: 'EFFECT_ALLOW' } as const,
      guardOf(exports, { consensus: 'approvers.count() < 2' }),
      guardOf(exports, { time: "CronSpan('0 9 * * *', '8h', 'UTC')" }),
    ])
      expect(clausesOf('eth.tx.value > 5', [other])).toEqual(all)
  })

  test('until a second rule has the clause, with the wallet that the first one names', () => {
    const condition = "wallet.id == 'w' && eth.tx.value > 5"
    const clauses = all.slice(0, 2).map((clause) => `${clause} && wallet.id == 'w'`)
    expect(clausesOf(condition)).toEqual(clauses)
    expect(clausesOf(condition, [guardOf("activity.kind == 'EXPORT_WALLET' && wallet.id == 'v'")])).toEqual(clauses)
    expect(
      clausesOf(
        condition,
        clauses.slice(0, 1).map((clause) => guardOf(clause)),
      ),
    ).toEqual(clauses.slice(1))
    expect(clausesOf(condition, [guardOf("activity.action == 'EXPORT' && wallet.id == 'w'")])).toEqual([])
  })

  test('by one of its parts, though another one sees others', () => {
    const condition = "wallet.id == 'w' && eth.tx.value > 5 || activity.action == 'EXPORT' && wallet.id == 'v'"
    const [found] = finished(unseenExports(guardOf(condition), []))
    expect(found).toMatchObject({
      clause: `${all[0]} && wallet.id == 'w'`,
      part: "wallet.id == 'w' && eth.tx.value > 5",
    })
    expect(clausesOf(`eth.tx.value > 5 || ${exports}`)).toEqual([])
  })

  test('of an account that leaves with its wallet', () => {
    const clauses = clausesOf(`wallet_account.address == '${address}' && eth.tx.value > 5`)
    expect(clauses).toEqual([all[0], `${all[1]} && wallet_account.address == '${address}'`])
    for (const clause of clauses) expect(compileCondition(clause).neverEqual).toEqual([])
  })
})

test('a rule about other accounts than one sees the export of a wallet, which has others', () => {
  const condition = `wallet_account.address != '${address}'`
  const activity = { type: 'ACTIVITY_TYPE_EXPORT_WALLET', kind: 'EXPORT_WALLET', resource: 'WALLET', action: 'EXPORT' }
  const keywords = { activity, wallet: { id: 'w' }, wallet_account: { is_any: true } }
  expect(guardHolds(compileCondition(condition), { keywords, guards: true })).toBe(true)
  expect(clausesOf(condition)).toEqual(["activity.kind == 'EXPORT_PRIVATE_KEY'"])
})
