import { tileWidth } from '../../../protocol/log/tree/tiles.ts'

export const bitmapBytes = tileWidth / 8

/**
 * The entries of a log of which nobody has said yet that their commits are on disk: one bit for each entry, in those
 * bundles that have any.
 */
export type Unrecorded = ReturnType<typeof createUnrecorded>

export function createUnrecorded() {
  const bitmaps = new Map<number, Buffer>()
  const numberOf = (index: number) => Math.floor(index / tileWidth)

  function add(index: number): void {
    const bitmap = bitmaps.get(numberOf(index)) ?? Buffer.alloc(bitmapBytes)
    bitmap[byteOf(index)] = (bitmap[byteOf(index)] ?? 0) | maskOf(index)
    bitmaps.set(numberOf(index), bitmap)
  }

  return {
    add,
    has: (index: number) => ((bitmaps.get(numberOf(index))?.[byteOf(index)] ?? 0) & maskOf(index)) !== 0,

    /** Adds all entries of a log of this size. */
    addAll(size: number): void {
      const whole = numberOf(size)
      for (let number = 0; number < whole; number += 1) bitmaps.set(number, Buffer.alloc(bitmapBytes, 0xff))
      for (let index = whole * tileWidth; index < size; index += 1) add(index)
    },

    delete(index: number): void {
      const bitmap = bitmaps.get(numberOf(index))
      if (bitmap === undefined) return
      bitmap[byteOf(index)] = (bitmap[byteOf(index)] ?? 0) & ~maskOf(index)
      if (bitmap.every((byte) => byte === 0)) bitmaps.delete(numberOf(index))
    },

    addBitmap(number: number, bitmap: Buffer): void {
      for (let at = 0; at < tileWidth; at += 1) {
        if (((bitmap[byteOf(at)] ?? 0) & maskOf(at)) !== 0) add(number * tileWidth + at)
      }
    },

    /** By the number of the bundle, in no order. */
    bitmaps: (): Iterable<readonly [number: number, bitmap: Buffer]> => [...bitmaps],
  }
}

function byteOf(index: number): number {
  return Math.floor((index % tileWidth) / 8)
}

function maskOf(index: number): number {
  return 1 << (index % 8)
}
