import { readCheckpoint } from '../../../../src/protocol/log/checkpoint.ts'
import {
  readExportHeader,
  writeExportEnd,
  writeExportedBundle,
  writeExportedDocument,
  writeExportHeader,
} from '../../../../src/protocol/log/export_lines.ts'
import { type AskDocuments, documentsOfBundle } from '../../../../src/protocol/log/exported_documents.ts'
import { listedLogs, textAt } from '../../api/log_files.ts'
import type { Queries } from '../../api/operations.ts'
import { utf8 } from '../../stamping/encoding.ts'

type ListEntries = Queries['list_log_entries']

export type LogExport = {
  readonly organizationId: string
  readonly listEntries: (parameters: ListEntries['parameters']) => Promise<ListEntries['result']>
  readonly askDocuments: AskDocuments
  /** The entries so far. */
  readonly onProgress: (entries: number) => void
}

/**
 * The lines of an export of all entries of an organization, as `claviger log export` writes them. The sizes of the logs
 * at the beginning are those of the whole export.
 */
export async function exportedLines({
  organizationId,
  listEntries,
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
    const checkpoint = readCheckpoint(note.text)
    if (checkpoint.kind === 'malformed') throw new Error(`the server has no checkpoint: ${checkpoint.reason}`)
    const { origin, size } = checkpoint.value
    const logId = origin.slice(origin.lastIndexOf('/') + 1)
    for (let from: string | undefined = '0'; from !== undefined; ) {
      const page: ListEntries['result'] = await listEntries({ logId, size: `${size}`, fromBundle: from })
      for (const bundle of page.bundles) {
        append(writeExportedBundle(log, bundle))
        for await (const document of documentsOfBundle(bundle, askDocuments)) {
          append(writeExportedDocument({ log, ...document }))
        }
        entries += bundle.entries.length
        onProgress(entries)
      }
      from = page.nextBundle
    }
  }
  append(writeExportEnd({ starts, entries }))
  return lines
}
