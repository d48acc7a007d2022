import { type RecordKind, type RecordTypes, recordKinds } from '../../contract/records/records.ts'
import { gcmTagBytes } from '../../protocol/crypto/aes_gcm.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { SealError, type Seals, type Slot } from './seal.ts'

/**
 * The stored form of a record: the readable part, sealed as JSON, and the secret of a kind that has one, sealed
 * separately. So the vault can show a list of a hundred accounts without one private key in memory.
 *
 *   u32 length of the readable part ‖ sealed readable part ‖ sealed secret, if any
 *
 * The secret is bound to the readable part's tag, so it cannot be combined with another readable part.
 */
const lengthBytes = 4

export type RecordSlot<K extends RecordKind> = {
  readonly organizationId: string
  readonly kind: K
  readonly recordId: string
  readonly version: number
}

export function sealRecord<K extends RecordKind>(
  seals: Seals,
  slot: RecordSlot<K>,
  { record, secret }: { readonly record: RecordTypes[K]; readonly secret: SecretBytes | undefined },
): Uint8Array {
  const readable = seals.seal(slotOf(slot), Buffer.from(JSON.stringify(record)))
  const sealedSecret = secret === undefined ? undefined : seals.seal(secretSlotOf(slot, readable), secret.reveal())
  const sealed = new Uint8Array(lengthBytes + readable.length + (sealedSecret?.length ?? 0))
  new DataView(sealed.buffer).setUint32(0, readable.length)
  sealed.set(readable, lengthBytes)
  if (sealedSecret !== undefined) sealed.set(sealedSecret, lengthBytes + readable.length)
  return sealed
}

/** Opens the readable part. Throws `SealError` unless it was sealed for exactly this slot. */
export function unsealRecord<K extends RecordKind>(
  seals: Seals,
  slot: RecordSlot<K>,
  sealed: Uint8Array,
): RecordTypes[K] {
  const { readable } = split(sealed)
  const plaintext = seals.unseal(slotOf(slot), readable)
  // The seal has proved that the vault wrote these bytes for this kind. So they have the shape of the kind, as it was
  // when they were written.
  const record: RecordTypes[K] = JSON.parse(Buffer.from(plaintext).toString('utf8'))
  if (recordKinds[slot.kind].idOf(record) !== slot.recordId) throw new SealError('the record names another id')
  return record
}

/** Opens the secret of a record. Throws `SealError` if the record has none. */
export function unsealSecret<K extends RecordKind>(seals: Seals, slot: RecordSlot<K>, sealed: Uint8Array): SecretBytes {
  const { readable, secret } = split(sealed)
  if (secret.length === 0) throw new SealError('this record has no secret')
  return new SecretBytes(seals.unseal(secretSlotOf(slot, readable), secret))
}

function split(sealed: Uint8Array): { readable: Uint8Array; secret: Uint8Array } {
  if (sealed.length < lengthBytes) throw new SealError('too short')
  const end = lengthBytes + new DataView(sealed.buffer, sealed.byteOffset).getUint32(0)
  if (end > sealed.length) throw new SealError('too short')
  return { readable: sealed.subarray(lengthBytes, end), secret: sealed.subarray(end) }
}

function slotOf({ organizationId, kind, recordId, version }: RecordSlot<RecordKind>): Slot {
  return { organizationId, kind: `record ${kind}`, id: recordId, version }
}

function secretSlotOf({ organizationId, kind, recordId, version }: RecordSlot<RecordKind>, readable: Uint8Array): Slot {
  const boundTo = readable.subarray(readable.length - gcmTagBytes)
  return { organizationId, kind: `secret ${kind}`, id: recordId, version, boundTo }
}
