import { randomBytes } from 'node:crypto'

/**
 * The newest head entry of each organization, for millions of them: the bytes of the entries lie in large buffers, and a
 * table in a typed array leads from an organization's id to its entry. Neither is walked by the garbage collector.
 */
export type NewestHeads = {
  /** The bytes of the entry; they are good until the next `set`. */
  get(organizationId: string): Buffer | undefined
  set(organizationId: string, entry: Buffer): void
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
const idBytes = 16

/** `chunkBytes`: a multiple of 16 that holds the largest entry. */
export function createNewestHeads({ chunkBytes = chunkBytesDefault } = {}): NewestHeads {
  // Organizations' ids are the clients' to choose in requests: nobody may pile them up on one slot.
  const salt = randomBytes(4).readUInt32BE()
  let chunks: Buffer[] = []
  let usedBytes = chunkBytes // of the last chunk: none is there yet
  /** 0: empty; otherwise one more than the place of the entry, in units. */
  let slots = new Uint32Array(slotsMin)
  let size = 0

  /** What is stored at a place: id, length of the entry, the entry. */
  function at(place: number, inChunks = chunks): { readonly chunk: Buffer; readonly offset: number } {
    const position = place * unitBytes
    const chunk = inChunks[Math.floor(position / chunkBytes)]
    if (chunk === undefined) throw new Error('a slot leads nowhere')
    return { chunk, offset: position % chunkBytes }
  }

  function entryAt(place: number, inChunks = chunks): Buffer {
    const { chunk, offset } = at(place, inChunks)
    const start = offset + idBytes + lengthBytes
    return chunk.subarray(start, start + chunk.readUInt32BE(offset + idBytes))
  }

  function hashOf(id: Buffer, offset: number): number {
    const hash = Math.imul(id.readUInt32BE(offset + 8) ^ salt, 0x9e3779b1) ^ id.readUInt32BE(offset + 12)
    return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 0
  }

  /** The slot of the id, or the empty one where it belongs. */
  function slotOf(id: Buffer): number {
    for (let slot = hashOf(id, 0) & (slots.length - 1); ; slot = (slot + 1) & (slots.length - 1)) {
      const place = slots[slot] ?? 0
      if (place === 0) return slot
      const { chunk, offset } = at(place - 1)
      if (chunk.compare(id, 0, idBytes, offset, offset + idBytes) === 0) return slot
    }
  }

  function grow(): void {
    const places = slots.filter((place) => place !== 0)
    slots = new Uint32Array(2 * slots.length)
    for (const place of places) {
      const { chunk, offset } = at(place - 1)
      let slot = hashOf(chunk, offset) & (slots.length - 1)
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1)
      slots[slot] = place
    }
  }

  function allocate(id: Buffer, bytes: number): number {
    const taken = Math.ceil((idBytes + lengthBytes + bytes) / unitBytes) * unitBytes
    if (usedBytes + taken > chunkBytes) {
      chunks.push(Buffer.alloc(chunkBytes))
      usedBytes = 0
    }
    const place = ((chunks.length - 1) * chunkBytes + usedBytes) / unitBytes
    id.copy(at(place).chunk, usedBytes)
    usedBytes += taken
    return place
  }

  return {
    get(organizationId) {
      const place = slots[slotOf(idOf(organizationId))] ?? 0
      return place === 0 ? undefined : entryAt(place - 1)
    },

    set(organizationId, entry) {
      const id = idOf(organizationId)
      const slot = slotOf(id)
      const known = slots[slot] ?? 0
      // An entry grows when another journal makes a head, which is seldom: what it took before is left.
      const place = known !== 0 && entryAt(known - 1).length >= entry.length ? known - 1 : allocate(id, entry.length)
      const { chunk, offset } = at(place)
      chunk.writeUInt32BE(entry.length, offset + idBytes)
      entry.copy(chunk, offset + idBytes + lengthBytes)
      slots[slot] = place + 1
      if (known !== 0) return
      size += 1
      if (2 * size > slots.length) grow()
    },

    clear() {
      chunks = []
      usedBytes = chunkBytes
      slots = new Uint32Array(slotsMin)
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

function idOf(organizationId: string): Buffer {
  const id = Buffer.from(organizationId.replaceAll('-', ''), 'hex')
  if (id.length !== idBytes) throw new Error('an organization id is a UUID')
  return id
}
