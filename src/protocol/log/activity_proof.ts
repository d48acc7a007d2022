import { sha256 } from '@noble/hashes/sha2.js'
import { isUuid } from '../wire/identifiers.ts'
import type { Accepted } from './accepted.ts'
import { bytesIn, textIn, utf8Of } from './lines.ts'
import { decodeLogEntry, type LogEntry } from './log_entry.ts'
import type { Verifier } from './notes/note.ts'
import { readVerifierKey, type VerifierKey } from './notes/verifier_keys.ts'
import type { Policy } from './policy.ts'
import { type LogProof, proofBytesMax, proofHeading, readProof, verifyProof } from './proof.ts'
import { inner, Malformed, type Reading, reading } from './reading.ts'

/** The proof of an activity, as a file that verifies without the server. */
export type ActivityProof = {
  /** Undefined for a bare proof of one entry, which says itself of which activity it is. */
  readonly activity: { readonly organizationId: string; readonly activityId: string } | undefined
  /** The keys of the logs as the server names them. */
  readonly keys: readonly VerifierKey[]
  readonly entries: readonly ProvenEntry[]
  /** Versions of the activity of which the server had no entry. */
  readonly uncoveredVersions: readonly number[]
}

type ProvenEntry = { readonly entry: Uint8Array; readonly proof: LogProof }

export const activityProofFormat = 'claviger activity proof v1'
export const activityProofBytesMax = 4 * proofBytesMax

/** The file as it is written: entries in base64, and each proof as the text of a C2SP tlog-proof. */
export type ActivityProofTexts = {
  readonly organizationId: string
  readonly activityId: string
  readonly keys: readonly string[]
  readonly entries: readonly { readonly entry: string; readonly proof: string }[]
  readonly uncoveredVersions: readonly number[]
}

export function writeActivityProof({
  organizationId,
  activityId,
  keys,
  entries,
  uncoveredVersions,
}: ActivityProofTexts) {
  const proofs = entries.map(({ entry, proof }) => ({ entry, proof }))
  const file = { format: activityProofFormat, organizationId, activityId, keys, entries: proofs, uncoveredVersions }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Reads such a file, or a tlog-proof whose extra bytes are the entry, without verifying it. */
export function readActivityProof(bytes: Uint8Array): Reading<ActivityProof> {
  return reading(() => {
    if (bytes.length > activityProofBytesMax) throw new Malformed(`a proof has ${activityProofBytesMax} bytes at most`)
    const isBare = String.fromCharCode(...bytes.subarray(0, proofHeading.length)) === proofHeading
    return isBare ? bareProofIn(bytes) : proofIn(textIn(bytes, { bytesMax: activityProofBytesMax }))
  })
}

/** An entry that is proven, or why it is not. */
export type EntryVerdict =
  | { readonly kind: 'proven'; readonly entry: LogEntry; readonly index: number; readonly by: AcceptedCheckpoint }
  | { readonly kind: 'refused'; readonly reason: string }

type AcceptedCheckpoint = Extract<Accepted, { kind: 'accepted' }>

/**
 * Whether each entry is in a log whose checkpoint the policy accepts. Without a policy the keys are those of the file,
 * for which nobody vouches.
 */
export function verifyActivityProof(
  { activity, keys, entries }: ActivityProof,
  { policy, verifierOf }: { readonly policy: Policy | undefined; readonly verifierOf: (key: VerifierKey) => Verifier },
): readonly EntryVerdict[] {
  const ofFile: Policy = {
    logs: keys.map((key) => ({ key, url: undefined })),
    witnesses: [],
    groups: [],
    quorum: 'none',
  }
  return entries.map(({ entry, proof }) => {
    const decoded = decodeLogEntry(entry)
    if (decoded === undefined) return { kind: 'refused', reason: 'the entry cannot be read' }
    const isOfAnother =
      activity !== undefined &&
      (decoded.organizationId !== activity.organizationId ||
        (decoded.activity !== undefined && decoded.activity.activityId !== activity.activityId))
    if (isOfAnother) return { kind: 'refused', reason: 'the entry is of another activity than the file says' }
    const by = verifyProof(proof, { entry: sha256(entry), policy: policy ?? ofFile, verifierOf })
    return by.kind === 'refused' ? by : { kind: 'proven', entry: decoded, index: proof.index, by }
  })
}

function bareProofIn(bytes: Uint8Array): ActivityProof {
  const proof = inner(readProof(bytes))
  if (proof.extra === undefined) throw new Malformed('the proof has no extra line with its entry')
  return { activity: undefined, keys: [], entries: [{ entry: proof.extra, proof }], uncoveredVersions: [] }
}

function proofIn(text: string): ActivityProof {
  const { format, organizationId, activityId, keys, entries, uncoveredVersions } = parsed(text)
  if (format !== activityProofFormat) throw new Malformed(`the format is not ${activityProofFormat}`)
  if (!isId(organizationId) || !isId(activityId))
    throw new Malformed('there is no id of an organization or an activity')
  if (!isList(keys) || !isList(entries) || !isList(uncoveredVersions)) throw new Malformed('a list is missing')
  if (entries.length === 0) throw new Malformed('there is no entry: the log has not published it yet')
  return {
    activity: { organizationId, activityId },
    keys: keys.map((key) => inner(readVerifierKey(stringOf(key)))),
    entries: entries.map((one) => {
      const { entry, proof } = membersOf(one)
      return { entry: bytesIn(stringOf(entry)), proof: inner(readProof(utf8Of(stringOf(proof)))) }
    }),
    uncoveredVersions: uncoveredVersions.map(Number),
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return membersOf(JSON.parse(text))
  } catch (cause) {
    throw new Malformed('this is neither a tlog-proof nor a JSON object', { cause })
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new Malformed('there is no JSON object')
  return { ...value }
}

function stringOf(value: unknown): string {
  if (typeof value !== 'string' || !value.isWellFormed()) throw new Malformed('a text is missing')
  return value
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && isUuid(value)
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}
