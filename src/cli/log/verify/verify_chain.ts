import type { FileHandle } from 'node:fs/promises'
import { acceptCheckpoint } from '../../../protocol/log/accepted.ts'
import { readCheckpoint } from '../../../protocol/log/checkpoint.ts'
import {
  type ExportEnd,
  type ExportedLog,
  type ExportHeader,
  readExportEnd,
  readExportHeader,
} from '../../../protocol/log/export_lines.ts'
import { openNote } from '../../../protocol/log/note.ts'
import type { Policy } from '../../../protocol/log/policy.ts'
import { verifierOf } from '../../../protocol/log/signatures.ts'
import { LongLine, lastLine, linesFrom, type PlacedLine } from '../export_file.ts'
import type { Held } from '../held_files.ts'
import { createHeadsCheck, type HeadsResult } from './check_heads.ts'
import { createHeldCheck, type ExportedTree, type HeldResult } from './check_held.ts'
import { type CheckedLog, checkLog, type PlacedEntry } from './check_log.ts'
import { createFindings, type Finding, type Findings } from './findings.ts'
import { mergeEntries } from './merge_entries.ts'
import { createTally, type EntriesTally } from './tally_entries.ts'

/** The outcome of the step. It is right if `findingsCount` is 0. */
export type ChainResult = HeadsResult &
  EntriesTally & {
    readonly organizationId: string | undefined
    readonly held: HeldResult
    readonly logs: readonly { readonly origin: string; readonly size: number; readonly witnesses: readonly string[] }[]
    readonly findings: readonly Finding[]
    readonly findingsCount: number
  }

const nothingHeld: Held = { checkpoints: [], proofs: [] }

export type ChainReading = {
  readonly policy: Policy | undefined
  /** The organization of which the export must be. Undefined: any. */
  readonly organizationId?: string | undefined
  readonly held?: Held
  readonly onProgress?: (entries: number) => void
  /**
   * Takes each entry, in the order of the heads, so that one reading of the file is enough for all steps. `logs`: how many
   * logs the file has.
   */
  readonly onEntry?: (placed: PlacedEntry, logs: number) => Promise<void>
}

/**
 * Verifies that an export is whole, from the file alone: checkpoints by the policy, or by the keys that the file names,
 * each entry in its tree, numbers without a gap in each log, and heads from the first to the newest. It reads the file
 * once and keeps no more of it the longer it is.
 */
export async function verifyChain(
  file: FileHandle,
  { policy, organizationId, held = nothingHeld, onProgress = () => {}, onEntry = async () => {} }: ChainReading,
): Promise<ChainResult> {
  const findings = createFindings()
  const heads = createHeadsCheck(findings)
  const tally = createTally(findings)
  const read = await readEnds(file)
  if (read.kind === 'malformed') {
    findings.add({ what: read.reason })
    const nothing = { organizationId: undefined, logs: [], held: { reached: [], passed: [], provenEntries: 0 } }
    return { ...resultOf(findings), ...heads.end(), ...tally.result(), ...nothing }
  }
  const { header, end } = read
  if (organizationId !== undefined && header.organizationId !== organizationId) {
    findings.add({ what: `the file is of another organization, ${header.organizationId}` })
  }
  const accepted = header.logs.map((log) => accepting(log, policy, findings))
  refuseMissing(policy, accepted, findings)
  const logs = accepted.flatMap((checkpoint, log) => {
    const start = end.starts[log] ?? 0
    const bounds = { start, end: end.starts[log + 1] ?? read.endsAt }
    return checkpoint === undefined ? [] : [{ ...checkpoint, log, ...bounds } satisfies CheckedLog]
  })
  const known = { organizationId: header.organizationId, findings }
  const heldCheck = createHeldCheck(held, { ...known, policy, logs: accepted.flatMap((log) => log ?? []) })
  try {
    for await (const placed of mergeEntries(logs.map((log) => checkLog(file, log, known)))) {
      heads.add(placed)
      tally.add(placed)
      heldCheck.add(placed)
      await onEntry(placed, logs.length)
      const { entries } = tally.result()
      if (entries % 1_000 === 0) onProgress(entries)
    }
  } catch (error) {
    if (!(error instanceof LongLine)) throw error
    findings.add({ what: error.message })
  }
  const ended = { ...heads.end(), held: heldCheck.end() }
  const { entries } = tally.result()
  if (entries !== end.entries && findings.count() === 0) {
    findings.add({ what: `the file has ${entries} entries, and says that it has ${end.entries}` })
  }
  if (end.entries === 0) findings.add({ what: 'the file has no entry of the organization, so it proves nothing' })
  const shown = accepted.flatMap((one) => one ?? []).map(({ origin, size, witnesses }) => ({ origin, size, witnesses }))
  return { ...resultOf(findings), ...ended, ...tally.result(), organizationId: header.organizationId, logs: shown }
}

