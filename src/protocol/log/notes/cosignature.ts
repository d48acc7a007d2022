import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Checkpoint, readCheckpoint } from './checkpoint.ts'
import type { KeyType } from './verifier_keys.ts'

/** The length of a name and of an origin stands in one byte. */
const nameBytesMax = 255

type Statement = { readonly name: string; readonly type: KeyType; readonly timeS: number }

/** The bytes that a key of this type signs. Undefined if it signs no such text. */
export function messageOf(text: string, { name, type, timeS }: Statement): Uint8Array | undefined {
  if (type === 'Ed25519') return utf8ToBytes(text)
  const checkpoint = readCheckpoint(text)
  if (checkpoint.kind === 'malformed') return
  if (type === 'Ed25519 cosignature') return cosignedText(text, { timeS })
  // It would not cover the lines.
  if (checkpoint.value.extensions.length > 0) return
  return cosignedTree(checkpoint.value, { name, timeS })
}

/** The bytes that an Ed25519 cosignature signs: a time and the text of a checkpoint (C2SP tlog-cosignature v1). */
export function cosignedText(text: string, { timeS }: { readonly timeS: number }): Uint8Array {
  return utf8ToBytes(`cosignature/v1\ntime ${timeS}\n${text}`)
}

/**
 * The bytes that an ML-DSA-44 cosignature signs: the tree of a checkpoint (C2SP tlog-cosignature v1.1). It has no room
 * for extension lines. `timeS` is 0 where the signer does not say that it knows no larger tree. Undefined if a name is
 * too long.
 */
export function cosignedTree(
  { origin, size, root }: Checkpoint,
  { name, timeS }: { readonly name: string; readonly timeS: number },
): Uint8Array | undefined {
  const cosigner = utf8ToBytes(name)
  const log = utf8ToBytes(origin)
  if (cosigner.length > nameBytesMax || log.length > nameBytesMax) return
  const label = utf8ToBytes('subtree/v1\n\0')
  const start = uint64(0)
  return concatBytes(label, prefixed(cosigner), uint64(timeS), prefixed(log), start, uint64(size), root)
}

/** A signature behind its time. */
export function timed(timeS: number, signature: Uint8Array): Uint8Array {
  return concatBytes(uint64(timeS), signature)
}

/** The time before a signature, in seconds since 1970; undefined if it is above 2^53 - 1. */
export function timeOf(signature: Uint8Array): number | undefined {
  const timeS = Number(viewOf(signature).getBigUint64(0))
  return Number.isSafeInteger(timeS) ? timeS : undefined
}

function prefixed(bytes: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(bytes.length), bytes)
}

function uint64(value: number): Uint8Array {
  const bytes = new Uint8Array(8)
  viewOf(bytes).setBigUint64(0, BigInt(value))
  return bytes
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
