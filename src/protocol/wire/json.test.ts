import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { finished } from '../tools/steps.ts'
import { Failure } from './failures.ts'
import {
  bodyDepthMax,
  bodyMembersMax,
  bodyValuesMax,
  isJsonObject,
  jsonBytesInSteps,
  parseBody,
  parseJsonText,
} from './json.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

describe('a body is read as JSON.parse reads it', () => {
  test.each([
    ['{}'],
    [' {"a" : [1, 2.50, -0, 1e3, 1E-7, 12345678901234567890] }\r\n\t'],
    ['{"a":{"b":1},"c":{"b":1},"d":[{"b":1},{"b":1}]}'],
    ['{"a":"b","b":"a","c":"a"}'],
    ['{"a":"{\\"a\\":1,\\"a\\":2}","b":"\\\\"}'],
    ['{"a\\\\":1,"a\\"":2,"a":3}'],
    ['{"":1,"\\u0000":2,"é":3,"😀":4,"\\uffff":5}'],
    ['{"a":"\\ud83d\\ude00","b":"\\\\ud800","c":["\\uD83D\\uDE00\\u0041"]}'],
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
    ['{"a":1,"a":1}', 'the field a occurs twice'],
    ['{"a":1 , "a" \n\t: 2}', 'the field a occurs twice'],
    ['{"a":{"x":1},"b":{"x":{"x":1},"x":2}}', 'the field b.x occurs twice'],
    ['{"parameters":{"accounts":[[],{"path":"a,]"},{"path":1,"path":2}]}}', 'parameters.accounts[2].path occurs'],
    ['{"a":[[0,{"b":1,"b":2}]]}', 'the field a[0][1].b occurs twice'],
    ['{"a":1,"\\u0061":2}', 'the field a occurs twice'],
    ['{"\\"":1,"\\u0022":2}', 'the field " occurs twice'],
    ['{"__proto__":1,"__proto__":2}', 'the field __proto__ occurs twice'],
    ['{"":1,"":2}', 'the field  occurs twice'],
    ['{"😀":1,"\\ud83d\\ude00":2}', 'the field 😀 occurs twice'],
    ['{"a":"\\ud800"}', 'a must be well-formed Unicode text'],
    ['{"a":"x\\uDBFFx"}', 'a must be well-formed Unicode text'],
    ['{"a":"\\ude00\\ud83d"}', 'a must be well-formed Unicode text'],
    ['{"a":"\\ud83d\\\\ude00"}', 'a must be well-formed Unicode text'],
    ['{"a":[1,{"b":["\\ud83d\\ude00","\\udfff"]}]}', 'a[1].b[1] must be well-formed Unicode text'],
    ['{"a\\ud800":1}', 'a\ufffd must be well-formed Unicode text'],
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

  test.each(['k', '😀', 'k😀'])(
    'a key of %s throughout a megabyte is not repeated, and the refusal is text',
    (unit) => {
      const key = unit.repeat(100_000)
      const refusal = refusalOf(bytesOf(`{"${key}":1,"${key}":2}`))
      expect(refusal.length).toBeLessThan(300)
      expect(refusal.isWellFormed()).toBe(true)
    },
  )
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
    expect(refusalOf(bytesOf(nestedLists(bodyValuesMax)))).toContain('nested deeper')
    expect(refusalOf(bytesOf('['.repeat(bodyValuesMax)))).toContain('it is not valid JSON')
    expect(refusalOf(bytesOf(nestedLists(500_000)))).toContain('it has more than 50000 values')
    expect(refusalOf(bytesOf('['.repeat(1_000_000)))).toContain('it has more than 50000 values')
  })
})

