import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import type { Found, FoundRecord, LookupRow, Read } from '../../../protocol/reads.ts'
import { portionsOf } from '../change_marks.ts'
import { statusCompleted } from '../schema.ts'
import { assertPage, lastCursor, logNumberOf, logsMax, type Store, type WaitingEndpoint } from '../store.ts'
import { type Completed, createActivityPage } from './activity_page.ts'
import { prepareAll, type Statements } from './connection.ts'
import { createSchemaRefresh } from './schema_guard.ts'
import { sqliteQueries } from './sqlite_queries.ts'

type EndpointKey = Pick<WaitingEndpoint, 'organizationId' | 'endpointId'>

type Of<Kind extends Read['read']> = Extract<Read, { readonly read: Kind }>

/** The part of the store that reads. */
export type Reader = Omit<
  Store,
  'commit' | 'keepLog' | 'indexBundle' | 'changeQueue' | 'initializeVaultState' | 'health' | 'close'
> & {
  /**
   * Reads from one snapshot, which lasts until the turn of the event loop ends or `refresh` is called. Which activities
   * are completed may be found before, in several turns.
   */
  readonly find: Store['find']
  /** Later reads find what was committed before this call. */
  readonly refresh: () => void
  /** @throws Error when the database cannot be read. */
  readonly ping: () => void
}

export function createReader(database: DatabaseSync): Reader {
  const refreshSchema = createSchemaRefresh(database)
  const statements = prepareAll(database, sqliteQueries)
  const holderPage = createHolderPage(statements)
  const recordPage = createRecordPage(statements)
  const activityPage = createActivityPage(database, statements)
  const begin = database.prepare('begin')
  const end = database.prepare('commit')

  return {
    async find(reads) {
      // Most reads need no further turn of the event loop, and are one snapshot.
      beginSnapshot()
      const completed: Completed = new Map()
      for (const read of reads) {
        if (read.read !== 'activities' || read.statuses?.includes(statusCompleted) !== true) continue
        completed.set(read, await activityPage.completedOf(read))
      }
      if (completed.size > 0) beginSnapshot()
      return reads.map((read) => findOne(read, completed))
    },
    async changeMarks(organizationIds) {
      const { changeMarks } = fresh()
      return portionsOf(organizationIds).flatMap((portion) => changeMarks.all(portion))
    },
    activityBytes: async (activity) => fresh().activitySize.get(activity)?.bytes ?? 0,
    refresh,
    nextMessageOrganization: async (from) => fresh().nextMessageOrganization.get(from),
    dueMessages: async (due) => fresh().dueMessages.all(due),
    async waitingEndpoints(from) {
      const { nextWaitingEndpoint } = fresh()
      const found: WaitingEndpoint[] = []
      // SQLite would need a recursive view, and the connection refuses all views.
      for (let next: EndpointKey | undefined = from; next !== undefined && found.length < from.limit; ) {
        const endpoint = nextWaitingEndpoint.get(next)
        if (endpoint !== undefined) found.push(endpoint)
        next = endpoint
      }
      return found
    },
    dueNoticeLines: async (due) => fresh().dueNoticeLines.all(due),
    dueNotices: async (due) => fresh().dueNotices.all(due),
    dueLinesOfMailbox: async (of) => fresh().dueLinesOfMailbox.all(of),
    nextWebhookSource: async (from) => fresh().nextWebhookSource.get(from),
    largestWebhookSource: async (endpoint) => fresh().largestWebhookSource.get(endpoint),
    dueWebhooks: async (due) => fresh().dueWebhooks.all(due),
    logs: async (after = '') => fresh().logs.all({ after, limit: logsMax }),
    log: async (logId) => fresh().log.get({ logId }),
    logBundle: async (bundle) => fresh().logBundle.get(bundle)?.entries,
    bundleRoots: async (range) => fresh().bundleRoots.all(range),
    listedActivities: async (range) => fresh().listedActivities.all(range),
    logIndex: async ({ logId, ...range }) => fresh().logIndex.all({ ...range, log: logNumberOf(logId) }),
    vaultState: async () => fresh().vaultState.get({})?.state,
    ping: () => assert(fresh().ping.get({}) !== undefined, 'the database lost its schema number'),
  }

  function fresh(): Statements {
    refreshSchema()
    return statements
  }

  /** A new snapshot costs more than reading a row, and drops the pages that were read. */
  function beginSnapshot(): void {
    if (!database.isTransaction) {
      begin.run()
      setImmediate(refresh)
    }
    refreshSchema()
  }

  function refresh(): void {
    if (database.isOpen && database.isTransaction) end.run()
  }

  function findOne(read: Read, completed: Completed): Found {
    switch (read.read) {
      case 'headTag':
        return { read: 'headTag', row: statements.headTag.get(read) }
      case 'head':
        return { read: 'head', row: statements.head.get(read) }
      case 'record':
        return { read: 'record', row: statements.record.get(read) }
      case 'lookup':
        return { read: 'lookup', rows: statements.lookup.all(read) }
      case 'holders':
        return { read: 'holders', rows: holderPage(read) }
      case 'page':
        return { read: 'page', rows: recordPage(read) }
      case 'activity':
        return { read: 'activity', row: statements.activity.get(read) }
      case 'request':
        return { read: 'request', row: statements.request.get(read) }
      case 'activities':
        return { read: 'activities', rows: activityPage.rows(read, completed.get(read)) }
      case 'webhooks': {
        const page = read.isGivenUp ? statements.givenUpWebhooks : statements.waitingWebhooks
        return { read: 'webhooks', rows: page.all({ ...read, cursor: read.after ?? lastCursor }) }
      }
      case 'webhook':
        return { read: 'webhook', row: statements.webhook.get(read) }
      case 'logProofs':
      case 'logBundles':
        throw new Error('the room transparency answers this read')
    }
  }
}

