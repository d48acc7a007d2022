import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { recoveryCredentialType } from '../../src/contract/records/record_types.ts'
import { operations } from '../../src/operations/catalogue.ts'
import { unsupportedPaths } from '../../src/operations/unsupported.ts'
import { compileCondition, evaluateExpression } from '../../src/policy/decision/policy_expressions.ts'
import { activitiesWithoutDeed, activityDeeds } from '../../src/policy/language/names/activity_deeds.ts'
import { deedsOfQuorum } from '../../src/policy/language/names/activity_forms.ts'
import {
  activityActions,
  activityKindOf,
  activityResources,
  withoutVersion,
} from '../../src/policy/language/names/activity_types.ts'
import { credentialTypes } from '../../src/policy/language/names/keywords.ts'

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
    const keywords = { activity: { resource, action, type: withoutVersion(type), kind } }
    expect(compileCondition(whole).neverEqual).toEqual([])
    expect(evaluateExpression(compileCondition(whole), { keywords })).toEqual({ kind: 'value', value: true })
  })

  test('and the language knows the deed of each, so that it refuses words that none of them has together', () => {
    const known = activityDeeds.flatMap(([resource, action, names]) =>
      names.map((name) => `${resource} ${action} ACTIVITY_TYPE_${name}`),
    )
    const here = rows.map(({ resource, action, type }) => `${resource} ${action} ${withoutVersion(type)}`)
    expect(known.toSorted()).toEqual([...new Set(here)].toSorted())
    const others = operations.flatMap((operation) =>
      operation.kind === 'activity' && typeof operation.policy === 'string' && !/(approve|reject)_/.test(operation.path)
        ? operation.types.map(({ type }) => withoutVersion(type).replace('ACTIVITY_TYPE_', ''))
        : [],
    )
    expect([...activitiesWithoutDeed].toSorted()).toEqual([...new Set(others)].toSorted())
  })

  test('and MFA policies see each deed of the root quorum alone', () => {
    const alone = operations.filter(
      (one) => one.kind === 'activity' && one.policy === 'rootQuorumOnly' && one.casts === undefined,
    )
    expect([...deedsOfQuorum.keys()].toSorted()).toEqual(alone.map(({ name }) => name.toUpperCase()).toSorted())
  })

  test('and there are many', () => {
    expect(rows.length).toBeGreaterThan(60)
  })

  test('also the type of what only the root quorum may do, but for votes, about which no rule is asked', () => {
    const types = operations
      .filter(({ path }) => !/(approve|reject)_activity$/.test(path))
      .flatMap((operation) => (operation.kind === 'activity' ? operation.types : []))
    for (const { type } of types) {
      expect(compileCondition(`activity.type == '${type}'`).neverEqual, type).toEqual([])
    }
  })

  test('those of the wider interface that this server lacks too', () => {
    const names = unsupportedPaths
      .filter((path) => path.includes('/submit/'))
      .map((path) => (path.split('/').at(-1) ?? '').toUpperCase())
    expect(names.length).toBeGreaterThan(20)
    const types = names.map((name) => `'ACTIVITY_TYPE_${name}'`)
    expect(compileCondition(`activity.type in [${types.join(', ')}]`).neverEqual).toEqual([])
  })
})

test('policies can name the types of all credentials that this server makes, and of no others', () => {
  const makers = globSync('src/{contract,deciding,operations,vault}/**/*.ts').filter(
    (file) => !/(\.test|record_types)\.ts$/.test(file),
  )
  const text = makers.map((file) => readFileSync(file, 'utf8')).join('')
  const made = [...text.matchAll(/'(CREDENTIAL_TYPE_\w+)'/g)].map(([, type]) => type)
  expect(credentialTypes.toSorted()).toEqual([...new Set([...made, recoveryCredentialType])].toSorted())
})
