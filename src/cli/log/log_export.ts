import { type FileHandle, open } from 'node:fs/promises'
import {
  type ExportHeader,
  type HeaderTexts,
  readExportEnd,
  readExportedLine,
  readExportHeader,
  writeExportEnd,
  writeExportHeader,
} from '../../protocol/log/exports/export_lines.ts'
import { type AskDocuments, EndlessAnswers } from '../../protocol/log/exports/exported_documents.ts'
import { type AskEntries, linesOfLog } from '../../protocol/log/exports/exported_log.ts'
import type { Reading } from '../../protocol/log/reading.ts'
import { tileWidth } from '../../protocol/log/tree/tiles.ts'
import { codeIn } from '../../protocol/tools/error_codes.ts'
import { type Credentials, readCredentials } from '../shared/credentials.ts'
import { CommandError, exitCodes } from '../shared/exit_codes.ts'
import { answerOf, exitCodeOf, post } from '../shared/stamped_request.ts'
import { printResult } from '../shared/standard_output.ts'
import { linesFrom } from './export_file.ts'
import { checkpointsIn, type HeldCheckpoint } from './held_files.ts'
import { LogFault } from './mirror/log_fault.ts'
import { publicFilesAt } from './mirror/public_files.ts'

/** The list of logs is the longest text that an export reads besides pages. */
const textBytesMax = 16 * 1024 * 1024

type ExportOptions = {
  readonly output: string
  readonly organization?: string
  readonly credentials: string
  readonly checkpoint: readonly string[]
  readonly json: boolean
}

/**
 * The part of the file that is written: at which byte each log begins, and what comes next of the last one. The last
 * bundle of a file that was broken off is written again, because it may lack documents.
 */
type Written = {
  readonly header: ExportHeader
  readonly starts: readonly number[]
  readonly nextBundle: number
  readonly entries: number
  readonly end: number
  readonly isWhole: boolean
}

export async function exportLog(options: ExportOptions): Promise<void> {
  const { output, organization, credentials: path, checkpoint, json } = options
  const credentials = await readCredentials(path)
  const held = await checkpointsIn(checkpoint)
  const organizationId = organization ?? credentials.organizationId
  const file = await open(output, 'a+').catch((cause: unknown) => {
    throw new CommandError(`${output} cannot be written${codeIn(cause)}`, exitCodes.usage, { cause })
  })
  try {
    const written = (await writtenIn(file, output)) ?? (await begin(file, { organizationId, credentials, held }))
    if (written.header.organizationId !== organizationId) {
      throw new CommandError(`${output} is of organization ${written.header.organizationId}`, exitCodes.usage)
    }
    const entries = written.isWhole
      ? written.entries
      : await writeRest(file, written, { output, credentials }).catch(endless)
    const logs = written.header.logs.length
    if (json) printResult(JSON.stringify({ organizationId, logs, entries }))
    else printResult(`${output} has ${entries} entries of ${logs} ${logs === 1 ? 'log' : 'logs'}.`)
  } finally {
    await file.close()
  }
}

/** Returns what is there, without a line that was broken off. Undefined: the file is empty. */
async function writtenIn(file: FileHandle, path: string): Promise<Written | undefined> {
  let written: Written | undefined
  let beforeLast: Written | undefined
  for await (const { text, start, end } of linesFrom(file, 0)) {
    if (written === undefined) {
      written = { header: valueIn(readExportHeader(text)), starts: [], nextBundle: 0, entries: 0, end, isWhole: false }
    } else if (readExportEnd(text).kind === 'read') written = { ...written, isWhole: true, end }
    else {
      const line = valueIn(readExportedLine(text))
      if ('document' in line) continue
      const { log, from, entries } = line
      beforeLast = { ...written, end: start }
      const starts = [...written.starts]
      while (starts.length <= log) starts.push(start)
      const next = { nextBundle: from / tileWidth + 1, entries: written.entries + entries.length, end }
      written = { ...written, ...next, starts }
    }
  }
  if (written?.isWhole === false) written = beforeLast ?? written
  if (written !== undefined) await file.truncate(written.end)
  else if ((await file.stat()).size > 0) {
    throw new CommandError(`${path} is no export that was begun: name another file, or remove it`, exitCodes.usage)
  }
  return written
}

function valueIn<T>(found: Reading<T>): T {
  if (found.kind === 'read') return found.value
  throw new CommandError(`the file that was begun is no export: ${found.reason}`, exitCodes.usage)
}

