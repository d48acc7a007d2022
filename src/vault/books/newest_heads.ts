import { randomBytes } from 'node:crypto'

/**
 * The newest head entry of each organization, for millions of them: the bytes of the entries lie in large buffers, and a
 * table in a typed array leads from an organization's id to its entry. Neither is walked by the garbage collector.
 */
export type NewestHeads = {
  /** The bytes of the entry; they are good until the next `set`. */
  get(organizationId: string | Buffer): Buffer | undefined
  /** By the text of the id or its 16 bytes. `isWanted`: whether it takes the place of the one that is there. */
  set(organizationId: string | Buffer, entry: Buffer, isWanted?: (before: Buffer) => boolean): void
  clear(): void
  /** In no order. An entry that is set in between is seen once, as it was or as it is. */
  entries(): Iterable<Buffer>
  readonly size: number
}

const chunkBytesDefault = 1024 * 1024
/** Entries begin at multiples of this, so that 32 bits are enough for 64 GiB of them. */
const unitBytes = 16
const lengthBytes = 4
const slotsMin = 1024
const growth = 4
const idBytes = 16

/** `chunkBytes`: a multiple of 16 that holds the largest entry. */
export function createNewestHeads({ chunkBytes = chunkBytesDefault } = {}): NewestHeads {
  // Organizations' ids are the clients' to choose in requests: nobody may pile them up on one slot.
  const salt = randomBytes(4).readUInt32BE()
  let chunks: Buffer[] = []
  let usedBytes = chunkBytes // of the last chunk: none is there yet
  /** 0: empty; otherwise one more than the place of the entry, in units. Beside it the hash of its id. */
  let slots = new Uint32Array(slotsMin)
  let hashes = new Uint32Array(slotsMin)
  let size = 0

  /** What is stored at a place: id, length of the entry, the entry. */
  function chunkAt(place: number, inChunks = chunks): Buffer {
    const chunk = inChunks[Math.floor((place * unitBytes) / chunkBytes)]
    if (chunk === undefined) throw new Error('a slot leads nowhere')
    return chunk
  }

  function offsetOf(place: number): number {
    return (place * unitBytes) % chunkBytes
  }

  function entryAt(place: number, inChunks = chunks): Buffer {
    const chunk = chunkAt(place, inChunks)
    const start = offsetOf(place) + idBytes + lengthBytes
    return chunk.subarray(start, start + chunk.readUInt32BE(start - lengthBytes))
  }

  function hashOf(id: Buffer): number {
    const hash = Math.imul(id.readUInt32BE(8) ^ salt, 0x9e3779b1) ^ id.readUInt32BE(12)
    return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 0
  }

  /** The slot of the id, or the empty one where it belongs. */
  function slotOf(id: Buffer, hash: number): number {
    const mask = slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const place = slots[slot] ?? 0
      if (place === 0) return slot
      if (hashes[slot] === hash && isOf(id, place - 1)) return slot
    }
  }

  function isOf(id: Buffer, place: number): boolean {
    const offset = offsetOf(place)
    return chunkAt(place).compare(id, 0, idBytes, offset, offset + idBytes) === 0
  }

  function grow(): void {
    const before = { slots, hashes }
    slots = new Uint32Array(growth * before.slots.length)
    hashes = new Uint32Array(slots.length)
    const mask = slots.length - 1
    for (let index = 0; index < before.slots.length; index += 1) {
      const place = before.slots[index] ?? 0
      if (place === 0) continue
      const hash = before.hashes[index] ?? 0
      let slot = hash & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = place
      hashes[slot] = hash
    }
  }

  function allocate(id: Buffer, bytes: number): number {
    const taken = Math.ceil((idBytes + lengthBytes + bytes) / unitBytes) * unitBytes
    if (usedBytes + taken > chunkBytes) {
      chunks.push(Buffer.allocUnsafeSlow(chunkBytes))
      usedBytes = 0
    }
    const place = ((chunks.length - 1) * chunkBytes + usedBytes) / unitBytes
    id.copy(chunkAt(place), usedBytes)
    usedBytes += taken
    return place
  }

  return {
    get(organizationId) {
      const id = idOf(organizationId)
      const place = slots[slotOf(id, hashOf(id))] ?? 0
      return place === 0 ? undefined : entryAt(place - 1)
    },

    set(organizationId, entry, isWanted = () => true) {
      const id = idOf(organizationId)
      const hash = hashOf(id)
      const slot = slotOf(id, hash)
      const known = slots[slot] ?? 0
      const before = known === 0 ? undefined : entryAt(known - 1)
      if (before !== undefined && !isWanted(before)) return
      // An entry grows when another journal makes a head, which is seldom: what it took before is left.
      const place = before !== undefined && before.length >= entry.length ? known - 1 : allocate(id, entry.length)
      const chunk = chunkAt(place)
      const start = offsetOf(place) + idBytes
      chunk.writeUInt32BE(entry.length, start)
      entry.copy(chunk, start + lengthBytes)
      slots[slot] = place + 1
      hashes[slot] = hash
      if (before !== undefined) return
      size += 1
      if (2 * size > slots.length) grow()
    },

    clear() {
      chunks = []
      usedBytes = chunkBytes
      slots = new Uint32Array(slotsMin)
      hashes = new Uint32Array(slotsMin)
      size = 0
    },

    *entries() {
      // Growing and clearing leave this table as it was, and what is set after that is in the journal besides.
      const inChunks = chunks
      for (const place of slots) if (place !== 0) yield entryAt(place - 1, inChunks)
    },

    get size() {
      return size
    },
  }
}

function idOf(organizationId: string | Buffer): Buffer {
  const id =
    typeof organizationId === 'string' ? Buffer.from(organizationId.replaceAll('-', ''), 'hex') : organizationId
  if (id.length !== idBytes) throw new Error('an organization id is a UUID')
  return id
}
