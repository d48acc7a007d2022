import assert from 'node:assert/strict'
import { type Commit, erasedOfEach } from '../../../../protocol/reads.ts'
import type { IndexRow } from '../../store.ts'
import { writeQueries } from '../../write_queries.ts'
import { refuseAdditions } from '../additions.ts'
import { answered } from '../answers.ts'
import type { Connection } from '../connection.ts'
import { erase } from '../erase.ts'
import { type Single, type Statement, statement, statementsOf } from '../statement.ts'
import type { Facts } from './locked_rows.ts'

type Made<Part extends 'records' | 'lookups' | 'activities'> = Commit[Part][number]
type RecordRow = Omit<Made<'records'>, 'ownerId' | 'sealed'> & { ownerId: string | null; sealed: Uint8Array }
type RecordKey = Pick<RecordRow, 'organizationId' | 'kind' | 'recordId'>
type LookupRow = Omit<Made<'lookups'>, 'change'>
type ActivityRow = Made<'activities'> & { sequence: number }

const single = statementsOf(writeQueries)

/** Each writes many rows: `runRows` gives it arrays. */
const insertRecords = statement<RecordRow>()`insert into records
  (organization_id, kind, record_id, owner_id, version, sealed)
  select * from unnest(${'organizationId'}::text[], ${'kind'}::text[], ${'recordId'}::text[], ${'ownerId'}::text[],
    ${'version'}::bigint[], ${'sealed'}::bytea[])`
const replaceRecords = statement<RecordRow>()`update records
  set owner_id = given.owner_id, version = given.version, sealed = given.sealed
  from unnest(${'organizationId'}::text[], ${'kind'}::text[], ${'recordId'}::text[], ${'ownerId'}::text[],
    ${'version'}::bigint[], ${'sealed'}::bytea[]) as given (organization_id, kind, record_id, owner_id, version, sealed)
  where records.organization_id = given.organization_id and records.kind = given.kind
    and records.record_id = given.record_id and records.version < given.version`
const deleteRecords = statement<RecordKey>()`delete from records
  using unnest(${'organizationId'}::text[], ${'kind'}::text[], ${'recordId'}::text[])
    as given (organization_id, kind, record_id)
  where records.organization_id = given.organization_id and records.kind = given.kind
    and records.record_id = given.record_id`
const insertLookups = statement<LookupRow>()`insert into lookups
  (organization_id, lookup, key, record_id, kind, parent_id)
  select given.*, parent_id
  from unnest(${'organizationId'}::text[], ${'lookup'}::text[], ${'key'}::text[], ${'recordId'}::text[],
    ${'kind'}::text[]) as given (organization_id, lookup, key, record_id, kind)
  left join organizations using (organization_id)`
const deleteLookups = statement<LookupRow>()`delete from lookups
  using unnest(${'organizationId'}::text[], ${'lookup'}::text[], ${'key'}::text[], ${'recordId'}::text[])
    as given (organization_id, lookup, key, record_id)
  where lookups.organization_id = given.organization_id and lookups.lookup = given.lookup
    and lookups.key = given.key and lookups.record_id = given.record_id`
const insertActivities = statement<ActivityRow>()`insert into activities
  (organization_id, sequence, activity_id, request_key, type, status, version, sealed)
  select * from unnest(${'organizationId'}::text[], ${'sequence'}::bigint[], ${'activityId'}::text[],
    ${'requestKey'}::text[], ${'type'}::text[], ${'status'}::text[], ${'version'}::bigint[], ${'sealed'}::bytea[])`

/** As `insertIndexRow`: a bundle has entries of up to 256 organizations. */
const insertIndexRows = statement<IndexRow & { log: number }>()`insert into log_index
  (organization, log, number, places)
  select * from unnest(${'organization'}::bytea[], ${'log'}::bigint[], ${'number'}::bigint[], ${'places'}::bytea[])
  on conflict (organization, log, number) do update set places = excluded.places`

export const writeStatements = {
  ...single,
  insertRecords,
  replaceRecords,
  deleteRecords,
  insertLookups,
  deleteLookups,
  insertActivities,
  insertIndexRows,
}