type Asking = { readonly organizationId: string; readonly credentials: Credentials }

/** The sizes of the logs now are those of the whole export, however long it takes; or those of the given checkpoints. */
async function begin(
  file: FileHandle,
  { organizationId, credentials, held }: Asking & { readonly held: readonly HeldCheckpoint[] },
): Promise<Written> {
  const { logs } = JSON.parse(await textAt(credentials, '/log/')) as { logs: { keys: string[]; path: string }[] }
  const texts: HeaderTexts['logs'][number][] = []
  for (const { keys, path } of logs) {
    if (!/^\/log\/[0-9a-f]{32}$/.test(path))
      throw new CommandError('the server’s /log/ is no list of logs', exitCodes.failed)
    const given = held.find(({ origin }) => keys.some((key) => key.startsWith(`${origin}+`)))
    texts.push({ keys, checkpoint: given?.text ?? (await textAt(credentials, `${path}/checkpoint`)) })
  }
  const line = writeExportHeader({ organizationId, logs: texts })
  const header = readExportHeader(line)
  if (header.kind === 'malformed') throw new CommandError(`the server has no log: ${header.reason}`, exitCodes.failed)
  const end = await append(file, line)
  return { header: header.value, starts: [], nextBundle: 0, entries: 0, end, isWhole: false }
}

async function writeRest(
  file: FileHandle,
  { header: { organizationId, logs }, ...written }: Written,
  { output, credentials }: { readonly output: string; readonly credentials: Credentials },
): Promise<number> {
  const starts = [...written.starts]
  let { entries, end } = written
  const asking = {
    askEntries: (page: object) => pageOf(credentials, { organizationId, ...page }),
    askDocuments: (activityIds: readonly string[]) => documentsPageOf(credentials, { organizationId, activityIds }),
  }
  for (const [log, { note }] of logs.entries()) {
    if (log < starts.length - 1) continue
    const fromBundle = log === starts.length - 1 ? written.nextBundle : 0
    if (log >= starts.length) starts.push(end)
    for await (const { line, entries: some } of linesOfLog({ log, note, fromBundle }, asking)) {
      end += await append(file, line)
      entries += some
      if (some > 0 && process.stderr.isTTY) process.stderr.write(`\r${output}: ${entries} entries`)
    }
  }
  if (process.stderr.isTTY) process.stderr.write('\n')
  await append(file, writeExportEnd({ starts, entries }))
  await file.sync()
  return entries
}

/** Names the server as the one that failed. */
function endless(cause: unknown): never {
  if (!(cause instanceof EndlessAnswers)) throw cause
  throw new CommandError(cause.message, exitCodes.serverFailed, { cause })
}

async function documentsPageOf(credentials: Credentials, asked: object): ReturnType<AskDocuments> {
  const { default: listLogDocuments } = await import('../../operations/log/list_log_documents.ts')
  return pageAt(credentials, listLogDocuments.path, asked)
}

async function pageOf(credentials: Credentials, asked: object): ReturnType<AskEntries> {
  const { default: listLogEntries } = await import('../../operations/log/list_log_entries.ts')
  return pageAt(credentials, listLogEntries.path, asked)
}

async function pageAt<T>(credentials: Credentials, path: string, asked: object): Promise<T> {
  const answer = await post(credentials, path, Buffer.from(JSON.stringify(asked)))
  const page = answerOf(answer) as T & { readonly message?: string }
  const code = exitCodeOf(answer.status)
  if (code === exitCodes.done) return page
  throw new CommandError(`the server refused to list the entries: ${page.message}`, code)
}

async function textAt({ apiBaseUrl }: Credentials, path: string): Promise<string> {
  const bytes = await publicFilesAt(apiBaseUrl)
    .get(path, { bytesMax: textBytesMax })
    .catch((cause: unknown) => {
      if (!(cause instanceof LogFault)) throw cause
      throw new CommandError(cause.message, exitCodes.serverFailed, { cause })
    })
  if (bytes === undefined) throw new CommandError(`the server answered 404 to ${path}`, exitCodes.refused)
  return new TextDecoder().decode(bytes)
}

/** Returns how many bytes were written. */
async function append(file: FileHandle, line: string): Promise<number> {
  const bytes = Buffer.from(`${line}\n`)
  await file.appendFile(bytes)
  return bytes.length
}
