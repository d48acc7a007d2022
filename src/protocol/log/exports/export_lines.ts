import { base64 } from '@scure/base'
import { isUuid } from '../../wire/identifiers.ts'
import { bytesIn, hashesIn, hashIn, utf8Of } from '../lines.ts'
import { type Note, readNote } from '../notes/note.ts'
import { readVerifierKey, type VerifierKey } from '../notes/verifier_keys.ts'
import { inner, Malformed, type Reading, reading } from '../reading.ts'
import { tileWidth } from '../tree/tiles.ts'
import type { Excerpt } from './excerpt.ts'

/**
 * The lines of an export: all entries of one organization in the logs of a deployment, with what proves that they are
 * there. Each line is JSON in one form. First comes the header; then the bundles of each log, in the order of the
 * header, each with the documents of its entries behind it; then the end.
 */
export type ExportHeader = {
  readonly organizationId: string
  readonly logs: readonly ExportedLog[]
}

/** The keys of the log as the server names them, and its checkpoint. All bundles are in its tree. */
export type ExportedLog = { readonly keys: readonly VerifierKey[]; readonly note: Note }

/** `log`: its place in the header. */
export type ExportedBundle = Excerpt & { readonly log: number; readonly entries: readonly Uint8Array[] }

/**
 * The document of an entry, which an auditor reads, as JSON. `index`: of the entry. `content`: undefined where it
 * is withheld, or there is none.
 */
export type ExportedDocument = {
  readonly log: number
  readonly index: number
  readonly document: string
  readonly content: string | undefined
}

/** `starts`: at which byte of the file the bundles of each log begin. `entries`: how many there are in all. */
export type ExportEnd = { readonly starts: readonly number[]; readonly entries: number }

export const exportFormat = 'claviger log export v1'
/** A reader has a cursor in the lines of each log. */
export const exportedLogsMax = 1_000
/** The longest line is a header with so many logs. */
export const exportLineBytesMax = 16_777_216

/** `keys` and `checkpoint`: as texts. */
export type HeaderTexts = {
  readonly organizationId: string
  readonly logs: readonly { readonly keys: readonly string[]; readonly checkpoint: string }[]
}

export function writeExportHeader({ organizationId, logs }: HeaderTexts): string {
  const texts = logs.map(({ keys, checkpoint }) => ({ keys, checkpoint }))
  return JSON.stringify({ format: exportFormat, organizationId, logs: texts })
}

/** A bundle as the server answers it: entries and hashes in base64. */
export type BundleTexts = {
  readonly from: number
  readonly indexes: readonly number[]
  readonly entries: readonly string[]
  readonly hashes: readonly string[]
  readonly proof: readonly string[]
}

export function writeExportedBundle(log: number, { from, indexes, entries, hashes, proof }: BundleTexts): string {
  return JSON.stringify({ log, from, indexes, entries, hashes, proof })
}

export function writeExportedDocument({ log, index, document, content = null }: DocumentTexts): string {
  return JSON.stringify({ log, index, document, content })
}

type DocumentTexts = Omit<ExportedDocument, 'content'> & { readonly content?: string | null | undefined }

export function writeExportEnd({ starts, entries }: ExportEnd): string {
  return JSON.stringify({ end: { starts, entries } })
}

export function readExportHeader(line: string): Reading<ExportHeader> {
  return reading(() => {
    const { format, organizationId, logs } = membersOf(parsed(line), ['format', 'organizationId', 'logs'])
    if (format !== exportFormat) throw new Malformed(`the format is not ${exportFormat}`)
    if (typeof organizationId !== 'string' || !isUuid(organizationId)) throw new Malformed('there is no organization')
    const exported = listOf(logs, exportedLogIn)
    if (exported.length === 0) throw new Malformed('there is no log')
    if (exported.length > exportedLogsMax) throw new Malformed(`an export has ${exportedLogsMax} logs at most`)
    return { organizationId, logs: exported }
  })
}

export function readExportedBundle(line: string): Reading<ExportedBundle> {
  return reading(() => {
    const names = ['log', 'from', 'indexes', 'entries', 'hashes', 'proof']
    const { log, from, indexes, entries, hashes, proof } = membersOf(parsed(line), names)
    const bundle = {
      ...{ log: countIn(log), from: countIn(from), indexes: listOf(indexes, countIn) },
      ...{ entries: listOf(entries, (entry) => bytesIn(textIn(entry))), hashes: listOf(hashes, hashOf) },
      proof: hashesIn(listOf(proof, textIn)),
    }
    const most = Math.max(bundle.indexes.length, bundle.entries.length, bundle.hashes.length)
    if (most > tileWidth) throw new Malformed(`a bundle has ${tileWidth} entries`)
    return bundle
  })
}

/** Reads a line of a log: a bundle, or a document of one of its entries. */
export function readExportedLine(line: string): Reading<ExportedBundle | ExportedDocument> {
  return line.includes('"document":') ? readExportedDocument(line) : readExportedBundle(line)
}

export function readExportedDocument(line: string): Reading<ExportedDocument> {
  return reading(() => {
    const { log, index, document, content } = membersOf(parsed(line), ['log', 'index', 'document', 'content'])
    const placed = { log: countIn(log), index: countIn(index), document: textIn(document) }
    return { ...placed, content: content === null ? undefined : textIn(content) }
  })
}

export function readExportEnd(line: string): Reading<ExportEnd> {
  return reading(() => {
    const { end } = membersOf(parsed(line), ['end'])
    const { starts, entries } = membersOf(end, ['starts', 'entries'])
    return { starts: listOf(starts, countIn), entries: countIn(entries) }
  })
}

function exportedLogIn(log: unknown): ExportedLog {
  const { keys, checkpoint } = membersOf(log, ['keys', 'checkpoint'])
  return {
    keys: listOf(keys, (key) => inner(readVerifierKey(textIn(key)))),
    note: inner(readNote(utf8Of(textIn(checkpoint)))),
  }
}

/** JSON in the form in which it is written: no other bytes stand for the same value. */
function parsed(line: string): unknown {
  const value = parse(line)
  if (JSON.stringify(value) !== line) throw new Malformed('the JSON is not in its one form')
  return value
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new Malformed('this is no JSON', { cause })
  }
}

function membersOf<const Names extends readonly string[]>(value: unknown, names: Names) {
  const given = typeof value === 'object' && value !== null ? Object.keys(value) : []
  if (given.join() !== names.join()) throw new Malformed(`the members are not ${names.join(', ')}`)
  return value as { readonly [Name in Names[number]]: unknown }
}

function listOf<T>(value: unknown, read: (item: unknown) => T): readonly T[] {
  if (!Array.isArray(value)) throw new Malformed('there is no list')
  return value.map(read)
}

function countIn(value: unknown): number {
  if (!Number.isSafeInteger(value) || Number(value) < 0) throw new Malformed('there is no number')
  return Number(value)
}

function textIn(value: unknown): string {
  if (typeof value !== 'string') throw new Malformed('there is no text')
  if (!value.isWellFormed()) throw new Malformed('a text has half a character')
  return value
}

const hashOf = (value: unknown) => hashIn(textIn(value))

/** As entries and hashes stand in lines. */
export const inBase64 = (bytes: Uint8Array) => base64.encode(bytes)
