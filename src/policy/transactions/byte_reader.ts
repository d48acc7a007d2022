import { invalid } from './unsigned_transaction.ts'

/** Reads bytes from the first to the last. A refusal contains the `name` of the part that could not be read. */
export type ByteReader = {
  readonly left: () => number
  /** The number of bytes read. */
  readonly position: () => number
  readonly bytes: (length: number, name: string) => Uint8Array
  readonly byte: (name: string) => number
  /** Little-endian, of `length` bytes, at most six. */
  readonly integer: (length: number, name: string) => number
  /** Little-endian, 8 bytes. */
  readonly integer64: (name: string) => bigint
  /** Throws unless every byte was read. */
  readonly end: () => void
}

/** The returned bytes are views. Throws TRANSACTION_INVALID if there are too few bytes, or if some are left. */
export function byteReader(all: Uint8Array): ByteReader {
  const view = new DataView(all.buffer, all.byteOffset, all.byteLength)
  let next = 0

  function skip(length: number, name: string): number {
    if (length > all.length - next) throw invalid(`ends early, in ${name}`)
    const start = next
    next += length
    return start
  }

  function bytes(length: number, name: string): Uint8Array {
    const start = skip(length, name)
    return all.subarray(start, start + length)
  }

  return {
    left: () => all.length - next,
    position: () => next,
    bytes,
    byte: (name) => view.getUint8(skip(1, name)),
    integer: (length, name) => bytes(length, name).reduceRight((sum, byte) => sum * 256 + byte, 0),
    integer64: (name) => view.getBigUint64(skip(8, name), true),
    end: () => {
      if (next !== all.length) throw invalid(`has ${all.length - next} bytes too many`)
    },
  }
}
