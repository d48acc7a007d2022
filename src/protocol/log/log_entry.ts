import { bytesToHex } from '@noble/hashes/utils.js'
import { uuidOf } from '../wire/identifiers.ts'

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
 *     32  SHA-256 of the document of this version of the activity, which an auditor reads
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
  /** SHA-256 of its document for the organization of the entry: 64 hex digits. */
  readonly documentDigest: string
}

/** `tag`: 32 hex digits. */
export type LoggedHead = { readonly version: number; readonly tag: string }

/** Acts of the operator that are about no single organization have numbers of their own, under this id. */
export const noOrganizationId = '00000000-0000-0000-0000-000000000000'
export const documentBytesMax = 4_096

/** The lengths of the parts of an entry, and what its first bytes may be. */
export const entryForm = {
  version: 1,
  flags: [
    ['isLate', 1],
    ['isTakenUp', 2],
    ['isOfOperator', 4],
  ],
  idBytes: 16,
  numberBytes: 6,
  digestBytes: 32,
  /** All before the type of the activity. */
  fixedBytes: 2 + 3 * 6 + 3 * 16 + 4 + 2 * (6 + 16) + 32,
} as const

const { idBytes, numberBytes, digestBytes, fixedBytes } = entryForm
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Returns undefined if the bytes are not one whole entry of this format. There is one form of each entry, so that nobody
 * can give the same entry two hashes.
 */
export function decodeLogEntry(entry: Uint8Array): LogEntry | undefined {
  const view = new DataView(entry.buffer, entry.byteOffset, entry.byteLength)
  const flags = flagsByByte[entry[1] ?? 0]
  if (entry.length < fixedBytes + 4 || entry[0] !== entryForm.version || flags === undefined) return undefined
  const typeAt = fixedBytes
  const statusAt = typeAt + 1 + (entry[typeAt] ?? 0)
  const documentAt = statusAt + 1 + (entry[statusAt] ?? 0)
  if (documentAt + 2 > entry.length) return undefined
  const documentBytes = view.getUint16(documentAt)
  if (documentBytes > documentBytesMax || documentAt + 2 + documentBytes !== entry.length) return undefined
  const [type, status] = [asciiIn(entry, typeAt, statusAt), asciiIn(entry, statusAt, documentAt)]
  const document = textIn(entry.subarray(documentAt + 2))
  if (type === undefined || status === undefined || document === undefined) return undefined
  let at = 2
  const skip = (size: number) => {
    at += size
    return at - size
  }
  const number = () => {
    const start = skip(numberBytes)
    return view.getUint16(start) * 2 ** 32 + view.getUint32(start + 2)
  }
  const hex = (size: number) => {
    const start = skip(size)
    return bytesToHex(entry.subarray(start, start + size))
  }
  const head = () => ({ version: number(), tag: hex(idBytes) })
  const atMs = number()
  const organizationId = uuidOf(hex(idBytes))
  const [own, next] = [number(), number()]
  const id = hex(idBytes)
  const version = view.getUint32(skip(4))
  const changeKey = hex(idBytes)
  const [restsOn, makes, documentDigest] = [head(), head(), hex(digestBytes)]
  if ([restsOn, makes].some((one) => one.version === 0 && !isNothing(one.tag))) return undefined
  if (version === 0 && !(isNothing(`${id}${documentDigest}`) && `${type}${status}` === '')) return undefined
  const activity = { activityId: uuidOf(id), version, type, status, documentDigest }
  return {
    ...{ atMs, organizationId, number: own, before: next === 0 ? undefined : next - 1 },
    ...{ activity: version === 0 ? undefined : activity, changeKey },
    ...{ restsOn: restsOn.version === 0 ? undefined : restsOn, makes: makes.version === 0 ? undefined : makes },
    ...flags,
    ...(document === '' ? {} : { document }),
  }
}

/** Whether these hex digits are the zeroes of what is left out. */
function isNothing(hex: string): boolean {
  return /^0*$/.test(hex)
}

/** The text behind the byte of its length. */
function asciiIn(entry: Uint8Array, at: number, end: number): string | undefined {
  let text = ''
  for (const byte of entry.subarray(at + 1, end)) {
    if (byte > 0x7f) return undefined
    text += String.fromCharCode(byte)
  }
  return text
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** By the byte that has them. A byte with a flag that has no meaning has none. */
const flagsByByte = Array.from({ length: 8 }, (_, byte) =>
  Object.fromEntries(entryForm.flags.flatMap(([name, bit]) => ((byte & bit) === 0 ? [] : [[name, true] as const]))),
)
