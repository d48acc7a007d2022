import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { generatedOperands } from '../../../test/support/denial_conditions.ts'
import { generatedRuns } from '../../../test/support/generated_runs.ts'
import { realRequests } from '../../../test/support/signing_facts.ts'
import { finished } from '../../protocol/tools/steps.ts'
import type { CompiledPolicy } from '../decision/policy_evaluator.ts'
import { compileCondition, truthOf } from '../decision/policy_expressions.ts'
import type { Struct } from '../language/expression_values.ts'
import { activityForms } from '../language/names/activity_forms.ts'
import { holdsWhenever } from './holds_whenever.ts'

const ruleOf = (condition: string): CompiledPolicy => ({
  policyId: condition,
  effect: 'EFFECT_DENY',
  condition: compileCondition(condition),
})
const holds = (rule: string, other: string) => finished(holdsWhenever(ruleOf(rule), ruleOf(other)))

const ethereum = "activity.params.type == 'TRANSACTION_TYPE_ETHEREUM'"
const texts = "activity.params.encoding == 'PAYLOAD_ENCODING_TEXT_UTF8'"
const keys = "(wallet.id == 'w1' || private_key.id == 'k1')"

describe('a rule holds whenever another one does', () => {
  test.each([
    ['true', 'eth.tx.value > 5'],
    ["activity.kind == 'SIGN_TRANSACTION'", 'eth.tx.value > 5'],
    [ethereum, 'eth.tx.value > 5'],
    ["activity.action == 'SIGN'", `${keys} && eth.tx.value > 5`],
    ["eth.tx.value > 5 && wallet.id == 'w1'", "wallet.id == 'w1' && eth.tx.value > 5 && eth.tx.to == '0xab'"],
    ["!(eth.tx.to in ['0xab', '0xcd'])", "!(eth.tx.to in ['0xab', '0xcd']) && eth.tx.chain_id == 1"],
    ["private_key.tags.contains('t1')", "private_key.tags.contains('t1') && eth.tx.chain_id == 1"],
    ["activity.kind in ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS']", texts],
    ["activity.params.encoding == 'PAYLOAD_ENCODING_EIP712'", "eth.eip_712.primary_type == 'Permit'"],
    ['eth.tx.chain_id == 1', 'eth.tx.chain_id == 1 && eth.tx.value > 5'],
    [texts, `${texts} && activity.params.hash_function == 'HASH_FUNCTION_KECCAK256'`],
    ["wallet_account.address == '0xab'", "wallet_account.address == '0xab'"],
    ["activity.params.user_id == 'u1'", "activity.params.user_id == 'u1' && activity.action == 'CREATE'"],
  ])('%s, beside %s', (rule, other) => {
    expect(holds(rule, other)).toBe(true)
  })

  test.each([
    ['on another chain', "activity.params.type == 'TRANSACTION_TYPE_SOLANA'", 'eth.tx.value > 5'],
    ['by a key that the rule names beside others, of which both are true perhaps', keys, `${keys} && eth.tx.value > 5`],
    [
      'by a deed of the root quorum, of which both are true perhaps',
      "activity.resource == 'ORGANIZATION'",
      "activity.resource == 'ORGANIZATION'",
    ],
    ['by what has no deed', "activity.action != 'SIGN'", "activity.action != 'SIGN'"],
    ['in another word for the bytes', "activity.params.encoding == 'PAYLOAD_ENCODING_HEXADECIMAL'", 'true'],
    [
      'by a part that another address of the key decides',
      "wallet_account.address != '0xab'",
      "wallet_account.address != '0xab' && wallet_account.address in ['0xcd']",
    ],
    ['never', 'true', 'false'],
  ])('but not %s', (_, rule, other) => {
    expect(holds(rule, other)).toBe(false)
  })
})

/** The facts of each activity that signs nothing, as its operation gives them. */
const otherRequests: readonly Struct[] = activityForms.flatMap(({ texts, fields }) => {
  const [type = '', kind = '', resource = '', action = ''] = ['type', 'kind', 'resource', 'action'].map((name) =>
    texts.get(`activity.${name}` as 'activity.type'),
  )
  if (action === 'READ' || action === 'SIGN') return []
  const activity = { type, ...(kind && { kind }), ...(resource && { resource, action }), params: {} }
  const wallet = fields.includes('wallet')
    ? { wallet: { id: 'w1', label: 'hot', imported: false, exported: false } }
    : {}
  return [{ activity, ...wallet, ...(kind === 'EXPORT_WALLET' ? { wallet_account: { is_any: true } } : {}) }]
})

test('for generated conditions, it is certainly true of every real request of which the other one certainly is', () => {
  const requests = [...realRequests.map(({ facts }) => facts), ...otherRequests]
  fc.assert(
    fc.property(generatedOperands, fc.array(fc.nat(3), { maxLength: 3 }), generatedOperands, (operands, kept, more) => {
      const shared = kept.flatMap((index) => operands[index] ?? [])
      const rule = compileCondition(shared.length === 0 ? (more[0] ?? 'true') : shared.join(' && '))
      const other = compileCondition(operands.join(' && '))
      if (!holds(rule.text, other.text)) return
      for (const keywords of requests) {
        const spent = () => 3n
        // Without `guards` a part that cannot be read is an error, so the other rule is certainly true.
        if (truthOf(other, { keywords, spent }) === true) {
          expect(truthOf(rule, { keywords, spent, guards: true })).toBe(true)
        }
      }
    }),
    { numRuns: 20 * generatedRuns },
  )
})
