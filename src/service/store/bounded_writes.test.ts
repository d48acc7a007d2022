import { describe, expect, test } from 'vitest'
import { databases } from '../../../test/support/store/fixtures.ts'
import { portionRowsMax } from './portions.ts'
import { writeQueries } from './write_queries.ts'

/** Every commit of everybody waits for a statement of the writer, so each touches few rows, however many a tenant made. */
const rowsTouchedMax = 500
const rows = 1_200

const ours = { organizationId: 'o', kind: 'wallet', lookup: 'name', channel: 'mail', type: 't', status: 's', tag: 't' }
const counts = { version: 9, activityVersion: 9, attempts: 0, kept: 10, count: portionRowsMax }
const [pastMs, laterMs] = [1_000, 2_000]
const times = {
  nowMs: pastMs,
  untilMs: laterMs,
  dueAtMs: laterMs,
  endedAtMs: pastMs,
  endedBeforeMs: laterMs,
  expiresAtMs: 1,
}
const texts = {
  reason: 'r',
  ownerId: 'w',
  endpointId: 'e',
  happenedIn: 'h',
  userId: 'u',
  familyId: 'o',
  mailbox: 'u1500',
  key: 'k',
  requestKey: 'k',
  parentId: null,
}
const ids = { messageId: '1500', recordId: '1500', activityId: '1500' }
/** Both are there already, so they are overwritten. */
const log = { logId: '1500', origin: 'o', number: 500, size: 9, log: 7, indexed: 9 }
const logBytes = ['keys', 'checkpoint', 'last', 'root', 'entries', 'organization', 'places'].map((name) => [
  name,
  new Uint8Array(1),
])
const newIds = { organizationId: 'new', messageId: 'new', recordId: 'new', activityId: 'new', requestKey: 'new' }

const filled: readonly string[] = [
  "organizations select 'o' || i, 'o', 1, 't', BYTES",
  "records select 'o', 'wallet', i, 'w', 1, BYTES",
  "lookups select 'o', 'name', 'k' || i, i, 'wallet', 'o'",
  "activities (organization_id, sequence, activity_id, request_key, type, status, version, sealed) select 'o', n, i, i, 't', 's', 1, BYTES",
  "outbox select 'o', i, 'mail', 1, 0, 0, BYTES",
  "webhook_messages select 'o', i, 'e', i, 1, 1, 0, 0, null, null, BYTES, 'h'",
  "webhook_messages select 'o', 'x' || i, 'e', i, 1, 1, 0, 0, 1, 'r', BYTES, 'h'",
  "notices select 'o', i, 'u', i, 1, 0, BYTES",
  "notice_turns select 'o', 'u' || i, 0",
  "erasures select 'o', 'wallet', 'w' || i",
  "transparency_logs select i, 'o', BYTES, 1, BYTES, BYTES, 0",
  "log_bundles select '1500', n, BYTES, BYTES",
  'log_index select BYTES, 7, n, BYTES',
]

function literal(value: unknown, bytes: string): string {
  if (value instanceof Uint8Array) return bytes
  return value === null || typeof value === 'number' ? String(value) : `'${value}'`
}

describe.each([
  { ...databases[0], dialect: 'sqlite', place: /\?/g, bytes: "x'00'" },
  { ...databases[1], dialect: 'postgres', place: /\$\d+/g, bytes: "'\\x00'::bytea" },
] as const)('$name', ({ make, dialect, place, bytes }) => {
  test('every statement that writes touches few rows, however many there are', async () => {
    const database = await make()
    const store = await database.open()
    await store.close()
    for (const into of filled) {
      const [, table = '', select = ''] = /^(.*?) (select .*)$/s.exec(into) ?? []
      const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rows})`
      const named = `numbered as (select n, cast(1000 + n as text) as i from numbers)`
      await database.query(
        `${numbers}, ${named} insert into ${table} ${select.replaceAll('BYTES', bytes)} from numbered`,
      )
    }
    const touched: Record<string, number> = {}
    for (const [name, query] of Object.entries(writeQueries)) {
      const isNew = name.startsWith('insert')
      const values: Readonly<Record<string, unknown>> = {
        ...{ ...ours, ...counts, ...times, ...texts, ...ids, sealed: new Uint8Array(1), state: new Uint8Array(1) },
        ...{ ...log, ...Object.fromEntries(logBytes) },
        ...(isNew ? newIds : {}),
      }
      let next = 0
      const text = query[dialect].replaceAll(place, () => {
        const parameter = query.places[next] ?? ''
        next += 1
        expect(Object.keys(values), name).toContain(parameter)
        return literal(values[parameter], bytes)
      })
      touched[name] = (await database.query(`${text} returning 1 as touched`)).length
    }
    for (const [name, count] of Object.entries(touched)) expect([name, count <= rowsTouchedMax]).toEqual([name, true])
    // A statement that could touch all rows touches a portion.
    expect(touched).toMatchObject({
      endOldestWebhooks: 200,
      trimWebhooks: 200,
      deleteWaitingWebhooks: 200,
      deleteGivenUpWebhooks: 200,
      deleteOldWebhooks: 200,
      deleteOldTurns: 200,
      deleteLookupsOf: 1,
      insertLog: 1,
      insertBundle: 1,
      insertIndexRow: 1,
      raiseIndexed: 1,
    })
  })

  test('and few bytes: a portion of large events is a megabyte', async () => {
    const database = await make()
    const store = await database.open()
    for (let index = 0; index < 5; index += 1) {
      const messageId = `m${index}`
      await store.commit({
        ...{ readSet: [], heads: [], records: [], lookups: [], activities: [], erasures: [] },
        outbox: [
          {
            ...{
              channel: 'webhook',
              organizationId: 'o',
              messageId,
              endpointId: 'e',
              activityId: messageId,
              happenedIn: 'o',
            },
            ...{ activityVersion: 1, expiresAtMs: 1, sealed: new Uint8Array(400_000) },
          },
        ],
      })
    }
    const left = async () => (await database.query('select 1 as one from webhook_messages')).length
    const drop = { queue: 'webhooks', change: 'drop', organizationId: 'o', endpointId: 'e' } as const
    expect([await store.changeQueue(drop), await left()]).toEqual(['more', 2])
    expect([await store.changeQueue(drop), await left()]).toEqual(['more', 0])
    expect(await store.changeQueue(drop)).toBe('committed')
  })
})
