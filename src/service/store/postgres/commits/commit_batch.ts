import type { Commit, ReadSetEntry } from '../../../../protocol/reads.ts'
import type { Connection } from '../connection.ts'
import {
  activityKey,
  type Facts,
  headKey,
  holds,
  lookupKey,
  readFacts,
  recordKey,
  requestKeyOf,
} from './locked_rows.ts'
import { writeRows } from './write_rows.ts'

/** `later`: it rests on what another commit of the batch writes, and is to be executed after it. */
export type Outcome = 'committed' | 'conflict' | 'later'

/**
 * Executes commits in one transaction. Outcomes are in the order of the commits, and final when the promise resolves.
 * @throws Error when the transaction failed. When the connection was lost it may have been committed all the same.
 */
export async function executeBatch(connection: Connection, commits: readonly Commit[]): Promise<readonly Outcome[]> {
  try {
    const facts = await readFacts(connection, commits)
    const outcomes = judge(commits, facts)
    const written = commits.filter((_, index) => outcomes[index] === 'committed')
    await writeRows(connection, written, facts)
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
