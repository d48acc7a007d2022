import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeFrame, FrameDecoder, FrameError, frameBytesMax, frameDepthMax } from './frames.ts'

const leaf = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.integer(),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((number) => number + 0), // JSON has no negative zero
  fc.boolean(),
  fc.constant(null),
  fc.uint8Array({ maxLength: 300 }),
)
const key = fc.string().filter((name) => name !== '$bytes' && name !== '__proto__')
const { message } = fc.letrec<{ message: unknown }>((tie) => ({
  message: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('message')),
    fc.dictionary(key, tie('message'), { noNullPrototype: true }),
  ),
}))

describe('a round trip', () => {
  test('brings back every message, however the stream is cut', () => {
    const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 200 }))
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), cuts, (messages, sizes) => {
        const stream = Buffer.concat(messages.map(encodeFrame))
        const decoder = new FrameDecoder()
        const received: unknown[] = []
        for (let offset = 0; offset < stream.length; ) {
          const { value: size } = sizes.next()
          received.push(...decoder.push(stream.subarray(offset, offset + size)))
          offset += size
        }
        decoder.end()
        expect(received).toEqual(messages.map(plain))
      }),
    )
  })

  test('leaves out what is undefined', () => {
    expect(decode(encodeFrame({ given: 1, missing: undefined }))).toEqual({ given: 1 })
    expect(Object.keys(Object(decode(encodeFrame({ missing: undefined }))))).toEqual([])
  })

  test('keeps no part of the chunk that brought it', () => {
    const frame = encodeFrame({ body: Uint8Array.of(1, 2, 3) })
    const decoded = decode(frame)
    frame.fill(0)
    expect(decoded).toEqual({ body: Uint8Array.of(1, 2, 3) })
  })

  test('keeps no part of the chunks that brought a large one', () => {
    const body = new Uint8Array(100_000).fill(1)
    const frame = encodeFrame({ body })
    const decoder = new FrameDecoder()
    const begun = decoder.push(frame.subarray(0, 60_000))
    const [decoded] = decoder.push(frame.subarray(60_000))
    frame.fill(0)
    expect(begun).toEqual([])
    expect(decoded).toEqual({ body })
  })

  test('keeps no large header alive with a small leaf', () => {
    const decoder = new FrameDecoder()
    const frame = encodeFrame({ text: 'x'.repeat(100_000), tag: Uint8Array.of(7) })
    decoder.push(frame.subarray(0, 60_000))
    const [decoded] = decoder.push(frame.subarray(60_000))
    expect(Object(decoded).tag.buffer.byteLength).toBe(1)
  })

  test('holds at the largest frame and not one byte beyond', () => {
    const overhead = encodeFrame(new Uint8Array(frameBytesMax - 100)).length - (frameBytesMax - 100)
    const largest = new Uint8Array(frameBytesMax - overhead)
    expect(Object(decode(encodeFrame(largest))).length).toBe(largest.length)
    expect(() => encodeFrame(new Uint8Array(largest.length + 1))).toThrow(FrameError)
  })

  test('holds at the greatest depth and not one level beyond', () => {
    expect(decode(encodeFrame(nested(frameDepthMax)))).toEqual(nested(frameDepthMax))
    expect(() => encodeFrame(nested(frameDepthMax + 1))).toThrow(FrameError)
  })
})

describe('a value that would not arrive as it is', () => {
  for (const [name, value] of [
    ['nothing', undefined],
    ['not a number', Number.NaN],
    ['infinity', { amount: Number.POSITIVE_INFINITY }],
    ['a bigint', 1n],
    ['a function', { run: () => 1 }],
    ['a hole in an array', [1, undefined]],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['another typed array', new Uint32Array(1)],
    ['plain data that looks like a binary leaf', { $bytes: 3 }],
    ['plain data with such a member among others', { $bytes: 3, other: 1 }],
    ['a member that would set a prototype', JSON.parse('{"__proto__":{}}')],
  ] as const) {
    test(`is refused: ${name}`, () => {
      expect(() => encodeFrame(value)).toThrow(FrameError)
    })
  }
})

