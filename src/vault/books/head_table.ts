import { randomBytes } from 'node:crypto'
import { hexOf } from '../../protocol/wire/identifiers.ts'
import { idBytes } from './ids.ts'

/**
 * A hash table of the newest head entry of each organization, for millions of them. The bytes of the entries lie in
 * large buffers, and a typed array leads from an organization's id to its entry. The garbage collector walks neither.
 */
export type HeadTable = {
  /** Returns the bytes of the entry, which are valid until the next `set`. */
  get(organizationId: string): Buffer | undefined
  /** Keeps a copy of an entry. `isWanted` says whether the entry replaces the present one. */
  set(entry: Piece, isWanted?: (before: Buffer) => boolean): void
  clear(): void
  /** All entries, in no order. An entry that is set during the iteration appears once, in its old or its new form. */
  entries(): Iterable<Buffer>
  readonly size: number
}

/** A range of a buffer. It needs no view object of its own: a start reads millions of entries. */
export type Piece = { readonly bytes: Buffer; readonly start: number; readonly end: number }

const chunkBytesDefault = 1024 * 1024
/** Entries begin at multiples of this number of bytes, so that 32 bits can address 64 GiB of entries. */
const unitBytes = 16
const lengthBytes = 4
const slotsMin = 1024
const growth = 4

type TableLayout = { readonly chunkBytes?: number; readonly idOffset: number }

/**
 * `chunkBytes` is a multiple of 16, and a chunk holds the largest entry. `idOffset` is the offset of the organization's
 * id in an entry.
 */
export function createHeadTable({ chunkBytes = chunkBytesDefault, idOffset }: TableLayout): HeadTable {
  // The vault draws the organization ids, but a stolen service could confirm only those that share slots. The salt hides
  // from the service which ids these are.
  const salt = randomBytes(4).readUInt32BE()
  let chunks: Buffer[] = []
  let usedBytes = chunkBytes // in the last chunk; "full" while there is no chunk
  /** Two numbers for each slot: the place of its entry in units, plus one (0: empty), and the hash of its id. */
  let slots = new Uint32Array(2 * slotsMin)
  let size = 0

  /** The chunk of a place. The length of the entry and then the entry stand at the place. */
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
    const start = offsetOf(place) + lengthBytes
    return chunk.subarray(start, start + chunk.readUInt32BE(start - lengthBytes))
  }

  function hashOf(bytes: Buffer, idStart: number): number {
    let hash = salt
    for (let at = idStart; at < idStart + idBytes; at += 4) {
      const word =
        ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)
      hash = Math.imul(hash ^ word, 0x9e3779b1)
      hash ^= hash >>> 15
    }
    return Math.imul(hash, 0x85ebca6b) >>> 0
  }

  /** Returns the slot of the id, or the empty slot where the id belongs. */
  function slotOf(bytes: Buffer, idStart: number, hash: number): number {
    const mask = slots.length / 2 - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const place = slots[2 * slot] ?? 0
      if (place === 0 || (slots[2 * slot + 1] === hash && isOf(bytes, idStart, place - 1))) return 2 * slot
    }
  }

  function isOf(bytes: Buffer, idStart: number, place: number): boolean {
    const at = offsetOf(place) + lengthBytes + idOffset
    return chunkAt(place).compare(bytes, idStart, idStart + idBytes, at, at + idBytes) === 0
  }

  function grow(): void {
    const before = slots
    slots = new Uint32Array(growth * before.length)
    const mask = slots.length / 2 - 1
    for (let index = 0; index < before.length; index += 2) {
      const place = before[index] ?? 0
      if (place === 0) continue
      const hash = before[index + 1] ?? 0
      let slot = hash & mask
      while (slots[2 * slot] !== 0) slot = (slot + 1) & mask
      slots[2 * slot] = place
      slots[2 * slot + 1] = hash
    }
  }

  function allocate(bytes: number): number {
    const taken = Math.ceil((lengthBytes + bytes) / unitBytes) * unitBytes
    if (usedBytes + taken > chunkBytes) {
      chunks.push(Buffer.allocUnsafeSlow(chunkBytes))
      usedBytes = 0
    }
    const place = ((chunks.length - 1) * chunkBytes + usedBytes) / unitBytes
    usedBytes += taken
    return place
  }

  return {
    get(organizationId) {
      const id = idOf(organizationId)
      const place = slots[slotOf(id, 0, hashOf(id, 0))] ?? 0
      return place === 0 ? undefined : entryAt(place - 1)
    },

    set({ bytes, start, end }, isWanted = () => true) {
      const idStart = start + idOffset
      const hash = hashOf(bytes, idStart)
      const slot = slotOf(bytes, idStart, hash)
      const known = slots[slot] ?? 0
      const before = known === 0 ? undefined : entryAt(known - 1)
      if (before !== undefined && !isWanted(before)) return
      const length = end - start
      // An entry grows when another journal makes a head. That is rare, so its former bytes stay allocated.
      const place = before !== undefined && before.length >= length ? known - 1 : allocate(length)
      const chunk = chunkAt(place)
      const offset = offsetOf(place)
      chunk.writeUInt32BE(length, offset)
      bytes.copy(chunk, offset + lengthBytes, start, end)
      slots[slot] = place + 1
      slots[slot + 1] = hash
      if (before !== undefined) return
      size += 1
      if (4 * size > slots.length) grow()
    },

    clear() {
      chunks = []
      usedBytes = chunkBytes
      slots = new Uint32Array(2 * slotsMin)
      size = 0
    },

    *entries() {
      // `grow` and `clear` leave this table as it was. The journal has the entries that are set later.
      const inSlots = slots
      const inChunks = chunks
      for (let index = 0; index < inSlots.length; index += 2) {
        const place = inSlots[index] ?? 0
        if (place !== 0) yield entryAt(place - 1, inChunks)
      }
    },

    get size() {
      return size
    },
  }
}

function idOf(organizationId: string): Buffer {
  const id = Buffer.from(hexOf(organizationId), 'hex')
  if (id.length !== idBytes) throw new Error('an organization id is a UUID')
  return id
}
