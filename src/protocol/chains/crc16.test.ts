import { expect, test } from 'vitest'
import { crc16 } from './crc16.ts'

test.each([
  ['', 0],
  ['123456789', 0x31c3], // "check" of CRC-16/XMODEM in the catalogue of parametrised CRC algorithms
])('%o has the checksum %d', (text, checksum) => {
  expect(crc16(new TextEncoder().encode(text))).toBe(checksum)
})
