import { isUtf8 } from 'node:buffer'

/**
 * Messages between the service and the vault as frames on a byte stream. A message is any JSON value whose leaves may
 * also be `Uint8Array`; members that are `undefined` are left out. The peer may be hostile: only `JSON.parse` and the
 * checks below read its bytes.
 *
 * One frame, all integers big-endian:
 *
 *     u32  bytes that follow this field
 *     u32  bytes of the header
 *     header: UTF-8 JSON in which each binary leaf is {"$bytes":length}
 *     parts: the binary leaves, in the order in which the header names them, nothing between and nothing after
 *
 * A leaf gives its length and no offset, and the lengths must add up to the parts: leaves cannot overlap or leave gaps.
 */

/** The largest frame, its length fields included. */
export const frameBytesMax = 64 * 1024 * 1024

/** How many arrays and objects may enclose a value at most. */
export const frameDepthMax = 32

/** The bytes are not a frame of ours, or no frame can carry the value. After it the stream cannot be used. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

const lengthBytes = 4
const prefixBytes = 2 * lengthBytes
const bytesMember = '$bytes'

/** Returns one frame that carries `message`. Throws `FrameError` for a value that would not arrive as it is. */
export function encodeFrame(message: unknown): Uint8Array {
  const parts: Uint8Array[] = []
  const header = JSON.stringify(withoutBytes(message, parts, 0))
  const headerBytes = Buffer.byteLength(header)
  let frameBytes = prefixBytes + headerBytes
  for (const part of parts) frameBytes += part.length
  if (frameBytes > frameBytesMax) throw new FrameError(`a message of ${frameBytes} bytes is over ${frameBytesMax}`)

  const frame = Buffer.allocUnsafe(frameBytes)
  frame.writeUInt32BE(frameBytes - lengthBytes, 0)
  frame.writeUInt32BE(headerBytes, lengthBytes)
  frame.write(header, prefixBytes)
  let offset = prefixBytes + headerBytes
  for (const part of parts) {
    frame.set(part, offset)
    offset += part.length
  }
  return frame
}

/** Takes the stream's chunks, however they are cut, and returns the messages. */
export class FrameDecoder {
  /** The frame that has begun: a buffer of its whole size with its first bytes. */
  #frame: Buffer | undefined
  #frameFilledBytes = 0
  /** The first bytes of a length field that a chunk's end cut off. */
  #lengthField = Buffer.alloc(0)
  #broken = false

  /** Returns the messages that `chunk` completes, in order. After a `FrameError`, every further call throws one too. */
  push(chunk: Uint8Array): unknown[] {
    if (this.#broken) throw new FrameError('the stream broke earlier')
    this.#broken = true
    const messages: unknown[] = []
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    while (rest.length > 0) rest = this.#frame === undefined ? this.#begin(rest, messages) : this.#fill(rest, messages)
    this.#broken = false
    return messages
  }

  /** Called when the stream ends. Throws `FrameError` in the middle of a frame. */
  end(): void {
    if (this.#frame !== undefined || this.#lengthField.length > 0)
      throw new FrameError('the stream ends inside a frame')
  }

  #begin(chunk: Buffer, messages: unknown[]): Buffer {
    const rest = this.#lengthField.length === 0 ? chunk : Buffer.concat([this.#lengthField, chunk])
    if (rest.length < lengthBytes) {
      this.#lengthField = Buffer.from(rest)
      return Buffer.alloc(0)
    }
    this.#lengthField = Buffer.alloc(0)
    const frameBytes = lengthBytes + rest.readUInt32BE(0)
    if (frameBytes < prefixBytes) throw new FrameError('a frame without a header')
    if (frameBytes > frameBytesMax) throw new FrameError(`a frame of ${frameBytes} bytes is over ${frameBytesMax}`)
    if (rest.length >= frameBytes) {
      messages.push(decodeFrame(rest.subarray(0, frameBytes), { isOwn: false }))
      return rest.subarray(frameBytes)
    }
    // One buffer for the whole frame: joining chunk after chunk would copy a large frame hundreds of times.
    this.#frame = Buffer.allocUnsafe(frameBytes)
    this.#frameFilledBytes = 0
    return rest
  }

  #fill(chunk: Buffer, messages: unknown[]): Buffer {
    const frame = this.#frame ?? Buffer.alloc(0)
    const copiedBytes = chunk.copy(frame, this.#frameFilledBytes)
    this.#frameFilledBytes += copiedBytes
    if (this.#frameFilledBytes === frame.length) {
      this.#frame = undefined
      messages.push(decodeFrame(frame, { isOwn: true }))
    }
    return chunk.subarray(copiedBytes)
  }
}

/** A copy of `value` for `JSON.stringify`, with the binary leaves moved to `parts`. */
function withoutBytes(value: unknown, parts: Uint8Array[], depth: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (!Number.isFinite(value)) throw new FrameError(`${value} has no form in JSON`)
      return value
    case 'object':
      break
    default:
      throw new FrameError(`a ${typeof value} cannot be sent`)
  }
  if (value === null) return value
  if (value instanceof Uint8Array) {
    parts.push(value)
    return { [bytesMember]: value.length }
  }
  if (depth === frameDepthMax) throw new FrameError(`a message deeper than ${frameDepthMax}`)
  if (Array.isArray(value)) {
    const copy: unknown[] = []
    // By index, because `map` keeps holes, which JSON would fill with null.
    for (let index = 0; index < value.length; index++) copy.push(withoutBytes(value[index], parts, depth + 1))
    return copy
  }
  if (!isPlain(value)) throw new FrameError(`an object of class ${value.constructor.name} cannot be sent`)
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member === undefined) continue
    refuseReserved(key)
    copy[key] = withoutBytes(member, parts, depth + 1)
  }
  return copy
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Plain data with such a member could not be told from a binary leaf, or would change an object's prototype. */
function refuseReserved(key: string): void {
  if (key === bytesMember || key === '__proto__') throw new FrameError(`a member named ${key} cannot be sent`)
}

