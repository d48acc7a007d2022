import { hash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { HeldCheckpoint, HeldProof } from '../../src/cli/log/held_files.ts'
import type { ChainReading } from '../../src/cli/log/verify/chain/verify_chain.ts'
import { verifyExport } from '../../src/cli/log/verify/verify_export.ts'
import type { WrittenDocument } from '../../src/contract/records/documents.ts'
import { encodeLogEntry, hashOfLogEntry } from '../../src/protocol/log/encode_entry.ts'
import { excerptHashes } from '../../src/protocol/log/exports/excerpt.ts'
import {
  inBase64,
  writeExportEnd,
  writeExportedBundle,
  writeExportedDocument,
  writeExportHeader,
} from '../../src/protocol/log/exports/export_lines.ts'
import type { LogEntry } from '../../src/protocol/log/log_entry.ts'
import { writeCheckpoint } from '../../src/protocol/log/notes/checkpoint.ts'
import { writeNote } from '../../src/protocol/log/notes/note.ts'
import { signerOf } from '../../src/protocol/log/notes/signatures.ts'
import { type Policy, readPolicy } from '../../src/protocol/log/policy.ts'
import { emptyFrontier, grown, leafHash, rootOf } from '../../src/protocol/log/tree/tree.ts'
import { inclusionProof } from '../../src/protocol/log/tree/tree_proofs.ts'
import { logKey, signedNote, vkey } from './log_keys.ts'

/** Exports of made-up logs, in which everything may be a lie: whoever holds the master seed can sign what he likes. */

export const organizationId = '0190aaaa-0000-7000-8000-000000000001'
export const strangerId = '0190aaaa-0000-7000-8000-000000000002'

/** All entries of a log, also of others. `seed`: a byte of its key. */
export type MadeLog = { readonly origin: string; readonly seed: number; readonly entries: readonly LogEntry[] }

const digest = (text: string) => hash('sha256', text, 'hex')
export const headOf = (version: number, branch = '') => ({
  version,
  tag: digest(`head ${version}${branch}`).slice(0, 32),
})

/** The texts of documents by their digests. */
const documents = new Map<string, WrittenDocument>()

/** Keeps a document for the exports of this file, and returns its digest. */
export function keepDocument(written: WrittenDocument): string {
  documents.set(digest(written.document), written)
  return digest(written.document)
}

/** Makes the document of a step, and returns its digest. */
function documentOf(at: number): string {
  const content = JSON.stringify({ message: `{"step":${at}}`, signature: '', result: {} })
  const document = JSON.stringify({
    ...{ activityId: activityIdOf(at), version: 1, changes: [] },
    contentDigest: digest(content),
  })
  return keepDocument({ document, content })
}

const activityIdOf = (at: number) => `0190aaaa-0000-7000-9000-${String(at).padStart(12, '0')}`

export type Step = {
  readonly log: number
  readonly of?: string
  readonly makes?: number
  readonly restsOn?: number
  readonly branch?: string
  readonly more?: Partial<LogEntry>
}

/** Logs with these entries, each in its place. `restsOn`: absent, that is the head before the one that it makes. */
export function logsOf(count: number, steps: readonly Step[]): readonly MadeLog[] {
  const entries: LogEntry[][] = Array.from({ length: count }, () => [])
  const last = new Map<string, { number: number; index: number }>()
  for (const [at, { log, of = organizationId, makes, restsOn = (makes ?? 1) - 1, branch, more }] of steps.entries()) {
    const own = entries[log]
    if (own === undefined) throw new Error('no such log')
    const before = last.get(`${log} ${of}`)
    const place = { number: (before?.number ?? 0) + 1, index: own.length }
    last.set(`${log} ${of}`, place)
    const activity = {
      activityId: activityIdOf(at),
      version: 1,
      type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
      status: 'ACTIVITY_STATUS_COMPLETED',
      documentDigest: documentOf(at),
    }
    own.push({
      ...{ atMs: 1_790_000_000_000 + at * 1_000, organizationId: of, number: place.number, before: before?.index },
      ...{
        activity,
        changeKey: digest(`change ${at}`).slice(0, 32),
        restsOn: restsOn === 0 ? undefined : headOf(restsOn, branch),
      },
      ...{ makes: makes === undefined ? undefined : headOf(makes, branch), ...more },
    })
  }
  return entries.map((own, log) => ({
    origin: `keys.example/log/${String(log).repeat(32)}`,
    entries: own,
    seed: log + 1,
  }))
}

const keyOf = ({ origin, seed }: Pick<MadeLog, 'origin' | 'seed'>) => logKey(origin, 'Ed25519', seed)

export function policyText(logs: readonly Pick<MadeLog, 'origin' | 'seed'>[]): string {
  return `${logs.map((log) => `log ${vkey(keyOf(log))}\n`).join('')}quorum none\n`
}

export function policyOf(logs: readonly Pick<MadeLog, 'origin' | 'seed'>[]): Policy {
  const policy = readPolicy(Buffer.from(policyText(logs)))
  if (policy.kind === 'malformed') throw new Error(policy.reason)
  return policy.value
}

function treeOf(leaves: readonly Uint8Array[]) {
  return leaves.reduce(grown, emptyFrontier)
}

const leafOf = (entry: LogEntry) => leafHash(hashOfLogEntry(encodeLogEntry(entry)))

/** The checkpoint of a log, as a reader holds it in the file `path`. */
export function checkpointOf({ entries, ...log }: MadeLog, path: string): HeldCheckpoint {
  const tree = treeOf(entries.map(leafOf))
  const checkpoint = { origin: log.origin, size: tree.size, root: rootOf(tree), extensions: [] }
  const note = signedNote(writeCheckpoint(checkpoint), [signerOf(keyOf(log), { timeS: 0 })])
  return { ...checkpoint, path, note, text: Buffer.from(writeNote(note)).toString() }
}

/** The proof of an entry of a log, as a reader holds it in the file `path`. */
export function activityProofOf(log: MadeLog, index: number, path: string): HeldProof {
  const leaves = log.entries.map(leafOf)
  const hashes = inclusionProof({ index, size: leaves.length }, (node) =>
    rootOf(treeOf(leaves.slice(node.index * 2 ** node.level, (node.index + 1) * 2 ** node.level))),
  )
  const entry = log.entries[index]
  if (entry === undefined) throw new Error('no such entry')
  const proof = { extra: undefined, index, hashes, note: checkpointOf(log, path).note }
  return {
    path,
    activity: undefined,
    keys: [],
    entries: [{ entry: encodeLogEntry(entry), proof }],
    uncoveredVersions: [],
  }
}

/** The text of an export. `isShown`: which entries it shows; absent: those of the organization. */
export function exportOf(
  logs: readonly MadeLog[],
  {
    of = organizationId,
    isShown = ({ organizationId: its }: LogEntry) => its === of,
    isDocumented = () => true,
  }: {
    readonly isShown?: (entry: LogEntry) => boolean
    readonly isDocumented?: (entry: LogEntry) => boolean
    readonly of?: string
  } = {},
): string {
  const header = writeExportHeader({
    organizationId: of,
    logs: logs.map((log) => ({ keys: [vkey(keyOf(log))], checkpoint: checkpointOf(log, '').text })),
  })
  let text = `${header}\n`
  const starts: number[] = []
  let count = 0
  for (const [log, { entries }] of logs.entries()) {
    starts.push(Buffer.byteLength(text))
    const bundles = Array.from({ length: Math.ceil(entries.length / 256) }, (_, number) =>
      entries.slice(number * 256, (number + 1) * 256),
    )
    const roots = bundles.map((bundle) => rootOf(treeOf(bundle.map(leafOf))))
    for (const [number, bundle] of bundles.entries()) {
      const shown = bundle.flatMap((entry, place) => (isShown(entry) ? [{ entry, index: number * 256 + place }] : []))
      if (shown.length === 0) continue
      const indexes = shown.map(({ index }) => index)
      const proof = inclusionProof({ index: number, size: bundles.length }, ({ level, index }) =>
        rootOf(treeOf(roots.slice(index * 2 ** level, (index + 1) * 2 ** level))),
      )
      const hashes = excerptHashes({ from: number * 256, indexes }, bundle.map(leafOf))
      count += shown.length
      const texts = {
        entries: shown.map(({ entry }) => inBase64(encodeLogEntry(entry))),
        hashes: hashes.map(inBase64),
        proof: proof.map(inBase64),
      }
      text += `${writeExportedBundle(log, { from: number * 256, indexes, ...texts })}\n`
      for (const { entry, index } of shown) {
        const written = documents.get(entry.activity?.documentDigest ?? '')
        if (written !== undefined && isDocumented(entry))
          text += `${writeExportedDocument({ log, index, ...written })}\n`
      }
    }
  }
  return `${text}${writeExportEnd({ starts, entries: count })}\n`
}

/** Verifies the text of an export as a file, in its first step. */
export async function verified(
  text: string | Uint8Array,
  policy: Policy | undefined,
  given: Omit<Partial<ChainReading>, 'policy' | 'onEntry'> = {},
) {
  return (await verifiedInAll(text, policy, given)).chain
}

/** The same in all steps. */
export async function verifiedInAll(
  text: string | Uint8Array,
  policy: Policy | undefined,
  given: Omit<Partial<ChainReading>, 'policy' | 'onEntry'> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-export-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'export'), text)
  const file = await open(join(folder, 'export'))
  try {
    return await verifyExport(file, { policy, ...given })
  } finally {
    await file.close()
  }
}
