import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evaluate } from '../language/running/evaluate.ts'
import { type Approvals, withoutEqualOnes } from './equal_approvals.ts'
import { compileConsensus } from './policy_expressions.ts'

const [passkey, apiKey] = ['CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR', 'CREDENTIAL_TYPE_API_KEY_P256']
const byPasskey = `credentials.any(used, used.user_id == user.id && used.type == '${passkey}')`
const treasury = "user.tags.contains('treasury')"

const told: readonly string[] = [
  `approvers.filter(user, ${treasury} && ${byPasskey}).count() >= 2`,
  `approvers.filter(user, ${treasury}).count() + approvers.filter(user, user.tags.contains('ops')).count() >= 1 + 2`,
  `approvers.any(user, ${treasury} && credentials.filter(used, used.user_id == user.id).count() >= 3)`,
  `credentials.filter(used, used.type == '${passkey}').count() == 3`,
  `approvers.any(one, approvers.any(user, one.id != user.id && ${treasury} && one.tags.contains('ops')))`,
  `approvers.all(user, ${byPasskey} || user.alias == 'user 3') && !approvers.any(user, user.tags.count() > 1)`,
  `['user 1', 'user 2'].all(name, approvers.any(user, user.alias == name && ${byPasskey}))`,
  `approvers.filter(user, user.email[0..1] == 'a').count() >= 2`,
  `4 > credentials.filter(used, approvers.any(user, user.id == used.user_id && ${treasury})).count()`,
  `credentials.any(used, used.public_key == 'key 2') && approvers.count() >= 4`,
]

const untold: readonly string[] = [
  'credentials.count() > approvers.count()',
  `credentials[1].type == '${passkey}'`,
  "approvers[0].id == 'user 1'",
  'credentials.any(one, credentials.any(other, one.user_id != other.user_id && one.public_key == other.public_key))',
  `(approvers.count() >= 3) == credentials.any(used, used.type == '${apiKey}')`,
]

type Made = { readonly tags: readonly string[]; readonly types: readonly string[] }

function approvalsOf(users: readonly Made[]): Approvals {
  return {
    approvers: users.map(({ tags }, index) => ({
      ...{ id: `id ${index}`, alias: `user ${index}`, email: index % 3 === 0 ? 'abc' : 'bcd', tags },
    })),
    credentials: users.flatMap(({ types }, index) =>
      types.map((type, key) => ({
        ...{ id: `${index} ${key}`, user_id: `id ${index}`, type, credential_id: '', public_key: `key ${index + key}` },
      })),
    ),
  }
}

const organizations = fc
  .array(
    fc.record({
      tags: fc.subarray(['treasury', 'ops', 'other']),
      types: fc.array(fc.constantFrom(passkey, apiKey, 'CREDENTIAL_TYPE_LOGIN'), { maxLength: 6 }),
    }),
    { maxLength: 14 },
  )
  .map(approvalsOf)

const newBudget = () => ({ stepsMax: 1_000_000, meter: { steps: 0 } })
const sizeOf = ({ approvers, credentials }: Approvals) => approvers.length + credentials.length

describe('approvals without those that a consensus cannot tell apart', () => {
  test.each([...told, ...untold])('have the same value: %s', (text) => {
    const { root } = compileConsensus(text)
    const valueIn = (approvals: Approvals) => {
      const evaluation = evaluate(root, { keywords: approvals })
      return evaluation.kind === 'value' ? evaluation.value : evaluation.code
    }
    fc.assert(
      fc.property(organizations, (approvals) => {
        expect(valueIn(withoutEqualOnes(root, approvals, newBudget()))).toEqual(valueIn(approvals))
      }),
    )
  })

  const many = approvalsOf(
    Array.from({ length: 100 }, (_, index) => ({
      tags: index < 3 ? ['treasury'] : [],
      types: [apiKey, passkey, ...Array.from({ length: index === 50 ? 39 : 0 }, () => apiKey)],
    })),
  )

  test.each(told)('are fewer: %s', (text) => {
    expect(sizeOf(withoutEqualOnes(compileConsensus(text).root, many, newBudget()))).toBeLessThan(sizeOf(many) / 3)
  })

  test.each(untold)('are all of them where a consensus may tell each apart: %s', (text) => {
    expect(withoutEqualOnes(compileConsensus(text).root, many, newBudget())).toBe(many)
  })

  test('are all of them where it takes too many steps to find the equal ones, and these count', () => {
    const meter = { steps: 0 }
    const { root } = compileConsensus(told[0] ?? '')
    expect(withoutEqualOnes(root, many, { stepsMax: 100, meter })).toBe(many)
    expect(meter.steps).toBeGreaterThan(100)
  })
})
