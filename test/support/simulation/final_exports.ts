import { mkdtempSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Verified, verifyExport } from '../../../src/cli/log/verify/verify_export.ts'
import { readExportHeader, writeExportEnd, writeExportHeader } from '../../../src/protocol/log/exports/export_lines.ts'
import { linesOfLog } from '../../../src/protocol/log/exports/exported_log.ts'
import { readPolicy } from '../../../src/protocol/log/policy.ts'
import type { Reading } from '../../../src/protocol/log/reading.ts'
import type { LogRow } from '../../../src/service/store/store.ts'
import type { Parameters } from './clients.ts'

type Json = ReturnType<typeof JSON.parse>

/** `ask`: asks a node as a user of the organization does. */
type Exporting = {
  readonly organizationId: string
  readonly logs: readonly LogRow[]
  readonly ask: (query: 'list_log_entries' | 'list_log_documents', parameters: Parameters) => Promise<Json>
}

const path = join(mkdtempSync(join(tmpdir(), 'claviger-simulated-export-')), 'export')
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')

/**
 * Exports an organization as `claviger log export` does, and verifies the file as `claviger log verify` does. Throws if it
 * names a fault.
 */
export async function verifyExportOf(exporting: Exporting): Promise<Verified> {
  writeFileSync(path, await exported(exporting))
  const { organizationId, logs } = exporting
  const keys = logs.flatMap((log) => textOf(log.keys).split('\n'))
  const policy = readIn(readPolicy(Buffer.from(`${keys.map((key) => `log ${key}\n`).join('')}quorum none\n`)))
  const file = await open(path)
  try {
    const verified = await verifyExport(file, { policy, organizationId })
    const findings = Object.values(verified).flatMap((step) => step.findings)
    if (findings.length > 0) throw new Error(`the export of ${organizationId}: ${JSON.stringify(findings)}`)
    return verified
  } finally {
    await file.close()
  }
}

async function exported({ organizationId, logs, ask }: Exporting): Promise<string> {
  const header = writeExportHeader({
    organizationId,
    logs: logs.map(({ keys, checkpoint }) => ({ keys: textOf(keys).split('\n'), checkpoint: textOf(checkpoint) })),
  })
  let text = `${header}\n`
  let count = 0
  const starts: number[] = []
  const asking = {
    askEntries: (page: Parameters) => ask('list_log_entries', page),
    askDocuments: (activityIds: readonly string[]) => ask('list_log_documents', { activityIds }),
  }
  for (const [log, { note }] of readIn(readExportHeader(header)).logs.entries()) {
    starts.push(Buffer.byteLength(text))
    for await (const { line, entries } of linesOfLog({ log, note, fromBundle: 0 }, asking)) {
      text += `${line}\n`
      count += entries
    }
  }
  return `${text}${writeExportEnd({ starts, entries: count })}\n`
}

function readIn<T>(reading: Reading<T>): T {
  if (reading.kind === 'malformed') throw new Error(reading.reason)
  return reading.value
}
