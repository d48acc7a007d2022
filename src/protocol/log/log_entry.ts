import { hash } from 'node:crypto'
import { hexOf, uuidOf } from '../wire/identifiers.ts'

/**
 * An entry of a transparency log: one decision that left the vault, or one act of the operator. It says which version of
 * which activity it made, on which head of the organization it rests, and which head it makes. The log shows nobody more
 * of it than its SHA-256. An act that changes no record is told by a document.
 *
 * All numbers are big-endian. Ids, tags and keys take 16 bytes, times and versions six. Nothing at all is zeroes.
 *
 *     u8  version of the format: 1
 *     u8  flags: 1 late, 2 taken up, 4 an act of the operator
 *     u48 time of the decision, in milliseconds since 1970
 *     16  organization
 *     u48 number of the entry among those of the organization in this log, from 1 on
 *     u48 index in the log of the entry before it of this organization, plus one; 0 if it is the first
 *     16  activity
 *     u32 version of the activity
 *     16  change key
 *     u48, 16  version and tag of the head that the decision rests on
 *     u48, 16  version and tag of the head that it makes
 *     32  SHA-256 of the sealed activity, as the database stores it
 *     u8, ASCII  length of the activity's type, and the type
 *     u8, ASCII  length of the activity's status, and the status
 *     u16, UTF-8  length of the document, and the document: JSON of at most 4,096 bytes
 */
export type LogEntry = LoggedFact & {
  readonly number: number
  /** The index in the log of the organization's entry before this one. Undefined: this is its first. */
  readonly before: number | undefined
}

/** All that an entry says but its place in the log. */
export type LoggedFact = {
  readonly atMs: number
  /** It was entered after it had left the vault: the entry was lost, or the change was committed later. */
  readonly isLate?: true
  /** The vault found the head in the database, and does not know more of the change than its key. */
  readonly isTakenUp?: true
  readonly isOfOperator?: true
  /** `noOrganizationId` for an act of the operator that is about no single one. */
  readonly organizationId: string
  /** Undefined where no activity made the head, or where nothing is known of it. */
  readonly activity: LoggedActivity | undefined
  /** 32 hex digits. */
  readonly changeKey: string
  readonly restsOn: LoggedHead | undefined
  readonly makes: LoggedHead | undefined
  /** JSON in one form (RFC 8785). Absent but for acts of the operator. */
  readonly document?: string
}

export type LoggedActivity = {
  readonly activityId: string
  readonly version: number
  readonly type: string
  readonly status: string
  /** SHA-256 of the sealed activity: 64 hex digits. */
  readonly sealedDigest: string
}

/** `tag`: 32 hex digits. */
export type LoggedHead = { readonly version: number; readonly tag: string }

/** Acts of the operator that are about no single organization have numbers of their own, under this id. */
export const noOrganizationId = '00000000-0000-0000-0000-000000000000'
export const documentBytesMax = 4_096

const formatVersion = 1
const flagBits = [
  ['isLate', 1],
  ['isTakenUp', 2],
  ['isOfOperator', 4],
] as const
const idBytes = 16
const numberBytes = 6
const digestBytes = 32
const textBytesMax = 255
const fixedBytes = 2 + 3 * numberBytes + 3 * idBytes + 4 + 2 * (numberBytes + idBytes) + digestBytes
const nothing = Buffer.alloc(digestBytes)

/** The bytes that stand in a bundle of the log, and whose Merkle leaf stands in the tree. */
export function hashOfLogEntry(entry: Uint8Array): Uint8Array {
  return hash('sha256', entry, 'buffer')
}

