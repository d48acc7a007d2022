import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { bodyMembersMax, bodyValuesMax, jsonObjectIn } from '../../protocol/wire/json.ts'
import { textBytesMax, topLevelTexts } from './top_level_texts.ts'

const names = ['a', 'organizationId'] as const
const textsIn = (text: string) => topLevelTexts(Buffer.from(text), names)

test.each([
  ['{"a":"1","organizationId":"2"}', { a: '1', organizationId: '2' }],
  [' \r\n\t{ "a" \n: "1" , "b" : "c" }', { a: '1' }],
  ['{"b":{"a":"1"},"c":[{"a":"2"},"a",["a"]],"a":"3"}', { a: '3' }],
  ['{"b":"\\"a\\":","c":"{[","a":"\\\\"}', { a: '\\' }],
  ['{"\\u0061":"\\u0031é😀"}', { a: '1é😀' }],
  ['{"__proto__":{"a":"1"}}', {}],
  ['{"a":1,"organizationId":["x"]}', {}],
  ['{"a":null,"organizationId":{"a":"1"}}', {}],
  ['["a","1"]', {}],
  ['["a":"1"]', {}],
  ['"a"', {}],
  ['', {}],
  ['\u{feff}{"a":"1"}', {}],
  ['{"a', {}],
  ['{"a":', {}],
  ['{"a":"1', {}],
  ['{"a":"\\x"}', {}],
  [']{"a":"1"}', {}],
])('in %j', (text, expected) => {
  expect(textsIn(text)).toEqual(expected)
})

test('the rest of an object is not read once all are found', () => {
  expect(textsIn('{"a":"1","organizationId":"2","b":{{{')).toEqual({ a: '1', organizationId: '2' })
})

test('whatever an object holds and however it is printed, what is found is what JSON.parse finds', () => {
  const texts = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed())
  const values = fc.oneof(texts, fc.jsonValue({ maxDepth: 4 }))
  const others = fc.dictionary(texts, values)
  const named = fc.dictionary(fc.constantFrom(...names), texts)
  const isNamed = (key: string) => names.some((name) => name === key)
  fc.assert(
    fc.property(others, named, fc.boolean(), fc.constantFrom(undefined, 1, '\r\n\t'), (rest, own, isFirst, indent) => {
      fc.pre(!Object.keys(rest).some(isNamed))
      expect(textsIn(JSON.stringify(isFirst ? { ...own, ...rest } : { ...rest, ...own }, null, indent))).toEqual(own)
    }),
  )
})

test('whatever the bytes are, nothing is thrown', () => {
  const pieces = fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', '"a"', ' ', '1', '\\u', '\u{d800}')
  fc.assert(fc.property(fc.array(pieces), (made) => void textsIn(`{${made.join('')}`)))
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void topLevelTexts(bytes, names)))
})

/** Bytes that count how often one of them is read, and how far. */
function counted(text: string) {
  const read = { times: 0, last: -1 }
  const bytes = new Proxy(Buffer.from(text), {
    get(target, name) {
      if (typeof name === 'string' && /^\d+$/.test(name)) {
        read.times += 1
        read.last = Math.max(read.last, Number(name))
      }
      return Reflect.get(target, name, target)
    },
  })
  return { bytes, read }
}

const megabyte = 1_048_576
const repeatedIn = (piece: string, start = '{') => start + piece.repeat((megabyte - 1) / piece.length)

test.each([
  ['a value that is no text, again and again', '"a":"\\q",'],
  ['names', '"b":'],
  ['empty names', '"":'],
  ['names that are escaped', '"\\u0062":0,'],
  ['names as long as one that is looked for', '"organizationIe":0,'],
  ['texts', '"" '],
  ['objects', '{'],
  ['lists', '[],'],
  ['blanks', ' '],
  ['backslashes', '\\'],
  ['half a text', 'x'],
])('a megabyte of %s makes few texts, and no byte is read more than some times', (_, piece) => {
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  const { bytes, read } = counted(repeatedIn(piece, piece === 'x' ? '{"' : '{'))
  expect(topLevelTexts(bytes, names)).toEqual({})
  expect(parse.mock.calls.length).toBeLessThanOrEqual(1)
  expect(read.times).toBeLessThan(4 * megabyte)
})

test.each([
  ['members', '"b":0,', bodyMembersMax],
  ['values', '[],', bodyValuesMax],
  ['texts', '"" ', bodyMembersMax + bodyValuesMax],
])('behind as many %s as a body may have nothing is read', (_, piece, max) => {
  const { bytes, read } = counted(repeatedIn(piece))
  expect(topLevelTexts(bytes, names)).toEqual({})
  expect(read.last).toBeLessThan((max + 2) * piece.length)
})

test('a text that is longer than any id or time is none, and the search ends', () => {
  const long = 'x'.repeat(textBytesMax + 1)
  expect(textsIn(`{"a":"${long}","organizationId":"2"}`)).toEqual({})
  expect(textsIn(`{"a":"${long.slice(1)}","organizationId":"2"}`)).toEqual({ a: long.slice(1), organizationId: '2' })
})

test('the names in a body that the vault takes are those of a full parse, however they are written', () => {
  const escaped = (text: string) =>
    fc
      .array(fc.constantFrom('', 'u', 'U'), { minLength: text.length, maxLength: text.length })
      .map((how) => text.split('').map((one, index) => (how[index] === '' ? one : hexEscape(one, how[index] === 'U'))))
      .map((parts) => `"${parts.join('')}"`)
  const keys = fc.oneof(
    fc.constantFrom(...names, 'A', 'organizationI', 'organizationIdd', 'organizationid').chain(escaped),
    fc.string().map((text) => JSON.stringify(text.toWellFormed())),
  )
  const blanks = fc.constantFrom('', ' ', '\t\r\n')
  const values = fc.oneof(
    fc.constantFrom('"1"', '"\\u0031"', '"\\"}{"', '1', 'null', '[{"a":"2"}]', '{"a":"3"}', '{}', '[]'),
    fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
  )
  const members = fc.array(fc.tuple(keys, blanks, values, blanks), { maxLength: 8 })
  fc.assert(
    fc.property(members, (all) => {
      const text = `{${all.map(([key, before, value, after]) => `${before}${key}${after}:${before}${value}`).join(',')}}`
      const parsed = jsonObjectIn(Buffer.from(text))
      fc.pre(parsed !== undefined)
      const found = textsIn(text)
      const wanted = names.filter((name) => Object.hasOwn(parsed ?? {}, name))
      const isAllTexts = wanted.every((name) => typeof parsed?.[name] === 'string')
      if (isAllTexts) expect(found).toEqual(Object.fromEntries(wanted.map((name) => [name, parsed?.[name]])))
      // A value that is no text ends the search. What was found before it is right all the same.
      for (const name of names) if (found[name] !== undefined) expect(found[name]).toBe(parsed?.[name])
    }),
  )
})

function hexEscape(character: string, isUpper: boolean): string {
  const hex = character.charCodeAt(0).toString(16).padStart(4, '0')
  return `\\u${isUpper ? hex.toUpperCase() : hex}`
}
