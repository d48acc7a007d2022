import { type Commit, erasedOfEach, type LookupRow, type ReadSetEntry } from '../../../protocol/reads.ts'
import { digestOf } from '../../../protocol/tools/digest.ts'
import type { Statements } from './connection.ts'
import type { Eraser } from './erase.ts'

/** The database is not as the commit expected it. */
export class Conflict extends Error {
  override readonly name = 'Conflict'
}

/**
 * Checks read sets against the database. Commits of one batch mostly rest on the same few rows, so heads, records and
 * lookups that held once are not read again.
 */
export type Check = {
  holds(entries: readonly ReadSetEntry[]): boolean
  /** Called when a transaction begins, and before heads, records or lookups are written or erased. */
  forget(): void
}

export function createCheck({ headTag, record, recordVersion, lookup, requestVersion }: Statements): Check {
  const held = new Set<string>()

  return {
    // Requests are always read: every commit writes activities, and no two commits rest on the same request.
    holds: (entries) => entries.every((entry) => (entry.of === 'request' ? holds(entry) : stillHolds(entry))),
    forget: () => held.clear(),
  }

  function stillHolds(entry: ReadSetEntry): boolean {
    const name = JSON.stringify(entry)
    const isHeld = held.has(name) || holds(entry)
    if (isHeld) held.add(name)
    return isHeld
  }

  function holds(entry: ReadSetEntry): boolean {
    switch (entry.of) {
      case 'head': {
        const row = headTag.get(entry)
        return row?.version === entry.version && row?.tag === entry.tag
      }
      case 'record': {
        if (entry.digest === undefined) return recordVersion.get(entry)?.version === entry.version
        const row = record.get(entry)
        return row !== undefined && row.version === entry.version && digestOf(row.sealed) === entry.digest
      }
      case 'request':
        return requestVersion.get(entry)?.version === entry.version
      case 'lookup': {
        // The statement is that of a read. Where more rows exist, the decision rests only on the rows that it was
        // shown.
        const rows = lookup.all(entry)
        const expected = new Set(entry.rows.map(nameOf))
        return rows.length === expected.size && rows.every((row) => expected.has(nameOf(row)))
      }
    }
  }
}

const nameOf = ({ kind, recordId }: Pick<LookupRow, 'kind' | 'recordId'>) => `${kind} ${recordId}`

/**
 * Makes the function that writes a commit, inside the caller's savepoint.
 * @throws Conflict when a row to be replaced or removed is not there, or is not older.
 */
export function createApply(statements: Statements, eraser: Eraser): (commit: Commit) => void {
  return ({ heads, records, lookups, activities, outbox, erasures }) => {
    // Heads first: a lookup row takes its organization's parent from there.
    for (const head of heads) writeHead(head)
    for (const record of records) writeRecord(record)
    for (const lookup of lookups) writeLookup(lookup)
    for (const activity of activities) writeActivity(activity)
    for (const message of outbox) writeMessage(message)
    for (const erasure of erasures) eraser.begin(erasure, erasedOfEach(erasures.length))
  }

  function writeMessage(message: Commit['outbox'][number]): void {
    if (message.channel === 'notice') {
      statements.insertNotice.run(message)
      return
    }
    if (message.channel !== 'webhook') {
      statements.insertMessage.run(message)
      return
    }
    const { organizationId, replaces } = message
    if (replaces !== undefined) statements.deleteWebhook.run({ organizationId, messageId: replaces })
    statements.insertWebhook.run(message)
  }

  function writeHead(head: Commit['heads'][number]): void {
    if (head.version === 1) statements.insertHead.run({ ...head, parentId: head.parentId ?? null })
    else expectOne(statements.replaceHead.run(head), 'head')
  }

  function writeRecord(record: Commit['records'][number]): void {
    const { sealed } = record
    if (sealed === undefined) {
      expectOne(statements.deleteRecord.run(record), 'record')
      return
    }
    const row = { ...record, sealed, ownerId: record.ownerId ?? null }
    if (record.version === 1) statements.insertRecord.run(row)
    else expectOne(statements.replaceRecord.run(row), 'record')
  }

  /** Removing a row that is not there is no conflict: a lost hint must not keep its record from being deleted. */
  function writeLookup(lookup: Commit['lookups'][number]): void {
    if (lookup.change === 'add') statements.insertLookup.run(lookup)
    else statements.deleteLookup.run(lookup)
  }

  function writeActivity(activity: Commit['activities'][number]): void {
    if (activity.version === 1) statements.insertActivity.run(activity)
    else expectOne(statements.replaceActivity.run(activity), 'activity')
  }
}

function expectOne(rowsChanged: number, what: string): void {
  if (rowsChanged !== 1) throw new Conflict(`the ${what} to be changed is not there, or is not older`)
}
