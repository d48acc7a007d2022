import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileCondition } from '../../../policy/decision/policy_expressions.ts'
import { Failure } from '../../../protocol/wire/failures.ts'
import { expressionsOf } from './policy_selectors.ts'

const target = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }),
  fc.string({ maxLength: 20, unit: fc.constantFrom("'", '\\', ']', ')', '|', '&', ' ', 'a', '1', '-', '.') }),
)

test('any target stays one string of the expression, or the selector is refused with its place', () => {
  fc.assert(
    fc.property(fc.array(target, { minLength: 1, maxLength: 5 }), (texts) => {
      fc.pre(texts.every((text) => !/^(true|false|0|-?[1-9][0-9]*)$/.test(text)))
      const selector = { subject: 'eth.eip_712.domain.name', operator: 'OPERATOR_IN', targets: texts } as const
      const isReadable = !texts.some((text) => [...text].some((character) => character < ' '))
      if (!isReadable) {
        expect(() => expressionsOf([selector])).toThrow(Failure)
        expect(() => expressionsOf([selector])).toThrow('parameters.selectors[0]: column')
        return
      }
      const { condition = '', consensus } = expressionsOf([selector])
      expect(consensus).toBeUndefined()
      expect(compileCondition(condition).root).toMatchObject({
        kind: 'comparison',
        operator: 'in',
        left: { kind: 'field', name: 'name' },
        right: { kind: 'list', items: texts.map((value) => ({ kind: 'string', value })) },
      })
    }),
  )
})
