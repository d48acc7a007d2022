import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from './failures.ts'
import { bodyDepthMax, isJsonObject, parseBody } from './json.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

describe('a body is read as JSON.parse reads it', () => {
  test.each([
    ['{}'],
    [' {"a" : [1, 2.50, -0, 1e3, 1E-7, 12345678901234567890] }\r\n\t'],
    ['{"a":{"b":1},"c":{"b":1},"d":[{"b":1},{"b":1}]}'],
    ['{"a":"b","b":"a","c":"a"}'],
    ['{"a":"{\\"a\\":1,\\"a\\":2}","b":"\\\\"}'],
    ['{"a\\\\":1,"a\\"":2,"a":3}'],
    ['{"":1,"\\u0000":2,"é":3,"😀":4,"\\ud800":5}'],
    ['{"A":1,"a":2}'],
  ])('%s', (text) => {
    expect(parseBody(bytesOf(text))).toStrictEqual(JSON.parse(text))
  })
})

describe('a body is refused, and the reason names what is wrong', () => {
  test.each([
    ['', 'it is empty'],
    ['\u{feff}{}', 'it starts with a byte order mark'],
    ['[]', 'it must be one JSON object'],
    ['null', 'it must be one JSON object'],
    ['"{}"', 'it must be one JSON object'],
    ['{}{}', 'it is not valid JSON'],
    ['{} x', 'it is not valid JSON'],
    ['{}\0', 'it is not valid JSON'],
    ['{"a":1,}', 'it is not valid JSON'],
    ['{"a":01}', 'it is not valid JSON'],
    ['{"a":NaN}', 'it is not valid JSON'],
    ["{'a':1}", 'it is not valid JSON'],
    ['{"a":"\n"}', 'it is not valid JSON'],
    ['{"a":1,"a":1}', 'the field a stands there twice'],
    ['{"a":1 , "a" \n\t: 2}', 'the field a stands there twice'],
    ['{"a":{"x":1},"b":{"x":{"x":1},"x":2}}', 'the field b.x stands there twice'],
    ['{"parameters":{"accounts":[[],{"path":"a,]"},{"path":1,"path":2}]}}', 'parameters.accounts[2].path stands'],
    ['{"a":[[0,{"b":1,"b":2}]]}', 'the field a[0][1].b stands there twice'],
    ['{"a":1,"\\u0061":2}', 'the field a stands there twice'],
    ['{"\\"":1,"\\u0022":2}', 'the field " stands there twice'],
    ['{"__proto__":1,"__proto__":2}', 'the field __proto__ stands there twice'],
    ['{"":1,"":2}', 'the field  stands there twice'],
  ])('%j', (text, reason) => {
    expect(refusalOf(bytesOf(text))).toContain(reason)
  })

  test.each([
    ['a byte that starts nothing', [0x7b, 0xff, 0x7d]],
    ['a character cut off', [0x7b, 0x22, 0xc3, 0x22, 0x3a, 0x31, 0x7d]],
    ['a longer form than needed', [0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]],
    ['an encoded surrogate', [0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('%s is not UTF-8', (_name, bytes) => {
    expect(refusalOf(Uint8Array.from(bytes))).toContain('it must be UTF-8')
  })

  test('a key of a megabyte is not repeated in the refusal', () => {
    const key = 'k'.repeat(500_000)
    expect(refusalOf(bytesOf(`{"${key}":1,"${key}":2}`)).length).toBeLessThan(300)
  })
})

describe('depth', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`
  const nestedLists = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`

  test.each([
    ['objects', nested],
    ['lists', nestedLists],
  ] as const)('%s: the maximum passes, one more does not', (_, make) => {
    expect(parseBody(bytesOf(make(bodyDepthMax)))).toStrictEqual(JSON.parse(make(bodyDepthMax)))
    expect(refusalOf(bytesOf(make(bodyDepthMax + 1)))).toContain('nested deeper than 32 levels')
  })

  test('brackets side by side and brackets in strings do not count', () => {
    const text = `{"a":[${Array(100).fill('[]').join()}],"b":"${'['.repeat(100)}"}`
    expect(parseBody(bytesOf(text))).toStrictEqual(JSON.parse(text))
  })

  test('a megabyte of brackets is a refusal, closed or not', () => {
    expect(refusalOf(bytesOf(nestedLists(500_000)))).toContain('nested deeper')
    expect(refusalOf(bytesOf('['.repeat(1_000_000)))).toContain('it is not valid JSON')
  })
})

test('__proto__ is a member like any other and changes no prototype', () => {
  const body = parseBody(bytesOf('{"__proto__":{"isAdmin":true},"a":{"constructor":{"prototype":{"b":1}}}}'))
  expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
  expect(Object.hasOwn(body, '__proto__')).toBe(true)
  expect('isAdmin' in body).toBe(false)
  expect('b' in {}).toBe(false)
})

test('isJsonObject is true of an object only', () => {
  expect([{}, [], null, 'a', 1, true].map(isJsonObject)).toStrictEqual([true, false, false, false, false, false])
})

describe('generated bodies', () => {
  const objects = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4 }))

  test('one with unique keys is what JSON.parse makes of it, however it is printed', () => {
    fc.assert(
      fc.property(objects, fc.constantFrom(undefined, 1, '\t', '\r\n'), (object, indent) => {
        const text = JSON.stringify(object, null, indent)
        // Not to `object` itself: JSON has no -0 and no lone surrogate outside of an escape.
        expect(parseBody(bytesOf(text))).toStrictEqual(JSON.parse(text))
      }),
    )
  })

  test('one with a repeated key is refused, wherever it is and however its key is escaped', () => {
    const escaped = (key: string) => [...key].map((unit) => unit.split('').map(escapeOf).join('')).join('')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 2 }), objects, (key, value, around) => {
        const member = JSON.stringify(value)
        const inner = `{${JSON.stringify(key)}:${member},"${escaped(key)}":${member}}`
        const text = JSON.stringify({ ...around, place: [0, '@'] }).replace('"@"', () => inner)
        fc.pre(JSON.stringify(around).includes('"@"') === false)
        expect(refusalOf(bytesOf(text))).toContain('twice')
      }),
    )
  })

  test('arbitrary bytes throw nothing but BODY_INVALID', () => {
    const fragments = ['{', '}', '[', ']', '"', ':', ',', '\\', 'a', '\\u0061', '1', ' ', 'null', '__proto__', 'é']
    const texts = fc.array(fc.constantFrom(...fragments)).map((parts) => bytesOf(`{"${parts.join('')}}`))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.string({ unit: 'binary' }).map(bytesOf), texts), (bytes) => {
        const text = new TextDecoder().decode(bytes)
        const refusal = attempt(bytes)
        if (refusal === undefined) expect(parseBody(bytes)).toStrictEqual(JSON.parse(text))
        else expect(refusal).toMatchObject({ name: 'Failure', code: 'BODY_INVALID' })
      }),
      { numRuns: 2_000 },
    )
  })
})

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function attempt(bytes: Uint8Array): unknown {
  try {
    parseBody(bytes)
    return undefined
  } catch (error) {
    return error
  }
}

function refusalOf(bytes: Uint8Array): string {
  const error = attempt(bytes)
  if (!(error instanceof Failure) || error.code !== 'BODY_INVALID') throw new Error('not refused', { cause: error })
  return error.message
}
