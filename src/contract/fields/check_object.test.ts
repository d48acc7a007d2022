import fc from 'fast-check'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../protocol/wire/failures.ts'
import type { JsonValue } from '../../protocol/wire/json.ts'
import { compileCheck, withoutNulls } from './check_object.ts'
import { Flag, fields, list, oneOf, optional, Uuid } from './fields.ts'

const Account = fields({
  curve: oneOf(['CURVE_P256', 'CURVE_ED25519']),
  path: Type.String({ maxLength: 4, expected: 'a path' }),
  name: optional(Type.String({ expected: 'a name' })),
  steps: list(Flag, { itemsMax: 2 }),
})
const check = compileCheck(
  fields({
    walletId: Uuid,
    accounts: list(Account, { itemsMin: 1, itemsMax: 2 }),
    isOpen: optional(Flag),
    tags: optional(list(Uuid, { itemsMax: 2 })),
    matrix: optional(list(list(Flag, { itemsMax: 2 }), { itemsMax: 2 })),
    anything: optional(Type.Record(Type.String(), Type.Unknown(), { expected: 'an object' })),
    bare: optional(Type.Integer({ minimum: 1 })),
  }),
)

const walletId = 'e0a16522-d6a2-49a1-bdfa-8f2917d329c2'
const account = { curve: 'CURVE_P256', path: 'm/0', steps: [] }
const given = { walletId, accounts: [account] }

describe('valid values are returned unchanged', () => {
  test.each<[string, JsonValue]>([
    ['the required fields alone', given],
    [
      'all fields',
      { ...given, isOpen: false, tags: [walletId, walletId], matrix: [[true], []], bare: 1, anything: {} },
    ],
    ['a list at its maximum', { ...given, accounts: [account, { ...account, name: '' }] }],
    ['nulls in what the schema leaves open', { ...given, anything: { a: null, b: [null], c: { d: null } } }],
  ])('%s', (_name, value) => {
    expect(check(value, 'parameters')).toStrictEqual(value)
  })

  test('nothing is coerced, and the given value is not changed', () => {
    const value = { ...given, isOpen: null, accounts: [{ ...account, name: null }] }
    const before = structuredClone(value)
    check(value, 'parameters')
    expect(value).toStrictEqual(before)
    for (const isOpen of ['true', 1, 0, 'false', ''])
      expect(() => check({ ...given, isOpen }, 'parameters')).toThrow(Failure)
    expect(() => check({ ...given, bare: '1' }, 'parameters')).toThrow(Failure)
  })
})

describe('null', () => {
  test('for an optional field means absent, at any depth', () => {
    const value = { ...given, isOpen: null, tags: null, accounts: [{ ...account, name: null }] }
    expect(check(value, 'parameters')).toStrictEqual(given)
  })

  test.each<[string, JsonValue, string, string]>([
    ['a required field', { ...given, walletId: null }, 'parameters.walletId', 'present'],
    [
      'a required field in a list',
      { ...given, accounts: [{ ...account, path: null }] },
      'parameters.accounts[0].path',
      'present',
    ],
    ['a required list that has items', { ...given, accounts: null }, 'parameters.accounts', 'present'],
    [
      'a required list that may be empty',
      { ...given, accounts: [{ ...account, steps: null }] },
      'parameters.accounts[0].steps',
      'present',
    ],
    ['an item of a list', { ...given, tags: [walletId, null] }, 'parameters.tags[1]', 'a UUID'],
    ['an unknown field', { ...given, unknown: null }, 'parameters.unknown', 'left out: there is no such field here'],
    ['the whole value', null, 'parameters', 'an object'],
  ])('for %s is refused', (_name, value, fieldPath, expected) => {
    expect(refusalOf(value)).toMatchObject({ fieldPath, expected })
  })

  test('for a required list is refused with the way to write an empty one, where it may be empty', () => {
    const empty = 'null counts as absent, and [] is an empty list'
    const steps = { ...given, accounts: [{ ...account, steps: null }] }
    expect(refusalOf(steps).message).toContain(`missing field \`steps\`: ${empty}`)
    expect(refusalOf({ ...given, accounts: null }).message).not.toContain(empty)
    expect(refusalOf({ ...given, walletId: null }).message).not.toContain(empty)
  })
})

