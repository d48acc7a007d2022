import type { FileHandle } from 'node:fs/promises'
import { acceptCheckpoint, withoutQuorum } from '../../../../protocol/log/accepted.ts'
import {
  type ExportEnd,
  type ExportedLog,
  type ExportHeader,
  inBase64,
  readExportEnd,
  readExportHeader,
} from '../../../../protocol/log/exports/export_lines.ts'
import { readCheckpoint } from '../../../../protocol/log/notes/checkpoint.ts'
import { type Note, openNote } from '../../../../protocol/log/notes/note.ts'
import { verifierOf } from '../../../../protocol/log/notes/signatures.ts'
import { keyIdOf } from '../../../../protocol/log/notes/verifier_keys.ts'
import type { Policy } from '../../../../protocol/log/policy.ts'
import { LongLine, lastLine, linesFrom, type PlacedLine } from '../../export_file.ts'
import type { Held } from '../../held_files.ts'
import { createFindings, type Finding, type Findings } from '../findings.ts'
import { createHeadsCheck, type HeadsResult } from './check_heads.ts'
import { createHeldCheck, type ExportedTree, type HeldResult } from './check_held.ts'
import { type CheckedLog, checkLog, type PlacedEntry } from './check_log.ts'
import { mergeEntries } from './merge_entries.ts'
import { createTally, type EntriesTally } from './tally_entries.ts'

/** The outcome of the step. It is right if `findingsCount` is 0. */
export type ChainResult = HeadsResult &
  EntriesTally & {
    readonly organizationId: string | undefined
    readonly held: HeldResult
    /** `root`: of its tree, in base64 as the checkpoint has it. */
    readonly logs: readonly {
      readonly origin: string
      readonly size: number
      readonly root: string
      readonly witnesses: readonly string[]
    }[]
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
  const tally = createTally(findings)
  const read = await readEnds(file)
  if (read.kind === 'malformed') {
    findings.add({ what: read.reason })
    const nothing = {
      organizationId: undefined,
      logs: [],
      held: { reached: [], passed: [], ahead: [], provenEntries: 0 },
    }
    return { ...resultOf(findings), ...createHeadsCheck(findings, []).end(), ...tally.result(), ...nothing }
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
  const heads = createHeadsCheck(
    findings,
    logs.map(({ origin }) => origin),
  )
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
  const shown = accepted
    .flatMap((one) => one ?? [])
    .map(({ origin, size, root, witnesses }) => ({ origin, size, root: inBase64(root), witnesses }))
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
  if (first === undefined || last === undefined) return { kind: 'malformed', reason: cutOff }
  const header = readExportHeader(first.text)
  if (header.kind === 'malformed') return { kind: 'malformed', reason: `line 1 is no header: ${header.reason}` }
  const end = readExportEnd(last.text)
  if (end.kind === 'malformed') {
    return { kind: 'malformed', reason: cutOff }
  }
  const reason = faultOfStarts(end.value, header.value, { first, last })
  if (reason !== undefined) return { kind: 'malformed', reason }
  return { kind: 'read', header: header.value, end: end.value, endsAt: last.start }
}

const cutOff = 'the last line is not that of a whole export: the file was cut off, or it is still being written'

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
  if (policy !== undefined && accepted?.kind === 'refused') {
    const what = unvouched(note, { origin, policy, reason: accepted.reason })
    if (what === undefined) refuse(accepted.reason)
    else findings.add({ origin, what: `${what}: nobody whom you trust vouches for these entries`, kind: 'unvouched' })
  }
  const witnesses = accepted?.kind === 'accepted' ? [...accepted.witnesses.keys()] : []
  return { origin, size, root, keys, witnesses }
}

/** Says whose signature stands there in the place of one that the policy asks for. Undefined: one of those is wrong. */
function unvouched(
  { signatures }: Note,
  { origin, policy, reason }: { readonly origin: string; readonly policy: Policy; readonly reason: string },
): string | undefined {
  const known = policy.logs.flatMap(({ key }) => (key.name === origin ? [keyIdOf(key)] : []))
  if (known.length === 0) return 'your policy does not name this log'
  const signed = signatures.flatMap(({ name, keyId }) => (name === origin ? [keyId] : []))
  if (reason === withoutQuorum.reason) return 'the witnesses that your policy asks for have not cosigned the checkpoint'
  if (signed.length === 0 || signed.some((keyId) => known.includes(keyId))) return undefined
  return `the checkpoint is signed by key ${signed.join(', ')}, and your policy has key ${known.join(', ')} for this log`
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
