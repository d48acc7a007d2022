import { expect } from 'vitest'
import type { ActivityDocument, DocumentContent } from '../../src/contract/records/documents.ts'
import type { LogEntry } from '../../src/protocol/log/log_entry.ts'
import type { clientOf } from './client.ts'
import type { Server } from './in_process.ts'
import { exportOf, headOf, keepDocument, type MadeLog, policyOf, verifiedInAll } from './log_exports.ts'
import { covered, listed, publishing, rootOfLog } from './log_proofs.ts'

/** An entry of a real history with what its document says. */
export type Told = {
  readonly entry: LogEntry
  readonly document: ActivityDocument | undefined
  readonly content: DocumentContent | undefined
}

type Client = Pick<ReturnType<typeof clientOf>, 'query'>

/** All that a server has recorded of an organization, in its only log of `size` entries. */
export async function historyOf(server: Server, client: Client, size: number): Promise<readonly Told[]> {
  publishing(server)
  const { log } = await covered(server, size)
  const { entries } = await listed(client, log, await rootOfLog(server, log))
  const told: Told[] = []
  for (const { entry } of entries) {
    if (entry === undefined) throw new Error('an entry cannot be read')
    const { activity } = entry
    if (activity === undefined) told.push({ entry, document: undefined, content: undefined })
    else {
      const { body } = await client.query('list_log_documents', { activityIds: [activity.activityId] })
      expect(body.left).toEqual([])
      const { document, content } = body.documents[activity.version - 1]
      expect(keepDocument({ document, content })).toBe(activity.documentDigest)
      told.push({ entry, document: JSON.parse(document), content: content && JSON.parse(content) })
    }
  }
  return told
}

/**
 * Verifies an export of the history, in a log of another key: whoever holds the master seed can enter what he likes, and
 * binds it as the server does.
 */
export async function verifiedHistory(history: readonly Told[]) {
  const { log, of } = loggedHistory(history)
  return verifiedInAll(exportOf([log], { of }), policyOf([log]))
}

/** Such a log, and the organization. */
export function loggedHistory(history: readonly Told[]): { readonly log: MadeLog; readonly of: string } {
  const last: { number: number; index: number | undefined } = { number: 0, index: undefined }
  const entries = history.map(({ entry, document, content }, index) => {
    const { number, index: before } = last
    Object.assign(last, { number: number + 1, index })
    const placed = { ...entry, number: number + 1, before }
    if (document === undefined || entry.activity === undefined) return placed
    const text = content && JSON.stringify(content)
    const contentDigest =
      text === undefined ? {} : { contentDigest: keepDocument({ document: text, content: undefined }) }
    const documentDigest = keepDocument({ document: JSON.stringify({ ...document, ...contentDigest }), content: text })
    return { ...placed, activity: { ...entry.activity, documentDigest } }
  })
  const log = { origin: `keys.example/log/${'0'.repeat(32)}`, seed: 1, entries }
  return { log, of: entries[0]?.organizationId ?? '' }
}

/** Returns entries in another order, or some of them, as one way from head to head. */
export function reheaded(history: readonly Told[]): readonly Told[] {
  let newest: LogEntry['makes']
  return history.map((told) => {
    const restsOn = newest
    if (told.entry.makes === undefined) return { ...told, entry: { ...told.entry, restsOn } }
    newest = headOf((newest?.version ?? 0) + 1)
    return { ...told, entry: { ...told.entry, restsOn, makes: newest } }
  })
}
