import type { FileHandle } from 'node:fs/promises'
import { hashOfLogEntry } from '../../../../protocol/log/encode_entry.ts'
import { holdsExcerpt } from '../../../../protocol/log/exports/excerpt.ts'
import {
  type ExportedBundle,
  type ExportedDocument,
  readExportedLine,
} from '../../../../protocol/log/exports/export_lines.ts'
import { decodeLogEntry, type LogEntry } from '../../../../protocol/log/log_entry.ts'
import { leafHash } from '../../../../protocol/log/tree/tree.ts'
import { linesFrom } from '../../export_file.ts'
import { type CheckedDocument, checkDocument } from '../check_document.ts'
import type { Finding, Findings } from '../findings.ts'

/** The tree of an accepted checkpoint, and where the bundles of its log stand in the file. */
export type CheckedLog = {
  readonly log: number
  readonly origin: string
  readonly size: number
  readonly root: Uint8Array
  readonly start: number
  readonly end: number
}

/** `hasDocument`: the file has one. `checked`: it is the right one. */
export type PlacedEntry = {
  readonly origin: string
  readonly index: number
  readonly entry: LogEntry
  readonly hasDocument?: true
  readonly checked?: CheckedDocument
}

type Last = { readonly number: number; readonly index: number }

/**
 * Yields the entries of one log, in order, and notes what is wrong with them: each must be of the organization, be in
 * the tree, have the next number, and name the one before.
 */
export async function* checkLog(
  file: FileHandle,
  checked: CheckedLog,
  { organizationId, findings }: { readonly organizationId: string; readonly findings: Findings },
): AsyncGenerator<PlacedEntry, void, undefined> {
  const { log, origin, start, end } = checked
  let last: Last | undefined
  let nextFrom = 0
  let at = start
  // Those of the last bundle whose documents have not been read.
  let waiting: PlacedEntry[] = []
  for await (const line of start < end ? linesFrom(file, start) : []) {
    if (line.end > end) break
    at = line.end
    const bundle = readExportedLine(line.text)
    if (bundle.kind === 'malformed' || bundle.value.log !== log) {
      const reason = bundle.kind === 'malformed' ? bundle.reason : 'it is of another log'
      findings.add({
        origin,
        what: `the line at byte ${line.start} of the file is no bundle and no document: ${reason}`,
      })
      continue
    }
    if ('document' in bundle.value) {
      const { index } = bundle.value
      const place = waiting.findIndex((placed) => placed.index === index)
      yield* waiting.splice(0, place)
      const placed = place === -1 ? undefined : waiting.shift()
      if (placed === undefined) findings.add({ origin, index, what: 'there is a document without its entry' })
      else yield withDocument(placed, bundle.value, findings)
      continue
    }
    yield* waiting
    waiting = []
    const { from } = bundle.value
    if (from < nextFrom) findings.add({ origin, index: from, what: 'the bundles are not in order' })
    nextFrom = from + 1
    if (!isInTree(bundle.value, checked)) {
      findings.add({ origin, index: from, what: `the entries from ${from} on are not those of the checkpoint’s tree` })
    }
    for (const [place, bytes] of bundle.value.entries.entries()) {
      const index = bundle.value.indexes[place] ?? from
      const entry = decodeLogEntry(bytes)
      if (entry === undefined) findings.add({ origin, index, what: 'the entry cannot be read' })
      else if (entry.organizationId !== organizationId) {
        findings.add({ origin, index, what: `the entry is of another organization, ${entry.organizationId}` })
      } else {
        for (const fault of faultsAfter(last, entry)) findings.add({ origin, index, ...fault })
        last = { number: entry.number, index }
        waiting.push({ origin, index, entry })
      }
    }
  }
  yield* waiting
  if (at !== end) findings.add({ origin, what: 'the lines of this log do not end where the file says' })
}

function withDocument(placed: PlacedEntry, exported: ExportedDocument, findings: Findings): PlacedEntry {
  const checked = checkDocument(placed.entry, exported)
  const note = (what: string) => findings.add({ origin: placed.origin, index: placed.index, what })
  if (typeof checked === 'string') {
    note(checked)
    return { ...placed, hasDocument: true }
  }
  if (checked.isLeftOut) note('its request is withheld, though no token can stand in it')
  return { ...placed, hasDocument: true, checked }
}

function isInTree(bundle: ExportedBundle, { size, root }: CheckedLog): boolean {
  const leaves = bundle.entries.map((entry) => leafHash(hashOfLogEntry(entry)))
  return holdsExcerpt(bundle, { leaves, size, root })
}

function faultsAfter(last: Last | undefined, entry: LogEntry): readonly Pick<Finding, 'what' | 'kind'>[] {
  const { number, before, isTakenUp, makes } = entry
  const due = (last?.number ?? 0) + 1
  const flags = isTakenUp && makes === undefined ? [{ what: 'it is taken up, and makes no head' }] : []
  if (number > due) return [{ what: missing({ due, last, entry }), kind: 'incomplete' }, ...flags]
  const numbers =
    number < due ? [{ what: `it has number ${number} among the organization’s, and the one before it ${due - 1}` }] : []
  const named = before === undefined ? 'none before it' : `the one at index ${before} before it`
  const places =
    before === last?.index
      ? []
      : [{ what: `it names ${named}, and the file has ${last === undefined ? 'none' : `that at index ${last.index}`}` }]
  return [...numbers, ...places, ...flags]
}

/** A missing entry is a hidden leaf: the file has a hash in its place. */
function missing({
  due,
  last,
  entry,
}: {
  readonly due: number
  readonly last: Last | undefined
  readonly entry: LogEntry
}) {
  const { number, before } = entry
  const place = before !== undefined && before > (last?.index ?? -1) ? `index ${before}` : 'no index that can be'
  return number - due === 1
    ? `the organization’s entry number ${due} is missing: it stands at ${place}, hidden behind a hash`
    : `${number - due} of the organization’s entries are missing before it, numbers ${due} to ${number - 1}: the last of them stands at ${place}, hidden behind a hash`
}
