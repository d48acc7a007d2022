import { describe, expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import { activityActions, activityKindOf, activityResources } from '../../src/policy/language/names/activity_types.ts'
import { compileCondition, evaluateExpression } from '../../src/policy/policy_expressions.ts'

/** The language refuses names that it does not know, so it must know those of every operation. */
describe('policies can name what every activity does', () => {
  const rows = operations.flatMap((operation) => {
    if (operation.kind !== 'activity' || typeof operation.policy === 'string') return []
    const { resource, action } = operation.policy
    return operation.types.map(({ type }) => ({ type, resource, action }))
  })

  test.each(rows)('$type', ({ type, resource, action }) => {
    expect(activityResources).toContain(resource)
    expect(activityActions).toContain(action)
    const kind = activityKindOf(type)
    const text = `activity.resource == '${resource}' && activity.action == '${action}' && activity.type == '${type}'`
    const whole = kind === undefined ? text : `${text} && activity.kind == '${kind}'`
    const keywords = { activity: { resource, action, type, kind } }
    expect(evaluateExpression(compileCondition(whole), { keywords })).toEqual({ kind: 'value', value: true })
  })

  test('and there are many', () => {
    expect(rows.length).toBeGreaterThan(60)
  })
})
