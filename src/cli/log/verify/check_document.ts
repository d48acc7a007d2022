import { type ActivityDocument, type DocumentContent, documentDigest } from '../../../contract/records/documents.ts'
import { mayHoldTokens } from '../../../deciding/organization/submitted.ts'
import { operationOfType } from '../../../operations/catalogue.ts'
import type { ExportedDocument } from '../../../protocol/log/exports/export_lines.ts'
import type { LogEntry } from '../../../protocol/log/log_entry.ts'

/** The document of an entry, which an auditor reads. `content` undefined: it is withheld, or there is none. */
export type CheckedDocument = {
  readonly document: ActivityDocument
  readonly content: DocumentContent | undefined
  /** The content is withheld, though it can hold no token. */
  readonly isLeftOut?: true
}

/** Returns the document, or what is wrong with it: its digest must be that in the entry. */
export function checkDocument(
  { activity }: Pick<LogEntry, 'activity'>,
  { document: text, content }: Pick<ExportedDocument, 'document' | 'content'>,
): CheckedDocument | string {
  if (activity === undefined || documentDigest(text) !== activity.documentDigest) {
    return 'its document is not the one whose digest it has'
  }
  const document = parsed<ActivityDocument>(text)
  if (document?.activityId !== activity.activityId || document.version !== activity.version) {
    return 'its document is of another activity'
  }
  if (!Array.isArray(document.changes)) return 'its document cannot be read'
  if (content === undefined) {
    const { vote } = document
    const isLeftOut = vote !== undefined && !vote.isUnstamped && !mayBeWithheld(activity.type)
    return { document, content: undefined, ...(isLeftOut && { isLeftOut }) }
  }
  if (documentDigest(content) !== document.contentDigest) {
    return 'the content of its document is not the one whose digest the document has'
  }
  return { document, content: parsed<DocumentContent>(content) }
}

/** The server may withhold content with tokens, and nothing else: it would withhold every stamp that is wrong. */
function mayBeWithheld(type: string): boolean {
  const operation = operationOfType(type)?.operation
  return operation !== undefined && mayHoldTokens(operation)
}

/** A vault writes the form of the type. A holder of its keys can give a text any form. */
function parsed<T extends object>(text: string): T | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as T) : undefined
  } catch {
    return undefined
  }
}
