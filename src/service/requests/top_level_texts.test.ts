import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { topLevelTexts } from './top_level_texts.ts'

const names = ['a', 'organizationId'] as const
const textsIn = (text: string) => topLevelTexts(Buffer.from(text), names)

test.each([
  ['{"a":"1","organizationId":"2"}', { a: '1', organizationId: '2' }],
  [' \r\n\t{ "a" \n: "1" , "b" : "c" }', { a: '1' }],
  ['{"b":{"a":"1"},"c":[{"a":"2"},"a",["a"]],"a":"3"}', { a: '3' }],
  ['{"b":"\\"a\\":","c":"{[","a":"\\\\"}', { a: '\\' }],
  ['{"\\u0061":"\\u0031é😀"}', { a: '1é😀' }],
  ['{"\\u006frganization\\u0049d":"1","\\u006Frganization":"2"}', { organizationId: '1' }],
  ['{"organization\\u0049D":"1","\\u006":"2","\\u00610":"3"}', {}],
  ['{"a":1,"a":"2"}', {}],
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
  const objects = fc.dictionary(fc.oneof(texts, fc.constantFrom(...names)), values)
  fc.assert(
    fc.property(objects, fc.constantFrom(undefined, 1, '\r\n\t'), (object, indent) => {
      const expected = Object.fromEntries(
        Object.entries(object).filter(
          ([key, value]) => names.some((name) => name === key) && typeof value === 'string',
        ),
      )
      expect(textsIn(JSON.stringify(object, null, indent))).toEqual(expected)
    }),
  )
})

test('whatever the bytes are, nothing is thrown', () => {
  const pieces = fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', '"a"', ' ', '1', '\\u', '\u{d800}')
  fc.assert(fc.property(fc.array(pieces), (made) => void textsIn(`{${made.join('')}`)))
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void topLevelTexts(bytes, names)))
})

test.each([
  ['names with values that are no texts', '"organizationId":"\\q",'],
  ['names of which the first value is an object', '"organizationId":{},"organizationId":"1",'],
  ['empty keys', '"":0,'],
  ['keys that are as long as a name', '"organizationID":"1",'],
  ['escaped keys', '"\\u006frganization\\u0049D":"1",'],
  ['keys that are no texts', '"organization\\q":"1",'],
])('a text is made of one value for each name at most, whatever bytes hold %s', (_what, member) => {
  const bytes = Buffer.from(`{${member.repeat(1_000)}`)
  const parsed = vi.spyOn(JSON, 'parse')
  const decoded = vi.spyOn(Buffer.prototype, 'toString')
  topLevelTexts(bytes, names)
  const texts = [parsed.mock.calls.length, decoded.mock.calls.length]
  vi.restoreAllMocks()
  for (const made of texts) expect(made).toBeLessThanOrEqual(names.length)
})