describe('the members of all objects together', () => {
  const members = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}" :1`)
  const inOne = (count: number) => `{${members(count).join()}}`
  const inMany = (count: number) =>
    `{"k":[${members(count - 1)
      .map((member) => `{${member}}`)
      .join()}]}`

  test.each([inOne, inMany])('the maximum passes, one more does not', (make) => {
    expect(parseBody(bytesOf(make(bodyMembersMax)))).toStrictEqual(JSON.parse(make(bodyMembersMax)))
    expect(refusalOf(bytesOf(make(bodyMembersMax + 1)))).toContain('it has more than 20000 members')
  })

  test('are no texts that look like members', () => {
    const text = `{"a":[${'"b:","\\"c\\":1,",'.repeat(20_000)}"::"]}`
    expect(parseBody(bytesOf(text))).toStrictEqual(JSON.parse(text))
  })

  test('are counted before it is known whether the text is JSON, also where a text has no end', () => {
    expect(refusalOf(bytesOf(`${inOne(30_000)}x`))).toContain('it has more than 20000 members')
    expect(refusalOf(bytesOf(`{"a":"${':'.repeat(30_000)}`))).toContain('it is not valid JSON')
  })
})

describe('the values of all objects and lists together', () => {
  const lists: Readonly<Record<string, (count: number) => string>> = {
    numbers: (count) =>
      `{"a":[${Array(count - 1)
        .fill('1')
        .join()}]}`,
    'lists of one text': (count) =>
      `{"a":[${Array(Math.floor((count - 1) / 2))
        .fill('["b"]')
        .join()}]}`,
    'empty objects, which count twice': (count) =>
      `{"a":[${Array(Math.floor((count - 1) / 2))
        .fill('{}')
        .join()}]}`,
    'lists in lists': (count) =>
      `{"a":[${Array(Math.floor((count - 1) / 5))
        .fill('[[[[1]]]]')
        .join()}]}`,
  }

  test.each(Object.entries(lists))('the maximum of %s passes, more do not', (_, make) => {
    expect(parseBody(bytesOf(make(bodyValuesMax)))).toStrictEqual(JSON.parse(make(bodyValuesMax)))
    expect(refusalOf(bytesOf(make(bodyValuesMax + 1)))).toContain('it has more than 50000 values')
  })

  test('are no texts that look like values', () => {
    const text = `{"a":"${',[{'.repeat(100_000)}","b":["${'\\\\\\",[{'.repeat(60_000)}"]}`
    expect(parseBody(bytesOf(text))).toStrictEqual(JSON.parse(text))
  })
})

// None of these ends before the test runner's patience does when the time grows with the square of the length.
describe('a body of a megabyte takes time in proportion, whatever it holds', () => {
  const megabyte = 2 ** 20
  const filled = (unit: string) => `{"a":"${unit.repeat((megabyte - 8) / unit.length)}"}`
  const members = (memberOf: (index: number) => string) =>
    `{${Array.from({ length: 20_000 }, (_, index) => memberOf(index)).join()}}`

  test.each([
    ['backslashes', filled('\\\\')],
    ['escaped quotes', filled('\\"')],
    ['escaped quotes behind backslashes', filled('\\\\\\"')],
    ['escaped characters outside of the basic plane', filled('\\ud83d\\ude00')],
    ['brackets in a text', filled('[')],
    ['commas and colons in a text', filled(',:')],
    ['texts', `{"a":[${'"abcdefghijklmnopqr",'.repeat(48_000)}""]}`],
    ['keys', members((index) => `"k${index}":1`)],
    ['keys that look like indices', members((index) => `"${index * 4_096}":1`)],
    ['escaped keys', members((index) => `"\\u006b${index}":1`)],
    ['white space', `{${' '.repeat(megabyte)}"a"${' '.repeat(megabyte)}:1}`],
    ['white space behind every text', `{"a":[${`"" ${' '.repeat(100)},`.repeat(10_000)}1]}`],
  ])('%s', (_name, text) => {
    expect(parseBody(bytesOf(text))).toStrictEqual(JSON.parse(text))
  })

  test('the last of many keys, twice', () => {
    expect(refusalOf(bytesOf(members((index) => `"k${Math.min(index, 19_998)}":1`)))).toContain(
      'the field k19998 occurs',
    )
  })

  test.each(['[', '{"a":', '{"a":[', '"', '\\', '\\"', '{"', '{"a":"\\'])('%s throughout is a refusal', (unit) => {
    expect(refusalOf(bytesOf(unit.repeat(megabyte / unit.length)))).toMatch(/it is not valid JSON|it has more than/)
  })
})

