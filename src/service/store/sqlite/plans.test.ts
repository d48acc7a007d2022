import type { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { temporaryPath } from '../../../../test/support/store/fixtures.ts'
import { readQueries, sequenceQueries } from '../queries.ts'
import { writeQueries } from '../write_queries.ts'
import { openReader } from './connection.ts'
import { prepareFile } from './prepare_file.ts'

const reads = readQueries
const statements = Object.entries({
  ...reads,
  ...prefixed('newest first', sequenceQueries('<')),
  ...prefixed('oldest first', sequenceQueries('>')),
  ...writeQueries,
})

/** A row of a portion, and a sum over it, are rows of a list that a limit has cut. */
const isBounded =
  /^(SEARCH .* USING |(CORRELATED )?SCALAR SUBQUERY|SCAN CONSTANT ROW|LIST SUBQUERY|CO-ROUTINE |SCAN (portion|sized|\(subquery-\d+\))$|USE TEMP B-TREE FOR LAST TERM)/

/** They sort the rows of a portion, once. */
const sortsPortion: readonly string[] = ['largestWebhookSource', 'endOldestWebhooks']
const sort = 'USE TEMP B-TREE FOR ORDER BY'

describe('every statement costs the same with 1,000 and with 1,000,000 rows', () => {
  test.each(statements)('%s', async (name, query) => {
    const plan = await planOf(query.sqlite)

    // An insert of plain values looks nothing up.
    if (!name.startsWith('insert')) expect(plan).not.toEqual([])
    const sorts = sortsPortion.includes(name) ? 1 : 0
    expect(plan.filter((step) => step === sort)).toHaveLength(sorts)
    for (const step of plan) if (step !== sort) expect(step).toMatch(isBounded)
  })
})

test.each([
  ['newest first', '<'],
  ['oldest first', '>'],
] as const)('activities %s of one type or status are one range of the index made for it', async (_, comparison) => {
  const { any, type, open, openType, visited, visitedType } = sequenceQueries(comparison)
  const inOrder = 'sqlite_autoindex_activities_1 (organization_id=? AND sequence'

  for (const [query, range] of [
    [any, inOrder],
    [type, 'activities_type (organization_id=? AND type=? AND sequence'],
    [open, 'activities_open (organization_id=? AND status=? AND sequence'],
    [openType, 'activities_open_type (organization_id=? AND status=? AND type=? AND sequence'],
    [visited, inOrder],
    [visitedType, 'activities_type (organization_id=? AND type=? AND sequence'],
  ] as const) {
    const [step, ...more] = await planOf(query.sqlite)
    expect(step).toContain(range)
    expect(more).toEqual([])
  }
})

test('pages of records, holders of a key and due messages are one range of their index', async () => {
  for (const [query, range] of [
    [reads.recordsAfter, '(organization_id=? AND kind=? AND record_id>?)'],
    [reads.recordsBefore, '(organization_id=? AND kind=? AND record_id<?)'],
    [reads.ownedRecordsAfter, 'records_owner (organization_id=? AND kind=? AND owner_id=? AND record_id>?)'],
    [reads.ownedRecordsBefore, 'records_owner (organization_id=? AND kind=? AND owner_id=? AND record_id<?)'],
    [reads.holder, 'PRIMARY KEY (organization_id=? AND lookup=? AND key=?)'],
    [reads.nextHolder, 'lookups_holders (parent_id=? AND lookup=? AND key=? AND organization_id>?)'],
    [reads.dueMessages, 'outbox_turns (channel=? AND organization_id=?)'],
    [reads.previousHolder, 'lookups_holders (parent_id=? AND lookup=? AND key=? AND organization_id<?)'],
  ] as const) {
    const plan = await planOf(query.sqlite)
    expect(plan).toHaveLength(1)
    expect(plan[0]).toContain(range)
  }
})

test('what is erased is found by its owner or kind, and its lookups by its id', async () => {
  const writes = writeQueries
  for (const [query, range] of [
    [reads.recordsOfKind, '(organization_id=? AND kind=?)'],
    [reads.recordsOfOwner, 'records_owner (organization_id=? AND kind=? AND owner_id=?)'],
    [writes.deleteLookupsOf, 'lookups_record (record_id=?)'],
    [writes.deleteRecord, '(organization_id=? AND kind=? AND record_id=?)'],
  ] as const) {
    const plan = await planOf(query.sqlite)
    expect(plan).toHaveLength(1)
    expect(plan[0]).toContain(range)
  }
})

test('what is next of endpoints and of their sources is found by their turns, however much of each waits', async () => {
  const ofSource = 'webhook_messages_sources (organization_id=? AND endpoint_id=? AND happened_in=?'
  for (const [query, range] of [
    [reads.nextWaitingEndpoint, 'webhook_messages_turns ((organization_id,endpoint_id)>(?,?))'],
    [reads.nextWebhookSource, 'webhook_messages_sources (organization_id=? AND endpoint_id=? AND happened_in>?)'],
    [reads.dueWebhooks, `${ofSource} AND due_at_ms<?)`],
    [reads.largestWebhookSource, 'webhook_messages_sources (organization_id=? AND endpoint_id=?)'],
    [writeQueries.endOldestWebhooks, `${ofSource})`],
  ] as const) {
    expect(await planOf(query.sqlite)).toContainEqual(expect.stringContaining(range))
  }
})

test('lines of notices are found by when they are due, or by their mailbox', async () => {
  for (const [query, range] of [
    [reads.dueNoticeLines, 'notices_due ((due_at_ms,organization_id,user_id)>(?,?,?) AND due_at_ms<?)'],
    [reads.dueLinesOfMailbox, 'INDEX notices_of_user (organization_id=? AND user_id>? AND user_id<?)'],
  ] as const) {
    expect(await planOf(query.sqlite)).toContainEqual(expect.stringContaining(range))
  }
})

test.each([
  ['headTag', reads.headTag],
  ['recordVersion', reads.recordVersion],
  ['requestVersion', reads.requestVersion],
  ['activitySequence', reads.activitySequence],
] as const)('%s reads no body', (_, { sqlite }) => {
  expect(sqlite).not.toMatch(/"head"|"sealed"/)
})

async function planOf(sql: string): Promise<readonly string[]> {
  const path = temporaryPath()
  await prepareFile(path)
  using database: DatabaseSync = openReader(path)
  return database
    .prepare(`explain query plan ${sql}`)
    .all()
    .map(({ detail }) => String(detail))
}

function prefixed<Q>(prefix: string, queries: Readonly<Record<string, Q>>): Record<string, Q> {
  return Object.fromEntries(Object.entries(queries).map(([name, query]) => [`${prefix}: ${name}`, query]))
}