/** One row for each sub-organization, however many of its records share the key. */
function createHolderPage({
  holder,
  nextHolder,
  previousHolder,
}: Statements): (read: Of<'holders'>) => readonly LookupRow[] | undefined {
  return (read) => {
    const { parentId, lookup, key, limit, before } = read
    assertPage(read)
    const cursor = read.after ?? before
    if (cursor !== undefined && rowOf(cursor) === undefined) return undefined

    const rows: LookupRow[] = []
    const nearest = before === undefined ? nextHolder : previousHolder
    for (let from = cursor ?? ''; rows.length < limit; ) {
      const next = nearest.get({ parentId, lookup, key, organizationId: from })
      const row = next && rowOf(next.organizationId)
      if (row === undefined) break
      rows.push(row)
      from = row.organizationId
    }
    return before === undefined ? rows : rows.toReversed()

    function rowOf(organizationId: string): LookupRow | undefined {
      return holder.get({ parentId, lookup, key, organizationId })
    }
  }
}

function createRecordPage(statements: Statements): (read: Of<'page'>) => readonly FoundRecord[] | undefined {
  return (read) => {
    const { organizationId, kind, ownerId, limit } = read
    assertPage(read)
    const cursor = read.after ?? read.before
    if (cursor !== undefined && !isInList(cursor)) return undefined

    if (read.before !== undefined) return records('Before', read.before).toReversed()
    return records('After', read.after ?? '')

    function isInList(recordId: string): boolean {
      const row = statements.recordVersion.get({ organizationId, kind, recordId })
      return row !== undefined && (ownerId === undefined || row.ownerId === ownerId)
    }

    function records(side: 'After' | 'Before', from: string): readonly FoundRecord[] {
      const range = { organizationId, kind, cursor: from, limit }
      return ownerId === undefined
        ? statements[`records${side}`].all(range)
        : statements[`ownedRecords${side}`].all({ ...range, ownerId })
    }
  }
}