test('__proto__ is a member like any other and changes no prototype', () => {
  const body = parseBody(bytesOf('{"__proto__":{"isAdmin":true},"a":{"constructor":{"prototype":{"b":1}}}}'))
  expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
  expect(Object.hasOwn(body, '__proto__')).toBe(true)
  expect('isAdmin' in body).toBe(false)
  expect('b' in {}).toBe(false)
})

describe('any value in a text', () => {
  test.each(['[]', '[{"a":1},{"a":1}]', 'null', '"a"', '-0', ' {"a":[]} '])('%s is read', (text) => {
    expect(finished(parseJsonText(text))).toStrictEqual(JSON.parse(text))
  })

  test.each([
    ['', 'it is empty'],
    ['[1,]', 'it is not valid JSON'],
    ['\u{feff}[]', 'it starts with a byte order mark'],
    ['[{"a":1,"a":2}]', 'the field [0].a occurs twice'],
    ['["\\ud800"]', '[0] must be well-formed Unicode text'],
    [`${'['.repeat(bodyDepthMax + 1)}${']'.repeat(bodyDepthMax + 1)}`, 'nested deeper'],
  ])('%s is refused', (text, reason) => {
    expect(() => finished(parseJsonText(text))).toThrow(reason)
  })
})

test('isJsonObject is true of an object only', () => {
  expect([{}, [], null, 'a', 1, true].map(isJsonObject)).toStrictEqual([true, false, false, false, false, false])
})

describe('generated bodies', () => {
  const texts = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed())
  const values = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' })
  const objects = fc.dictionary(fc.oneof(texts, fc.constant('__proto__')), fc.oneof(values, texts))

  test('one with unique keys is what JSON.parse makes of it, however it is printed', () => {
    fc.assert(
      fc.property(objects, fc.constantFrom(undefined, 1, '\t', '\r\n'), (object, indent) => {
        const text = JSON.stringify(object, null, indent)
        // Not to `object` itself: JSON has no -0.
        expect(parseBody(bytesOf(text))).toStrictEqual(JSON.parse(text))
      }),
    )
  })

  test('one with a repeated key is refused, wherever it is and however its key is escaped', () => {
    const escaped = (key: string) => [...key].map((unit) => unit.split('').map(escapeOf).join('')).join('')
    fc.assert(
      fc.property(texts, fc.jsonValue({ maxDepth: 2 }), objects, (key, value, around) => {
        const member = JSON.stringify(value)
        const inner = `{${JSON.stringify(key)}:${member},"${escaped(key)}":${member}}`
        const text = JSON.stringify({ ...around, place: [0, '@'] }).replace('"@"', () => inner)
        fc.pre(JSON.stringify(around).includes('"@"') === false)
        expect(refusalOf(bytesOf(text))).toContain('twice')
      }),
    )
  })

  test('arbitrary bytes throw nothing but BODY_INVALID', () => {
    const fragments = [
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '\\',
      'a',
      '\\u0061',
      '\\ud800',
      '\\udc00',
      '1',
      ' ',
      'null',
      '__proto__',
      'é',
    ]
    const shaped = fc.array(fc.constantFrom(...fragments)).map((parts) => bytesOf(`{"${parts.join('')}}`))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), texts.map(bytesOf), shaped), (bytes) => {
        const text = new TextDecoder().decode(bytes)
        const refusal = attempt(bytes)
        if (refusal === undefined) expect(parseBody(bytes)).toStrictEqual(JSON.parse(text))
        else expect(refusal).toMatchObject({ name: 'Failure', code: 'BODY_INVALID' })
      }),
      { numRuns: 2_000 },
    )
  })
})

test('an answer in steps has the bytes of JSON.stringify', () => {
  const answers = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()), fc.constant(undefined)))
  fc.assert(
    fc.property(answers, (answer) => {
      expect(Buffer.from(finished(jsonBytesInSteps(answer))).toString()).toBe(JSON.stringify(answer))
    }),
  )
  const holes = { list: [1, undefined, { a: undefined }], none: undefined }
  expect(Buffer.from(finished(jsonBytesInSteps(holes))).toString()).toBe('{"list":[1,null,{}]}')
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