export function encodeLogEntry(entry: LogEntry): Buffer {
  const { activity } = entry
  const type = activity?.type ?? ''
  const status = activity?.status ?? ''
  const document = Buffer.from(entry.document ?? '')
  if (type.length > textBytesMax || status.length > textBytesMax) throw new RangeError('a type or status is too long')
  if (document.length > documentBytesMax) throw new RangeError(`a document has more than ${documentBytesMax} bytes`)
  const out = Buffer.allocUnsafe(fixedBytes + 4 + type.length + status.length + document.length)
  out[0] = formatVersion
  out[1] = flagsOf(entry)
  let at = out.writeUIntBE(entry.atMs, 2, numberBytes)
  at = writeHex(out, hexOf(entry.organizationId), at, idBytes)
  at = out.writeUIntBE(entry.number, at, numberBytes)
  at = out.writeUIntBE(entry.before === undefined ? 0 : entry.before + 1, at, numberBytes)
  at = writeHex(out, hexOf(activity?.activityId ?? ''), at, idBytes)
  at = out.writeUInt32BE(activity?.version ?? 0, at)
  at = writeHex(out, entry.changeKey, at, idBytes)
  at = writeHead(out, entry.restsOn, at)
  at = writeHead(out, entry.makes, at)
  at = writeHex(out, activity?.sealedDigest ?? '', at, digestBytes)
  at = writeText(out, status, writeText(out, type, at))
  out.set(document, out.writeUInt16BE(document.length, at))
  return out
}

/** Returns undefined if the bytes are not one whole entry of this format. */
export function decodeLogEntry(bytes: Uint8Array): LogEntry | undefined {
  const entry = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (entry.length < fixedBytes + 4 || entry[0] !== formatVersion) return undefined
  const typeAt = fixedBytes
  const statusAt = typeAt + 1 + (entry[typeAt] ?? 0)
  const documentAt = statusAt + 1 + (entry[statusAt] ?? 0)
  if (documentAt + 2 > entry.length) return undefined
  const documentBytes = entry.readUInt16BE(documentAt)
  if (documentBytes > documentBytesMax || documentAt + 2 + documentBytes !== entry.length) return undefined
  let at = 2
  const take = (size: number) => {
    at += size
    return entry.subarray(at - size, at)
  }
  const number = () => take(numberBytes).readUIntBE(0, numberBytes)
  const head = () => {
    const version = number()
    const tag = take(idBytes).toString('hex')
    return version === 0 ? undefined : { version, tag }
  }
  const atMs = number()
  const organizationId = uuidOf(take(idBytes).toString('hex'))
  const place = { number: number(), next: number() }
  const activityId = take(idBytes)
  const version = take(4).readUInt32BE(0)
  const changeKey = take(idBytes).toString('hex')
  const [restsOn, makes] = [head(), head()]
  const activity = {
    activityId: uuidOf(activityId.toString('hex')),
    version,
    type: entry.toString('ascii', typeAt + 1, statusAt),
    status: entry.toString('ascii', statusAt + 1, documentAt),
    sealedDigest: take(digestBytes).toString('hex'),
  }
  const decoded: LogEntry = {
    ...{ atMs, organizationId, number: place.number, before: place.next === 0 ? undefined : place.next - 1 },
    ...{ activity: version === 0 ? undefined : activity, changeKey, restsOn, makes },
    ...flagsIn(entry[1] ?? 0),
    ...(documentBytes === 0 ? {} : { document: entry.toString('utf8', documentAt + 2) }),
  }
  // There is one form of each entry, so that nobody can give the same entry two hashes.
  return encodeLogEntry(decoded).equals(entry) ? decoded : undefined
}

function flagsOf(fact: LoggedFact): number {
  return flagBits.reduce((flags, [name, bit]) => flags | (fact[name] ? bit : 0), 0)
}

function flagsIn(flags: number): Partial<Record<(typeof flagBits)[number][0], true>> {
  return Object.fromEntries(flagBits.flatMap(([name, bit]) => ((flags & bit) === 0 ? [] : [[name, true]])))
}

function writeHead(out: Buffer, head: LoggedHead | undefined, at: number): number {
  return writeHex(out, head?.tag ?? '', out.writeUIntBE(head?.version ?? 0, at, numberBytes), idBytes)
}

/** Writes as many bytes as the field has, or zeroes for an absent one. */
function writeHex(out: Buffer, hex: string, at: number, bytes: number): number {
  if (hex === '') nothing.copy(out, at, 0, bytes)
  else if (hex.length !== 2 * bytes || out.write(hex, at, bytes, 'hex') !== bytes) {
    throw new RangeError(`${JSON.stringify(hex)} is not ${bytes} bytes in hex`)
  }
  return at + bytes
}

function writeText(out: Buffer, text: string, at: number): number {
  out[at] = text.length
  out.write(text, at + 1, 'latin1')
  return at + 1 + text.length
}
