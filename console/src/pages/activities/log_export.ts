import {
  readExportHeader,
  writeExportEnd,
  writeExportHeader,
} from '../../../../src/protocol/log/exports/export_lines.ts'
import type { AskDocuments } from '../../../../src/protocol/log/exports/exported_documents.ts'
import { type AskEntries, linesOfLog } from '../../../../src/protocol/log/exports/exported_log.ts'
import { listedLogs, textAt } from '../../api/log_files.ts'
import { utf8 } from '../../stamping/encoding.ts'

export type LogExport = {
  readonly organizationId: string
  readonly askEntries: AskEntries
  readonly askDocuments: AskDocuments
  /** The entries so far. */
  readonly onProgress: (entries: number) => void
}

/**
 * The lines of an export of all entries of an organization, as `claviger log export` writes them. The sizes of the logs
 * at the beginning are those of the whole export. Throws EndlessAnswers if the server answers without end.
 */
export async function exportedLines({
  organizationId,
  askEntries,
  askDocuments,
  onProgress,
}: LogExport): Promise<readonly Blob[]> {
  const lines: Blob[] = []
  let bytes = 0
  let entries = 0
  const append = (line: string) => {
    const part = new Blob([utf8(`${line}\n`)])
    lines.push(part)
    bytes += part.size
  }
  const texts: { readonly keys: readonly string[]; readonly checkpoint: string }[] = []
  for (const { keys, path } of await listedLogs()) texts.push({ keys, checkpoint: await textAt(`${path}/checkpoint`) })
  const first = writeExportHeader({ organizationId, logs: texts })
  const header = readExportHeader(first)
  if (header.kind === 'malformed') throw new Error(`the server has no log: ${header.reason}`)
  append(first)
  const starts: number[] = []
  for (const [log, { note }] of header.value.logs.entries()) {
    starts.push(bytes)
    const lines = linesOfLog({ log, note, fromBundle: 0 }, { askEntries, askDocuments })
    for await (const { line, entries: some } of lines) {
      append(line)
      entries += some
      onProgress(entries)
    }
  }
  append(writeExportEnd({ starts, entries }))
  return lines
}