/** Rows of one statement. All of their bytes are one text until they are sent. */
const rowsOfStatementMax = 250

/**
 * Writes commits that were judged, inside the caller's transaction. Everything is sent at once. Rows of one commit and
 * of several are written in no order of their own, because no row is named twice: a commit changes a row once, and
 * `judge` takes commits apart that share one.
 * @throws Error when a statement did not change what it had to, or a trigger or a rule could make it do something else.
 */
export async function writeRows(connection: Connection, commits: readonly Commit[], facts: Facts): Promise<void> {
  const sent: Promise<unknown>[] = []
  const changeOne = (running: Promise<{ changed: number }>) => {
    sent.push(running.then(({ changed }) => assert(changed === 1, changedText)))
  }
  function changeEach<Row extends Readonly<Record<string, Single>>>(to: Statement<Row, never>, rows: readonly Row[]) {
    for (const part of partsOf(rows)) {
      sent.push(connection.runRows(to, part).then(({ changed }) => assert(changed === part.length, changedText)))
    }
  }

  // Heads first: a lookup row takes its organization's parent from there.
  for (const { parentId = null, ...head } of commits.flatMap(({ heads }) => heads)) {
    if (head.version === 1) changeOne(connection.run(single.insertHead, { ...head, parentId }))
    else changeOne(connection.run(single.replaceHead, head))
  }
  const records = commits.flatMap((commit) => commit.records)
  const kept = records.flatMap(({ sealed, ownerId = null, ...key }) =>
    sealed === undefined ? [] : [{ ...key, ownerId, sealed }],
  )
  changeEach(
    deleteRecords,
    records.filter(({ sealed }) => sealed === undefined),
  )
  changeEach(
    insertRecords,
    kept.filter(({ version }) => version === 1),
  )
  changeEach(
    replaceRecords,
    kept.filter(({ version }) => version > 1),
  )
  const lookups = commits.flatMap((commit) => commit.lookups)
  // Removing a row that is not there is no conflict: a lost hint must not keep its record from being deleted.
  for (const part of partsOf(lookups.filter(({ change }) => change === 'remove'))) {
    sent.push(connection.runRows(deleteLookups, part))
  }
  changeEach(
    insertLookups,
    lookups.filter(({ change }) => change === 'add'),
  )
  const activities = commits.flatMap((commit) => commit.activities)
  for (const activity of activities) {
    if (activity.version > 1) changeOne(connection.run(single.replaceActivity, activity))
  }
  changeEach(insertActivities, withSequences(activities, facts))
  for (const message of commits.flatMap(({ outbox }) => outbox)) {
    if (message.channel === 'notice') changeOne(connection.run(single.insertNotice, message))
    else if (message.channel !== 'webhook') changeOne(connection.run(single.insertMessage, message))
    else {
      const { organizationId, replaces: messageId } = message
      // A dead letter that is gone already is replaced all the same.
      if (messageId !== undefined) sent.push(connection.run(single.deleteWebhook, { organizationId, messageId }))
      changeOne(connection.run(single.insertWebhook, message))
    }
  }
  for (const { erasures } of commits) {
    for (const erasure of erasures) sent.push(erase(connection, erasure, erasedOfEach(erasures.length)))
  }
  sent.push(refuseAdditions(connection))
  await answered(sent)
}

const changedText = 'a row changed while its organization was locked: something else writes into this database'

function partsOf<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const count = Math.ceil(rows.length / rowsOfStatementMax)
  return Array.from({ length: count }, (_, index) =>
    rows.slice(index * rowsOfStatementMax, (index + 1) * rowsOfStatementMax),
  )
}

/**
 * New activities with their sequences. These follow the last one that was read under the organization's lock, so a
 * transaction that is rolled back leaves no gap.
 */
function withSequences(activities: Commit['activities'], facts: Facts): readonly ActivityRow[] {
  const last = new Map(facts.sequences)
  return activities
    .filter(({ version }) => version === 1)
    .map((activity) => {
      const sequence = (last.get(activity.organizationId) ?? 0) + 1
      last.set(activity.organizationId, sequence)
      return { ...activity, sequence }
    })
}
