import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checksummed, readAddress } from './ethereum_values.ts'
import { isMistypedAddress } from './mistyped_address.ts'

test('an address is mistyped if it is not read, whatever its capitals', () => {
  const cases = fc.record({
    bytes: fc.uint8Array({ minLength: 20, maxLength: 20 }),
    flips: fc.array(fc.nat(39), { maxLength: 2 }),
  })
  fc.assert(
    fc.property(cases, ({ bytes, flips }) => {
      const digits = [...checksummed(bytes)].map((digit, index) =>
        flips.includes(index) ? (digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase()) : digit,
      )
      const address = `0x${digits.join('')}`
      expect(isMistypedAddress(address)).toBe(readAddress(address) === undefined)
      expect(isMistypedAddress(address.slice(2))).toBe(readAddress(address) === undefined)
    }),
  )
})

test('other texts are no addresses', () => {
  for (const text of ['', '0xAb', `0x${'aB'.repeat(21)}`, `0x${'a'.repeat(39)}Z`]) {
    expect(isMistypedAddress(text), text).toBe(false)
  }
  expect(isMistypedAddress(`0X${'aB'.repeat(20)}`)).toBe(true)
})
