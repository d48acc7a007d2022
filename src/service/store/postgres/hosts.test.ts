import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryPostgres } from '../../../../test/support/store/fixtures.ts'
import { readDatabaseUrl } from './database_address.ts'
import { connect, createConnector } from './hosts.ts'

test('an ordinary role may read the timeline of the server', async () => {
  const { url, query } = await temporaryPostgres()
  await query('create role ordinary login')
  onTestFinished(async () => void (await query('drop role ordinary')))
  const address = readDatabaseUrl(url.replace('postgres@', 'ordinary@'))
  const connection = await connect(address, { name: 'test', statementMsMax: 1_000 })
  onTestFinished(() => connection.close())
  expect(connection.history).toEqual({ system: expect.stringMatching(/^\d{10,20}$/), timeline: 1 })
})

test('a database that was never connected is not logged as lost', async () => {
  const log = { info: vi.fn(), warn: vi.fn() }
  const { connect } = createConnector(readDatabaseUrl('postgres://nobody@/none?host=/nowhere'), log)
  await expect(connect({ name: 'test', statementMsMax: 1_000 })).rejects.toThrow('no database takes connections')
  expect([log.info, log.warn].flatMap(({ mock }) => mock.calls)).toEqual([])
})
