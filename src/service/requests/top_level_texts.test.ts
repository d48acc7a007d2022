import fc from 'fast-check'
import { expect, test } from 'vitest'
import { topLevelTexts } from './top_level_texts.ts'

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
