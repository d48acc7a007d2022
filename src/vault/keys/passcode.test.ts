import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { newPasscode } from './passcode.ts'

const textOf = (length: number, alphanumeric: boolean, random = (size: number) => new Uint8Array(randomBytes(size))) =>
  Buffer.from(newPasscode({ length, alphanumeric, randomBytes: random }).reveal()).toString()

for (const length of [6, 7, 8, 9]) {
  test(`passcodes of ${length} characters`, () => {
    for (let time = 0; time < 200; time += 1) {
      expect(textOf(length, false)).toMatch(new RegExp(`^[0-9]{${length}}$`))
      expect(textOf(length, true)).toMatch(new RegExp(`^[0-9A-HJKMNP-TV-Z]{${length}}$`))
    }
  })
}

test('all digits are equally likely: bytes from 250 on are dropped', () => {
  const counts = new Map<string, number>()
  let next = 0
  const everyByte = (size: number) => Uint8Array.from({ length: size }, () => next++ & 0xff)
  for (const digit of textOf(2500, false, everyByte)) counts.set(digit, (counts.get(digit) ?? 0) + 1)
  expect([...counts.values()]).toEqual(Array(10).fill(250))
})
