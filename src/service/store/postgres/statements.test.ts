import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryPostgres } from '../../../../test/support/store/fixtures.ts'
import { activityPageStatements } from './activity_page.ts'
import { factStatements } from './commits/locked_rows.ts'
import { writeStatements } from './commits/write_rows.ts'
import { readDatabaseUrl } from './database_address.ts'
import { eraseStatements } from './erase.ts'
import { holderStatements, readStatements } from './reader.ts'
import { waitingEndpoints } from './waiting_endpoints.ts'

const { above, below, ...ofPages } = activityPageStatements
const statements = Object.entries({
  ...readStatements,
  ...writeStatements,
  ...factStatements,
  ...holderStatements,
  ...eraseStatements,
  waitingEndpoints,
  ...ofPages,
  ...Object.fromEntries(Object.entries(above).map(([name, statement]) => [`${name} above`, statement])),
  ...Object.fromEntries(Object.entries(below).map(([name, statement]) => [`${name} below`, statement])),
})

/** They belong to no organization: one row for the whole database, or queues of it. */
const ofNoOrganization: readonly string[] = [
  'ping',
  'touch',
  'vaultState',
  'insertVaultState',
  'nextMessageOrganization',
  'dueMessages',
  'someErasure',
  'nextWaitingEndpoint',
  'waitingEndpoints',
  'deleteOldWebhooks',
  'dueNoticeLines',
  'deleteOldTurns',
  'logs',
  'log',
  'logBundle',
  'bundleRoots',
  'listedActivities',
  'insertLog',
  'raiseIndexed',
  'insertBundle',
]
/** They list the organizations of one parent. */
const ofOneParent: readonly string[] = ['nextHolder', 'previousHolder', 'holdersAfter', 'holdersBefore', 'holder']
/** Its index begins with the record's id, which is an organization's own. */
const ofOneRecord: readonly string[] = ['deleteLookupsOf', 'erasePortionOfKind', 'erasePortionOfOwner']

const tableScan =
  /Seq Scan on (organizations|records|lookups|activities|outbox|webhook_messages|notices|notice_turns|erasures|transparency_logs|log_bundles|log_index)/

test('every statement finds its rows by an index that begins with the organization', async () => {
  const { open, url } = await temporaryPostgres()
  await open()
  const { hosts, database } = readDatabaseUrl(url)
  const client = new pg.Client({ host: hosts[0]?.name, user: 'postgres', database })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('set enable_seqscan = off')

  let conditionsRead = 0
  for (const [name, { text }] of statements) {
    const { rows } = await client.query(`explain (generic_plan) ${text}`)
    const plan = rows.map((row) => String(row['QUERY PLAN']))
    const conditions = plan
      .filter((line) => line.includes('Index Cond:'))
      .map((line) => line.replace(/.*Index Cond: \(+/, ''))
    const scans = plan.filter((line) => tableScan.test(line))
    conditionsRead += conditions.length
    if (ofNoOrganization.includes(name)) continue
    expect([name, scans]).toEqual([name, []])
    const first = ofOneParent.includes(name)
      ? /^parent_id/
      : ofOneRecord.includes(name)
        ? /^(?:organization_id|record_id)/
        : /^organization\b|^organization_id/
    for (const condition of conditions) expect([name, condition]).toEqual([name, expect.stringMatching(first)])
  }
  expect(conditionsRead).toBeGreaterThan(statements.length / 2)
})
