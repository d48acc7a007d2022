import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Struct } from '../language/expression_values.ts'
import { evaluate } from '../language/running/evaluate.ts'
import type { Possible } from './equal_approvals.ts'
import { compileConsensus } from './policy_expressions.ts'
import { isSatisfiableBy } from './satisfiable.ts'

const typed = (type: string) => `used.type == '${type}'`
const byUser = (type: string) => `credentials.any(used, used.user_id == user.id && ${typed(type)})`

const asked = [
  `credentials.filter(used, ${typed('LOGIN')}).count() >= 2`,
  `credentials.any(used, ${typed('LOGIN')}) && credentials.any(used, ${typed('KEY')})`,
  'credentials.count() >= 3',
  `credentials.filter(used, used.user_id == 'id 0').count() >= 2`,
  `approvers.any(user, ${byUser('LOGIN')} && ${byUser('KEY')})`,
  `approvers.filter(user, user.tags.contains('ops') && ${byUser('PASSKEY')}).count() >= 2 && ${`credentials.any(used, ${typed('KEY')})`}`,
  `credentials.filter(used, ${typed('KEY')}).count() >= 2 && credentials.filter(used, ${typed('PASSKEY')}).count() >= 1`,
]

const users = fc.array(
  fc.record({
    tags: fc.subarray(['ops', 'other']),
    factors: fc.array(fc.array(fc.constantFrom('KEY', 'LOGIN', 'PASSKEY'), { minLength: 1, maxLength: 3 }), {
      maxLength: 2,
    }),
  }),
  { maxLength: 4 },
)

function possibleOf(made: readonly { readonly tags: readonly string[]; readonly factors: readonly string[][] }[]) {
  const approvers = made.map(({ tags }, index) => ({ id: `id ${index}`, tags }))
  const factors = made.flatMap(({ factors: own }, index) =>
    own.map((types) => types.map((type): Struct => ({ user_id: `id ${index}`, type }))),
  )
  return { approvers, credentials: factors.flat(), factors: factors.filter(({ length }) => length > 1) }
}

/** Every choice of one credential of each factor. */
function everyChoice({ credentials, factors = [] }: Possible): readonly (readonly Struct[])[] {
  const alone = credentials.filter((credential) => !factors.some((factor) => factor.includes(credential)))
  return factors.reduce<(readonly Struct[])[]>(
    (chosen, factor) => chosen.flatMap((before) => factor.map((credential) => [...before, credential])),
    [alone],
  )
}

test.each(asked)('a consensus can be satisfied if some credential of each factor does it: %s', (text) => {
  const consensus = compileConsensus(text)
  fc.assert(
    fc.property(users.map(possibleOf), (possible) => {
      const isTrue = everyChoice(possible).some((credentials) => {
        const told = evaluate(consensus.root, { keywords: { approvers: possible.approvers, credentials } })
        return told.kind === 'value' && told.value === true
      })
      expect(isSatisfiableBy(possible, consensus, { steps: 0 })).toBe(isTrue)
    }),
    { numRuns: 300 },
  )
})

test('where the choices are too many to try, each credential counts', () => {
  const many = possibleOf(
    Array.from({ length: 20 }, (_, index) => ({ tags: [`${index}`], factors: [['KEY', 'LOGIN']] })),
  )
  const told = Array.from({ length: 20 }, (_, index) => `user.tags.contains('${index}')`).join(' || ')
  const both = `approvers.any(user, (${told}) && ${byUser('LOGIN')} && ${byUser('KEY')})`
  expect(isSatisfiableBy(many, compileConsensus(both), { steps: 0 })).toBe(true)
})
