import Type, { type Static } from 'typebox'
import { optional, Timestamp } from '../../../contract/fields/fields.ts'
import { texts, view } from '../../../contract/fields/named.ts'
import type { Logged, LoggedDocument } from '../../../contract/readers.ts'
import { timestampView } from '../../../contract/records/views.ts'
import { hashBytes } from '../../../protocol/log/lines.ts'
import { decodeLogEntry } from '../../../protocol/log/log_entry.ts'
import { readEntriesUpTo, tileWidth } from '../../../protocol/log/tree/tiles.ts'
import type { FoundLogBundle } from '../../../protocol/reads.ts'

/** Bytes are base64, as in all files of the log. */
const base64Of = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

export const ActivityProofView = view('ActivityProof', {
  entries: Type.Array(
    view('RecordedVersion', {
      version: Type.Integer(),
      ...texts('origin'),
      index: Type.Integer(),
      recordedAt: Timestamp,
      ...texts('entry', 'proof'),
    }),
  ),
  /** Versions of the activity that no checkpoint covers yet, or that were decided before the log began. */
  uncoveredVersions: Type.Array(Type.Integer()),
})

export function activityProofView({ proofs, versionsCount }: Logged): Static<typeof ActivityProofView> {
  const covered = new Set(proofs.map(({ version }) => version))
  const versions = Array.from({ length: versionsCount }, (_, at) => at + 1)
  const entries = proofs.map(({ version, origin, index, entry, proof }) => {
    const recordedAt = timestampView(decodeLogEntry(entry)?.atMs ?? 0)
    return { version, origin, index, recordedAt, entry: base64Of(entry), proof: Buffer.from(proof).toString('utf8') }
  })
  return {
    entries: entries.sort((one, other) => one.version - other.version),
    uncoveredVersions: versions.filter((version) => !covered.has(version)),
  }
}

/** See `docs/transparency_formats.md`: both texts are lines of an export. */
export const LogDocumentView = view('LogDocument', {
  activityId: Type.String(),
  version: Type.Integer(),
  document: Type.String({ description: 'JSON. Its SHA-256 is in the entry.' }),
  content: optional(
    Type.String({
      description: 'JSON. Its SHA-256 is in the document. Absent where it holds what only the submitter may see.',
    }),
  ),
})

export function documentView({ content, ...shown }: LoggedDocument): Static<typeof LogDocumentView> {
  return { ...shown, ...(content === undefined ? {} : { content }) }
}

/** See `docs/transparency_formats.md`: these are lines of an export. */
export const LogBundleView = view('LogBundle', {
  from: Type.Integer(),
  indexes: Type.Array(Type.Integer()),
  entries: Type.Array(Type.String()),
  hashes: Type.Array(Type.String()),
  proof: Type.Array(Type.String()),
})

export function logBundleView({ from, indexes, entries, hashes, proof }: FoundLogBundle): Static<typeof LogBundleView> {
  const read = readEntriesUpTo(entries, { widthMax: tileWidth })
  if (read.kind === 'malformed') throw new Error('the vault has read these entries')
  return {
    ...{ from, indexes: [...indexes], entries: read.value.map(base64Of) },
    ...{ hashes: hashesIn(hashes), proof: hashesIn(proof) },
  }
}

function hashesIn(bytes: Uint8Array): string[] {
  return Array.from({ length: bytes.length / hashBytes }, (_, at) =>
    base64Of(bytes.subarray(at * hashBytes, (at + 1) * hashBytes)),
  )
}
