import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { temporaryPostgres } from '../../../../test/support/store/fixtures.ts'
import { activity, commitOf, head, record } from '../../../../test/support/store/rows.ts'
import type { Read } from '../../../protocol/reads.ts'

const organizationId = 'organization'
const headRead: Read = { read: 'head', organizationId }
const recordRead: Read = { read: 'record', organizationId, kind: 'wallet', recordId: 'a' }
const page: Read = { read: 'activities', organizationId, limit: 3 }
const request: Read = { read: 'request', organizationId, requestKey: 'key' }
const refused = 'relation "records" does not exist'

test('a read that the server refuses has its own reason, and those of the same snapshot their answers', async () => {
  const { open, query } = await temporaryPostgres()
  const store = await open()
  const activities = ['one', 'two'].map((id) => activity(organizationId, id))
  await store.commit(commitOf({ heads: [head(organizationId)], records: [record(organizationId, 'a')], activities }))
  await query('alter table records rename to hidden')
  for (let round = 0; round < 2; round += 1) {
    const found = await Promise.allSettled(
      [[page], [headRead], [recordRead], [page], [headRead, recordRead], [headRead]].map((reads) => store.find(reads)),
    )
    const told = found.map((one) => {
      if (one.status === 'rejected') return one.reason.message
      const [first] = one.value
      return first?.read === 'activities' ? first.rows?.length : first?.read === 'head' && first.row?.version
    })
    expect(told).toEqual([2, 1, refused, 2, refused, 1])
  }
  await query('alter table hidden rename to records')
  expect(await store.find([recordRead])).toMatchObject([{ read: 'record', row: { version: 1 } }])
})

test('reads whose connection ends under them all have one reason', async () => {
  const { open, query } = await temporaryPostgres()
  const store = await open()
  const activities = [activity(organizationId, 'one', { requestKey: 'key' })]
  await store.commit(commitOf({ heads: [head(organizationId)], activities }))
  await query('alter table activities rename to hidden')
  await query('create view activities as select hidden.* from hidden, pg_sleep(60)')
  const reading = Promise.allSettled([request, page, request].map((read) => store.find([read])))
  await setTimeout(200)
  await query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like '%activities%' and pid <> pg_backend_pid()`)
  const told = (await reading).map((one) => one.status === 'rejected' && one.reason.message)
  expect(told).toEqual(Array(3).fill(told[0]))
  // When the server ends with statements unread, its own reason may be lost on the way.
  expect(told[0]).toMatch(/terminating connection due to administrator command|terminated unexpectedly|ECONNRESET/)
  expect(await store.find([headRead])).toMatchObject([{ row: { version: 1 } }])
})
