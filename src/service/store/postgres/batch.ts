import assert from 'node:assert/strict'
import { type Commit, erasedAtOnceMax, type ReadSetEntry } from '../../../protocol/reads.ts'
import { writeQueries } from '../write_queries.ts'
import { type Connection, settled } from './connection.ts'
import { erase } from './erase.ts'
import { activityKey, type Facts, headKey, holds, lookupKey, readFacts, recordKey, requestKeyOf } from './facts.ts'
import { statement, statementsOf } from './statement.ts'

/** `later`: it rests on what another commit of the batch writes, and is to be executed after it. */
export type Outcome = 'committed' | 'conflict' | 'later'

const statements = statementsOf(writeQueries)

/** Signatures write one row each, and mostly nothing else: one statement writes those of all commits. */
const insertActivities = statement<
  Readonly<Record<'ids' | 'activityIds' | 'requestKeys' | 'types' | 'statuses', readonly string[]>> & {
    readonly sequences: readonly number[]
    readonly versions: readonly number[]
    readonly sealed: readonly Uint8Array[]
  }
>()`insert into activities
  (organization_id, sequence, activity_id, request_key, type, status, version, sealed)
  select * from unnest(${'ids'}::text[], ${'sequences'}::bigint[], ${'activityIds'}::text[], ${'requestKeys'}::text[],
    ${'types'}::text[], ${'statuses'}::text[], ${'versions'}::bigint[], ${'sealed'}::bytea[])`

export const batchStatements = { ...statements, insertActivities }

/**
 * Executes commits in one transaction. Outcomes are in the order of the commits, and final when the promise resolves.
 * @throws Error when the transaction failed. When the connection was lost it may have been committed all the same.
 */
export async function executeBatch(connection: Connection, commits: readonly Commit[]): Promise<readonly Outcome[]> {
  try {
    const facts = await readFacts(connection, commits)
    const outcomes = judge(commits, facts)
    const written = commits.filter((_, index) => outcomes[index] === 'committed')
    await write(connection, written, facts)
    await connection.commit()
    return outcomes
  } catch (error) {
    // A lost connection is rolled back by the server. After a commit that failed, nothing is left to roll back.
    if (connection.isUsable()) await connection.execute('rollback').catch(() => {})
    throw error
  }
}

/** Decides each commit on the facts, which are those before the batch. */
export function judge(commits: readonly Commit[], facts: Facts): readonly Outcome[] {
  const changed = new Set<string>()
  /** An erasure changes rows that nobody has listed, so nothing overtakes it, and it overtakes nothing. */
  let isErased = false
  let isOneLater = false

  return commits.map((commit) => {
    const written = keysWritten(commit)
    const keys = [...written, ...keysRestedOn(commit)]
    const erases = commit.erasures.length > 0
    if (isErased || (erases && isOneLater) || keys.some((key) => changed.has(key))) {
      isOneLater = true
      isErased ||= erases
      // No later commit may overtake it.
      for (const key of keys) changed.add(key)
      return 'later'
    }
    if (!commit.readSet.every((entry) => holds(entry, facts)) || !applies(commit, facts)) return 'conflict'
    for (const key of written) changed.add(key)
    isErased = erases
    return 'committed'
  })
}

function keysRestedOn({ readSet }: Commit): readonly string[] {
  return readSet.map(keyOf)
}

function keyOf(entry: ReadSetEntry): string {
  switch (entry.of) {
    case 'head':
      return headKey(entry.organizationId)
    case 'record':
      return recordKey(entry)
    case 'request':
      return requestKeyOf(entry)
    case 'lookup':
      return lookupKey(entry)
  }
}

function keysWritten({ heads, records, lookups, activities, outbox }: Commit): readonly string[] {
  return [
    ...heads.map(({ organizationId }) => headKey(organizationId)),
    ...records.map(recordKey),
    ...lookups.map(lookupKey),
    ...activities.flatMap((activity) => [activityKey(activity), requestKeyOf(activity)]),
    ...outbox.map(({ organizationId, messageId }) => `message ${organizationId} ${messageId}`),
  ]
}

