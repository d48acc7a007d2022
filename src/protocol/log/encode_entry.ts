import { hash } from 'node:crypto'
import { hexOf } from '../wire/identifiers.ts'
import { documentBytesMax, entryForm, type LogEntry, type LoggedFact, type LoggedHead } from './log_entry.ts'

const { idBytes, numberBytes, digestBytes, fixedBytes } = entryForm
const textBytesMax = 255
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
  out[0] = entryForm.version
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
  at = writeHex(out, activity?.documentDigest ?? '', at, digestBytes)
  at = writeText(out, status, writeText(out, type, at))
  out.set(document, out.writeUInt16BE(document.length, at))
  return out
}

function flagsOf(fact: LoggedFact): number {
  return entryForm.flags.reduce<number>((flags, [name, bit]) => flags | (fact[name] ? bit : 0), 0)
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
