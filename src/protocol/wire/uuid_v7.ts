import { strict as assert } from 'node:assert'

const counterMax = 0xfff
/** 48 bits: the year 10889. */
const timeMsMax = 2 ** 48 - 1

type Sources = { readonly nowMs: () => number; readonly randomBytes: (size: number) => Uint8Array }

/**
 * Makes UUIDv7 (RFC 9562, 5.7) that grow strictly as text, whatever the clock does. The 12 bits after the milliseconds
 * are a counter (6.2, method 1); if it overflows, the next millisecond is borrowed. `nowMs` is whole milliseconds since
 * 1970. It uses 62 of each 64 random bits, so that ids of different generators do not collide.
 */
export function uuidV7Generator({ nowMs, randomBytes }: Sources): () => string {
  let timeMs = 0
  let counter = 0
  return () => {
    const clockMs = nowMs()
    assert(Number.isInteger(clockMs) && clockMs <= timeMsMax, 'the time is whole milliseconds, 48 bits of them')
    if (clockMs > timeMs) {
      timeMs = clockMs
      counter = 0
    } else if (counter < counterMax) {
      counter += 1
    } else {
      timeMs += 1
      counter = 0
    }
    const time = timeMs.toString(16).padStart(12, '0')
    const random = Buffer.from(randomBytes(8))
    assert(random.length === 8, 'eight random bytes')
    random[0] = ((random[0] ?? 0) & 0x3f) | 0x80
    const tail = random.toString('hex')
    const count = counter.toString(16).padStart(3, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${tail.slice(0, 4)}-${tail.slice(4)}`
  }
}