/** `frame` is one whole frame whose length field was read. `isOwn`: nobody else has its buffer, which has nothing else. */
function decodeFrame(frame: Buffer, { isOwn }: { readonly isOwn: boolean }): unknown {
  const headerBytes = frame.readUInt32BE(lengthBytes)
  if (headerBytes > frame.length - prefixBytes) throw new FrameError('a header larger than its frame')
  const header = frame.subarray(prefixBytes, prefixBytes + headerBytes)
  const parts = { bytes: partsOf(frame.subarray(prefixBytes + headerBytes), { isOwn }), readBytes: 0 }
  const message = withBytes(parseHeader(header), parts, 0)
  if (parts.readBytes !== parts.bytes.length) throw new FrameError('a frame with bytes that belong to no leaf')
  return message
}

/**
 * A copy of the parts alone: a leaf that is kept, such as a head in a cache, must not keep the whole frame alive. Parts
 * that are most of their own frame are not copied.
 */
function partsOf(parts: Buffer, { isOwn }: { readonly isOwn: boolean }): Uint8Array {
  if (!isOwn || 2 * parts.length < parts.buffer.byteLength) return new Uint8Array(parts)
  return new Uint8Array(parts.buffer, parts.byteOffset, parts.length)
}

type FrameParts = { readonly bytes: Uint8Array; readBytes: number }

function parseHeader(header: Buffer): unknown {
  if (!isUtf8(header)) throw new FrameError('a header that is not UTF-8')
  try {
    return JSON.parse(header.toString())
  } catch (cause) {
    throw new FrameError('a header that is not JSON', { cause })
  }
}

/** Puts the binary leaves back into `value`, in place: it is fresh from `JSON.parse`, so nothing else refers to it. */
function withBytes(value: unknown, parts: FrameParts, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > frameDepthMax) throw new FrameError(`a message deeper than ${frameDepthMax}`)
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = withBytes(value[index], parts, depth + 1)
    return value
  }
  if (!isPlain(value)) throw new FrameError('a header with an object that is not plain')
  if (Object.hasOwn(value, bytesMember)) return takePart(value, parts)
  for (const key of Object.keys(value)) {
    refuseReserved(key)
    const member = value[key]
    if (typeof member === 'object') value[key] = withBytes(member, parts, depth + 1)
  }
  return value
}

function takePart(leaf: Record<string, unknown>, parts: FrameParts): Uint8Array {
  const length = leaf[bytesMember]
  if (Object.keys(leaf).length !== 1 || typeof length !== 'number' || !Number.isInteger(length) || length < 0) {
    throw new FrameError('a binary leaf that is not {"$bytes":length}')
  }
  const end = parts.readBytes + length
  if (end > parts.bytes.length) throw new FrameError('a binary leaf beyond the end of its frame')
  const part = parts.bytes.subarray(parts.readBytes, end)
  parts.readBytes = end
  return part
}