function resultOf(findings: Findings): Pick<ChainResult, 'findings' | 'findingsCount'> {
  return { findings: findings.named, findingsCount: findings.count() }
}

type Ends =
  | { readonly kind: 'read'; readonly header: ExportHeader; readonly end: ExportEnd; readonly endsAt: number }
  | { readonly kind: 'malformed'; readonly reason: string }

async function readEnds(file: FileHandle): Promise<Ends> {
  const first = await firstLine(file)
  if (typeof first === 'string') return { kind: 'malformed', reason: first }
  const last = await lastLine(file)
  if (first === undefined || last === undefined) return { kind: 'malformed', reason: 'the file has no whole line' }
  const header = readExportHeader(first.text)
  if (header.kind === 'malformed') return { kind: 'malformed', reason: `line 1 is no header: ${header.reason}` }
  const end = readExportEnd(last.text)
  if (end.kind === 'malformed') {
    return { kind: 'malformed', reason: `the last line is no end, so the file is not whole: ${end.reason}` }
  }
  const reason = faultOfStarts(end.value, header.value, { first, last })
  if (reason !== undefined) return { kind: 'malformed', reason }
  return { kind: 'read', header: header.value, end: end.value, endsAt: last.start }
}

/** The reason where it is too long. */
async function firstLine(file: FileHandle): Promise<PlacedLine | string | undefined> {
  try {
    return (await linesFrom(file, 0).next()).value ?? undefined
  } catch (error) {
    if (error instanceof LongLine) return error.message
    throw error
  }
}

function faultOfStarts(
  { starts }: ExportEnd,
  { logs }: ExportHeader,
  { first, last }: { readonly first: PlacedLine; readonly last: PlacedLine },
): string | undefined {
  if (starts.length !== logs.length) return 'the end names another number of logs than the header'
  const bounds = [...starts, last.start]
  const isInOrder = bounds.every((bound, at) => bound >= (bounds[at - 1] ?? first.end))
  return bounds[0] === first.end && isInOrder ? undefined : 'the end does not say where the logs begin'
}

type AcceptedLog = ExportedTree & { readonly witnesses: readonly string[] }

/** A checkpoint that the policy accepts and that every key of the log has signed which the file names. */
function accepting(
  { keys, note }: ExportedLog,
  policy: Policy | undefined,
  findings: Findings,
): AcceptedLog | undefined {
  const read = readCheckpoint(note.text)
  if (read.kind === 'malformed') {
    findings.add({ what: `a checkpoint is malformed: ${read.reason}` })
    return undefined
  }
  const { origin, size, root } = read.value
  const refuse = (reason: string) => {
    findings.add({ origin, what: `the checkpoint is refused: ${reason}` })
  }
  const own = keys.filter(({ name }) => name === origin).map(verifierOf)
  const opened = openNote(note, own)
  if (opened.kind === 'refused') refuse(opened.reason)
  else if (own.length !== keys.length || opened.by.size !== keys.length)
    refuse('not all keys that the file names have signed')
  const accepted = policy && acceptCheckpoint(note, { policy, verifierOf })
  if (accepted?.kind === 'refused') refuse(accepted.reason)
  const witnesses = accepted?.kind === 'accepted' ? [...accepted.witnesses.keys()] : []
  return { origin, size, root, keys, witnesses }
}

/** The logs of one deployment have origins that differ in their last part only. */
function refuseMissing(
  policy: Policy | undefined,
  accepted: readonly (AcceptedLog | undefined)[],
  findings: Findings,
): void {
  const origins = accepted.flatMap((log) => log?.origin ?? [])
  const deployments = new Set(origins.map(deploymentOf))
  for (const origin of new Set(policy?.logs.map(({ key }) => key.name))) {
    if (origins.includes(origin) || !deployments.has(deploymentOf(origin))) continue
    findings.add({ origin, what: 'the policy names this log, and the file has nothing of it' })
  }
  if (new Set(origins).size < origins.length) findings.add({ what: 'the file has the same log twice' })
}

function deploymentOf(origin: string): string {
  return origin.slice(0, origin.lastIndexOf('/'))
}
