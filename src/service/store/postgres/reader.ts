import type { Found, FoundRecord, LookupRow, Read } from '../../../protocol/reads.ts'
import { readQueries } from '../queries.ts'
import { assertPage, lastCursor } from '../store.ts'
import { activityPage } from './activity_page.ts'
import { isConsequence } from './answers.ts'
import type { Connection } from './connection.ts'
import { createSlot } from './slot.ts'
import { statement, statementsOf } from './statement.ts'

export const readStatements = statementsOf(readQueries)

type Holders = { parentId: string; lookup: string; key: string; cursor: string; limit: number }
const holdersAfter = statement<Holders, LookupRow>()`
  select distinct on (organization_id) organization_id as "organizationId", kind, record_id as "recordId" from lookups
  where parent_id = ${'parentId'} and lookup = ${'lookup'} and key = ${'key'} and organization_id > ${'cursor'}
  order by organization_id, record_id limit ${'limit'}`
const holdersBefore = statement<Holders, LookupRow>()`
  select distinct on (organization_id) organization_id as "organizationId", kind, record_id as "recordId" from lookups
  where parent_id = ${'parentId'} and lookup = ${'lookup'} and key = ${'key'} and organization_id < ${'cursor'}
  order by organization_id desc, record_id limit ${'limit'}`
export const holderStatements = { holdersAfter, holdersBefore }

type Of<Kind extends Read['read']> = Extract<Read, { readonly read: Kind }>
type Waiting = {
  readonly reads: readonly Read[]
  readonly resolve: (found: readonly Found[]) => void
  readonly reject: (error: unknown) => void
}

export type Reader = {
  /** Reads from one snapshot, which is taken after the call. */
  readonly find: (reads: readonly Read[]) => Promise<readonly Found[]>
  /** A connection for statements that need no snapshot. The small writes of deliveries use it too. */
  readonly connection: () => Promise<Connection>
  readonly close: () => Promise<void>
}

/** So many groups of reads are under way at once. Reads that come meanwhile form the next group. */
const connections = 4
/** A large page in a group delays the others. */
const groupMax = 64

/** `opened` is a connection that is there already. */
export function createReader(connect: () => Promise<Connection>, opened: Connection): Reader {
  const slots = Array.from({ length: connections }, () => createSlot(connect))
  const idle = [...slots]
  const first = createSlot(connect, opened)
  const waiting: Waiting[] = []
  const working = new Set<Promise<void>>()
  let isPlanned = false
  let isClosed = false

  return {
    find(reads) {
      if (isClosed) return Promise.reject(new Error('the store is closed'))
      return new Promise((resolve, reject) => {
        waiting.push({ reads, resolve, reject })
        if (isPlanned) return
        // Reads of one turn of the event loop share a snapshot.
        isPlanned = true
        setImmediate(start)
      })
    },
    connection: () => first.connection(),
    async close() {
      isClosed = true
      start() // what is planned
      while (working.size > 0) await Promise.all(working)
      await Promise.all([first, ...slots].map((slot) => slot.close()))
    },
  }

  function start(): void {
    isPlanned = false
    while (waiting.length > 0) {
      const slot = idle.pop()
      if (slot === undefined) return
      const group = waiting.splice(0, groupMax)
      const reading = readGroup(slot.connection(), group)
        .catch((error: unknown) => {
          for (const { reject } of group) reject(error)
        })
        .finally(() => {
          working.delete(reading)
          idle.push(slot)
          start()
        })
      working.add(reading)
    }
  }
}

async function readGroup(connecting: Promise<Connection>, group: readonly Waiting[]): Promise<void> {
  const connection = await connecting
  const begun = connection.execute('begin isolation level repeatable read read only')
  const found = group.map(({ reads }) => Promise.all(reads.map((read) => findOne(connection, read))))
  const [start, ...outcomes] = await Promise.allSettled([begun, ...found])
  const ended = connection.execute('commit')
  const again: Waiting[] = []
  for (const [index, waiting] of group.entries()) {
    const outcome = start.status === 'rejected' ? start : outcomes[index]
    if (outcome?.status === 'fulfilled') waiting.resolve(outcome.value)
    else if (group.length > 1 && isConsequence(outcome?.reason)) again.push(waiting)
    else waiting.reject(outcome?.reason)
  }
  await ended
  // These reads only shared the transaction of a refused read.
  for (const waiting of again) await readGroup(Promise.resolve(connection), [waiting])
}

async function findOne(connection: Connection, read: Read): Promise<Found> {
  switch (read.read) {
    case 'headTag':
      return { read: 'headTag', row: (await connection.run(readStatements.headTag, read)).rows[0] }
    case 'head':
      return { read: 'head', row: (await connection.run(readStatements.head, read)).rows[0] }
    case 'record':
      return { read: 'record', row: (await connection.run(readStatements.record, read)).rows[0] }
    case 'lookup':
      return { read: 'lookup', rows: (await connection.run(readStatements.lookup, read)).rows }
    case 'holders':
      return { read: 'holders', rows: await holderPage(connection, read) }
    case 'page':
      return { read: 'page', rows: await recordPage(connection, read) }
    case 'activity':
      return { read: 'activity', row: (await connection.run(readStatements.activity, read)).rows[0] }
    case 'request':
      return { read: 'request', row: (await connection.run(readStatements.request, read)).rows[0] }
    case 'activities':
      assertPage(read)
      return { read: 'activities', rows: await activityPage(connection, read) }
    case 'webhooks': {
      const page = read.isGivenUp ? readStatements.givenUpWebhooks : readStatements.waitingWebhooks
      const range = { ...read, cursor: read.after ?? lastCursor }
      return { read: 'webhooks', rows: (await connection.run(page, range)).rows }
    }
    case 'webhook':
      return { read: 'webhook', row: (await connection.run(readStatements.webhook, read)).rows[0] }
    case 'logProofs':
    case 'logBundles':
      throw new Error('the room transparency answers this read')
  }
}

/** One row for each sub-organization, however many of its records share the key. */
async function holderPage(connection: Connection, read: Of<'holders'>): Promise<readonly LookupRow[] | undefined> {
  assertPage(read)
  const { parentId, lookup, key, limit, before } = read
  const cursor = read.after ?? before
  const range = { parentId, lookup, key, limit, cursor: cursor ?? '' }
  const [known, page] = await Promise.all([
    cursor === undefined ? undefined : connection.run(readStatements.holder, { ...range, organizationId: cursor }),
    connection.run(before === undefined ? holdersAfter : holdersBefore, range),
  ])
  if (known?.rows.length === 0) return undefined
  return before === undefined ? page.rows : page.rows.toReversed()
}

async function recordPage(connection: Connection, read: Of<'page'>): Promise<readonly FoundRecord[] | undefined> {
  assertPage(read)
  const { organizationId, kind, ownerId, limit, before } = read
  const cursor = read.after ?? before
  const range = { organizationId, kind, limit, cursor: cursor ?? '' }
  const side = before === undefined ? 'After' : 'Before'
  const [known, page] = await Promise.all([
    cursor === undefined
      ? undefined
      : connection.run(readStatements.recordVersion, { organizationId, kind, recordId: cursor }),
    ownerId === undefined
      ? connection.run(readStatements[`records${side}`], range)
      : connection.run(readStatements[`ownedRecords${side}`], { ...range, ownerId }),
  ])
  const isInList = known?.rows.some((row) => ownerId === undefined || row.ownerId === ownerId) ?? true
  if (!isInList) return undefined
  return before === undefined ? page.rows : page.rows.toReversed()
}
