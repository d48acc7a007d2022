import { hash } from 'node:crypto'

const bitsPerVersion = 16
const hashCount = 4
const bytesMin = 1_024
const bytesMax = 16 * 1024 * 1024

/**
 * Remembers versions of activities in memory that does not grow: a Bloom filter. It forgets none. It takes one for another
 * that it has not seen in 2 of 1,000 cases up to 8 million versions, and more often beyond; another pass has another salt.
 */
export type SeenVersions = ReturnType<typeof createSeenVersions>

export function createSeenVersions(countMax: number, salt: Uint8Array) {
  const bytes = new Uint8Array(Math.min(bytesMax, Math.max(bytesMin, Math.ceil((countMax * bitsPerVersion) / 8))))

  function placesOf(activityId: string, version: number): readonly number[] {
    const digest = hash('sha256', Buffer.concat([salt, Buffer.from(`${activityId} ${version}`)]), 'buffer')
    return Array.from({ length: hashCount }, (_, at) => digest.readUIntBE(6 * at, 6) % (8 * bytes.length))
  }

  return {
    add(activityId: string, version: number): void {
      for (const place of placesOf(activityId, version))
        bytes[place >>> 3] = (bytes[place >>> 3] ?? 0) | (1 << (place & 7))
    },
    has: (activityId: string, version: number): boolean =>
      placesOf(activityId, version).every((place) => ((bytes[place >>> 3] ?? 0) & (1 << (place & 7))) !== 0),
  }
}