describe('a hostile frame is a FrameError', () => {
  const valid = frameOf('{"body":{"$bytes":3}}', [1, 2, 3])

  test('and the frame from which these are made is not', () => {
    expect(decode(valid)).toEqual({ body: Uint8Array.of(1, 2, 3) })
  })

  for (const [name, frame] of [
    ['too short for a header', lengths(3, 0)],
    ['of no bytes', Buffer.alloc(4)],
    ['longer than is allowed', lengths(frameBytesMax - 3, 0)],
    ['of four gigabytes', lengths(0xffffffff, 0)],
    ['header longer than the frame', Buffer.concat([lengths(6, 3), Buffer.from('{}')])],
    ['header of four gigabytes', Buffer.concat([lengths(6, 0xffffffff), Buffer.from('{}')])],
    ['no header at all', frameOf('')],
    ['header that is not JSON', frameOf('{"a":')],
    ['header that is not UTF-8', Buffer.concat([lengths(7, 3), Buffer.from([0x22, 0xff, 0x22])])],
    ['leaf beyond the end', frameOf('{"$bytes":4}', [1, 2, 3])],
    ['leaves that would overlap', frameOf('[{"$bytes":2},{"$bytes":2}]', [1, 2, 3])],
    ['bytes of no leaf', frameOf('{"$bytes":2}', [1, 2, 3])],
    ['bytes where no leaf is', frameOf('{}', [1])],
    ['a length below zero', frameOf('{"$bytes":-1}')],
    ['a length that is no integer', frameOf('{"$bytes":0.5}')],
    ['a length that is text', frameOf('{"$bytes":"1"}', [1])],
    ['a length that is a list', frameOf('{"$bytes":[0,1]}', [1])],
    ['a length beyond the integers', frameOf('{"$bytes":1e300}', [1])],
    ['a leaf with another member', frameOf('{"$bytes":1,"other":1}', [1])],
    ['a member named __proto__', frameOf('{"__proto__":{"admin":true}}')],
    ['arrays without end', frameOf('['.repeat(1_000_000))],
    ['arrays too deep', frameOf('['.repeat(1_000_000) + ']'.repeat(1_000_000))],
    ['objects too deep', frameOf('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000))],
  ] as const) {
    test(name, () => {
      expect(() => decode(frame)).toThrow(FrameError)
    })
  }

  test('cut off anywhere', () => {
    for (let length = 1; length < valid.length; length++) {
      const decoder = new FrameDecoder()
      expect(decoder.push(valid.subarray(0, length))).toEqual([])
      expect(() => decoder.end()).toThrow(FrameError)
    }
  })

  test('and so is every frame after it', () => {
    const decoder = new FrameDecoder()
    expect(() => decoder.push(frameOf('{}', [1]))).toThrow(FrameError)
    expect(() => decoder.push(valid)).toThrow(FrameError)
  })

  test('whatever the bytes, nothing else is thrown', () => {
    const header = fc.oneof(fc.json(), fc.string(), fc.constantFrom('{"$bytes":1}', '[{"$bytes":2},1]'))
    fc.assert(
      fc.property(fc.oneof(fc.tuple(header, fc.uint8Array()), fc.uint8Array()), (input) => {
        const bytes = input instanceof Uint8Array ? input : frameOf(input[0], [...input[1]])
        try {
          new FrameDecoder().push(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError)
        }
      }),
    )
  })
})

function decode(frame: Uint8Array): unknown {
  const messages = new FrameDecoder().push(frame)
  expect(messages.length).toBe(1)
  return messages[0]
}

function lengths(afterLength: number, header: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32BE(afterLength, 0)
  bytes.writeUInt32BE(header, 4)
  return bytes
}

function frameOf(header: string, parts: readonly number[] = []): Buffer {
  const headerBytes = Buffer.from(header)
  return Buffer.concat([
    lengths(4 + headerBytes.length + parts.length, headerBytes.length),
    headerBytes,
    Buffer.from(parts),
  ])
}

function nested(depth: number): unknown {
  return depth === 0 ? Uint8Array.of(1) : [nested(depth - 1)]
}

/** Makes arrays comparable by content: fast-check's typed arrays may be views, and the decoder's always are. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Uint8Array.from(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
}
