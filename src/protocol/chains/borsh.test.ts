import { createRequire } from 'node:module'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bool, bytes, list, option, struct, text, u8, u16, u32 } from './borsh.ts'

/** The `borsh` package, which comes with the hosted service's client. */
const client = createRequire(import.meta.url).resolve('@turnkey/crypto')
const oracle: { serialize(schema: unknown, value: unknown): Uint8Array } = createRequire(client)('borsh')

const texts = fc.string({ unit: 'grapheme' })

test('every form has the bytes of the reference implementation in JavaScript', () => {
  const value = fc.record({
    small: fc.nat({ max: 0xff }),
    middle: fc.nat({ max: 0xffff }),
    large: fc.nat({ max: 0xffff_ffff }),
    flag: fc.boolean(),
    name: texts,
    blob: fc.uint8Array({ maxLength: 300 }),
    digest: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    names: fc.array(texts),
    perhaps: fc.option(texts, { nil: null }),
  })
  const schema = {
    struct: {
      small: 'u8',
      middle: 'u16',
      large: 'u32',
      flag: 'bool',
      name: 'string',
      blob: { array: { type: 'u8' } },
      digest: { array: { type: 'u8', len: 32 } },
      names: { array: { type: 'string' } },
      perhaps: { option: 'string' },
    },
  }
  fc.assert(
    fc.property(value, (given) => {
      const ours = struct(
        u8(given.small),
        u16(given.middle),
        u32(given.large),
        bool(given.flag),
        text(given.name),
        bytes(given.blob),
        given.digest,
        list(given.names, text),
        option(given.perhaps ?? undefined, text),
      )
      expect(Buffer.from(ours)).toEqual(Buffer.from(oracle.serialize(schema, given)))
    }),
  )
})

test('a number that does not fit is refused', () => {
  for (const write of [() => u8(256), () => u16(65_536), () => u32(2 ** 32), () => u32(-1)]) {
    expect(write).toThrow(RangeError)
  }
})