describe('a refusal names the field and what was expected there', () => {
  const unknown = 'left out: there is no such field here'
  test.each<[string, JsonValue, string, string]>([
    ['another type', { ...given, walletId: 5 }, 'parameters.walletId', 'a UUID'],
    ['a text of another form', { ...given, walletId: 'x' }, 'parameters.walletId', 'a UUID'],
    [
      'a text that is too long',
      { ...given, accounts: [{ ...account, path: 'm/0/1' }] },
      'parameters.accounts[0].path',
      'a path',
    ],
    [
      'a value outside of the list',
      { ...given, accounts: [account, { ...account, curve: 'x' }] },
      'parameters.accounts[1].curve',
      'one of CURVE_P256, CURVE_ED25519',
    ],
    ['an object for a list', { ...given, accounts: {} }, 'parameters.accounts', 'a list of 1 to 2'],
    ['a list that is too short', { ...given, accounts: [] }, 'parameters.accounts', 'a list of 1 to 2'],
    [
      'a list that is too long',
      { ...given, accounts: [account, account, account] },
      'parameters.accounts',
      'a list of 1 to 2',
    ],
    [
      'a list that is too long, whatever is in it',
      { ...given, tags: [1, 2, 3] },
      'parameters.tags',
      'a list of at most 2',
    ],
    ['a list in a list', { ...given, matrix: [[true], [true, 1]] }, 'parameters.matrix[1][1]', 'true or false'],
    [
      'a list in a list that is too long',
      { ...given, matrix: [[], [1, 2, 3]] },
      'parameters.matrix[1]',
      'a list of at most 2',
    ],
    ['an item that is not an object', { ...given, accounts: ['x'] }, 'parameters.accounts[0]', 'an object'],
    ['an object that is a list', { ...given, accounts: [[]] }, 'parameters.accounts[0]', 'an object'],
    ['a text for an object', 'x', 'parameters', 'an object'],
    ['a list at the root', [], 'parameters', 'an object'],
    ['a schema without `expected`', { ...given, bare: 0 }, 'parameters.bare', 'of another form'],
    ['a missing field', { accounts: [account] }, 'parameters.walletId', 'present'],
    [
      'a missing field in a list',
      { ...given, accounts: [account, { curve: 'CURVE_P256' }] },
      'parameters.accounts[1].path',
      'present',
    ],
    ['an unknown field', { ...given, extra: 1 }, 'parameters.extra', unknown],
    [
      'an unknown field in a list',
      { ...given, accounts: [{ ...account, extra: 1 }] },
      'parameters.accounts[0].extra',
      unknown,
    ],
    ['an unknown field before a wrong one', { walletId: 5, extra: 1 }, 'parameters.extra', unknown],
    ['an unknown field with the name of a known field elsewhere', { ...given, path: 'm' }, 'parameters.path', unknown],
    ['an unknown field with signs in its name', { ...given, 'a/b~c.d': 1 }, 'parameters.a/b~c.d', unknown],
    [
      '__proto__',
      JSON.parse(`{"__proto__":{"walletId":"${walletId}"},"accounts":[]}`),
      'parameters.__proto__',
      unknown,
    ],
    ['an inherited name', { ...given, constructor: 1 }, 'parameters.constructor', unknown],
  ])('%s', (_name, value, fieldPath, expected) => {
    const failure = refusalOf(value)
    expect(failure).toMatchObject({ code: 'FIELD_INVALID', fieldPath, expected })
    expect(failure.message).toContain(`${fieldPath} must be ${expected}`)
  })

  test('a missing field is named in the words that clients match', () => {
    expect(refusalOf({ accounts: [account] }).message).toContain('missing field `walletId`')
  })

  test('inherited members do not count', () => {
    const inherited: JsonValue = Object.create({ walletId }, { accounts: { value: [account], enumerable: true } })
    expect(refusalOf(inherited)).toMatchObject({ fieldPath: 'parameters.walletId', expected: 'present' })
  })

  test('a field at the root of a body has no prefix', () => {
    expect(refusalOf({ ...given, walletId: 5 }, '').fieldPath).toBe('walletId')
    expect(refusalOf({ ...given, extra: 5 }, '').fieldPath).toBe('extra')
  })

  test('it repeats 64 characters of an unknown name, and no half character', () => {
    expect(refusalOf({ ...given, ['x'.repeat(64)]: 1 }).fieldPath).toBe(`parameters.${'x'.repeat(64)}`)
    expect(refusalOf({ ...given, ['x'.repeat(65)]: 1 }).fieldPath).toBe(`parameters.${'x'.repeat(64)}…`)
    expect(refusalOf({ ...given, [`${'x'.repeat(63)}😀`]: 1 }).fieldPath?.isWellFormed()).toBe(true)
  })

  test('a hundred thousand unknown fields or items give one refusal', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1]))
    expect(refusalOf({ ...given, ...many }).fieldPath).toBe('parameters.k0')
    expect(refusalOf({ ...given, tags: Array(100_000).fill('x') }).fieldPath).toBe('parameters.tags')
  })
})

test('arbitrary values are returned, or refused with a path below the root', () => {
  const values = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        walletId: fc.oneof(fc.constant(walletId), fc.jsonValue()),
        accounts: fc.oneof(fc.constant([account]), fc.array(fc.oneof(fc.constant(account), fc.jsonValue()))),
        isOpen: fc.oneof(fc.boolean(), fc.jsonValue()),
        anything: fc.jsonValue(),
        __proto__: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  )
  fc.assert(
    fc.property(values, (value) => {
      try {
        check(value as JsonValue, 'parameters')
      } catch (error) {
        expect(error).toMatchObject({ name: 'Failure', code: 'FIELD_INVALID' })
        expect(error instanceof Failure && error.fieldPath).toMatch(/^parameters($|[.[])/)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('withoutNulls drops every null member and keeps the places of a list', () => {
  const value = { a: null, b: { c: null, d: [{ e: null }, null, 1] }, f: false, g: 0, h: '' }
  expect(withoutNulls(value)).toStrictEqual({ b: { d: [{}, null, 1] }, f: false, g: 0, h: '' })
  expect([null, 5, 'x', []].map(withoutNulls)).toStrictEqual([null, 5, 'x', []])
  expect(Object.keys(Object(withoutNulls(JSON.parse('{"__proto__":1,"a":null}'))))).toStrictEqual(['__proto__'])
})

function refusalOf(value: JsonValue, rootPath = 'parameters'): Failure {
  try {
    check(value, rootPath)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('not refused')
}