/** Whether new rows are new, and rows to be replaced or removed are there and older. */
function applies({ heads, records, activities }: Commit, facts: Facts): boolean {
  const follows = (version: number, current: number | undefined) =>
    version === 1 ? current === undefined : current !== undefined && current < version
  return (
    heads.every(({ organizationId, version }) => follows(version, facts.heads.get(headKey(organizationId))?.version)) &&
    records.every((record) => {
      const current = facts.records.get(recordKey(record))?.version
      return record.sealed === undefined ? current !== undefined : follows(record.version, current)
    }) &&
    activities.every((activity) => {
      const isTaken = activity.version === 1 && facts.requests.has(requestKeyOf(activity))
      return !isTaken && follows(activity.version, facts.activities.get(activityKey(activity)))
    })
  )
}

/**
 * Writes commits that were judged. Everything is sent at once, and the transaction is not ended before every statement
 * has changed what it had to.
 */
async function write(connection: Connection, commits: readonly Commit[], facts: Facts): Promise<void> {
  const changingOne: Promise<number>[] = []
  const sent: Promise<unknown>[] = []
  const send: Connection['run'] = (what, values) => {
    const running = connection.run(what, values)
    sent.push(running)
    return running
  }
  const changeOne = (running: ReturnType<typeof send>) => {
    const changed = running.then((result) => result.changed)
    changed.catch(() => {}) // `sent` has it too
    changingOne.push(changed)
  }

  for (const { heads, records, lookups, activities, outbox } of commits) {
    // Heads first: a lookup row takes its organization's parent from there.
    for (const { parentId = null, ...head } of heads) {
      if (head.version === 1) changeOne(send(statements.insertHead, { ...head, parentId }))
      else changeOne(send(statements.replaceHead, head))
    }
    for (const { sealed, ownerId = null, ...record } of records) {
      if (sealed === undefined) changeOne(send(statements.deleteRecord, record))
      else if (record.version === 1) changeOne(send(statements.insertRecord, { ...record, ownerId, sealed }))
      else changeOne(send(statements.replaceRecord, { ...record, ownerId, sealed }))
    }
    for (const lookup of lookups) {
      if (lookup.change === 'add') changeOne(send(statements.insertLookup, lookup))
      // Removing a row that is not there is no conflict: a lost hint must not keep its record from being deleted.
      else send(statements.deleteLookup, lookup).catch(() => {}) // `sent` has it too
    }
    for (const activity of activities) {
      if (activity.version > 1) changeOne(send(statements.replaceActivity, activity))
    }
    for (const message of outbox) {
      if (message.channel !== 'webhook') changeOne(send(statements.insertMessage, message))
      else {
        const { organizationId, replaces: messageId } = message
        // A dead letter that is gone already is replaced all the same.
        if (messageId !== undefined) send(statements.deleteWebhook, { organizationId, messageId }).catch(() => {})
        changeOne(send(statements.insertWebhook, message))
      }
    }
  }
  sent.push(insertActivitiesOf(connection, commits, facts))
  for (const erasure of commits.flatMap(({ erasures }) => erasures)) {
    sent.push(erase(connection, erasure, erasedAtOnceMax))
  }

  await settled(sent)
  assert(
    (await Promise.all(changingOne)).every((rows) => rows === 1),
    'a row changed while its organization was locked: something else writes into this database',
  )
}

/**
 * Sequences follow the last one that was read under the organization's lock, so a transaction that is rolled back
 * leaves no gap.
 */
async function insertActivitiesOf(connection: Connection, commits: readonly Commit[], facts: Facts): Promise<void> {
  const last = new Map(facts.sequences)
  const rows = commits
    .flatMap(({ activities }) => activities.filter(({ version }) => version === 1))
    .map((activity) => {
      const sequence = (last.get(activity.organizationId) ?? 0) + 1
      last.set(activity.organizationId, sequence)
      return { ...activity, sequence }
    })
  if (rows.length === 0) return
  await connection.run(insertActivities, {
    ids: rows.map(({ organizationId }) => organizationId),
    sequences: rows.map(({ sequence }) => sequence),
    activityIds: rows.map(({ activityId }) => activityId),
    requestKeys: rows.map(({ requestKey }) => requestKey),
    types: rows.map(({ type }) => type),
    statuses: rows.map(({ status }) => status),
    versions: rows.map(({ version }) => version),
    sealed: rows.map(({ sealed }) => sealed),
  })
}
