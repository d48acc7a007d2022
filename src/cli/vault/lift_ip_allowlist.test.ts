import { afterAll, beforeAll, expect, test } from 'vitest'
import { claviger } from '../../../test/support/command.ts'
import { organizationOver } from '../../../test/support/http_organization.ts'
import { type RunningServer, startRunningServer } from '../../../test/support/running_server.ts'

const command = ['vault', 'lift-ip-allowlist'] as const
const absentId = '01234567-89ab-7cde-8f01-23456789abcd'

let server: RunningServer
beforeAll(async () => {
  server = await startRunningServer()
})
afterAll(() => server.stop())

const whoami = async () => {
  const { organizationId, post } = organizationOver(server)
  return (await post('/public/v1/query/whoami', { organizationId })).status
}

test('an organization that has shut itself out is opened for a while, and mends its list', async () => {
  const { folder } = server
  const { organizationId } = server.credentials
  const { done } = organizationOver(server)
  await done('set_ip_allowlist', { enabled: true, allowLockout: true })
  expect(await whoami()).toBe(403)

  const { code, stdout, stderr } = await claviger(...command, organizationId, '--data', folder)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(new RegExp(`^Requests for organization ${organizationId} pass from every address until 20`))
  expect(await whoami()).toBe(200)
  await done('remove_ip_allowlist', {})

  const asJson = await claviger(...command, organizationId, '--minutes', '60', '--data', folder, '--json')
  expect([asJson.code, JSON.parse(asJson.stdout)]).toEqual([0, { organizationId, until: expect.stringMatching(/Z$/) }])
})

test.each([
  [[absentId], `the vault knows no organization ${absentId}`],
  [['mine'], 'It must be a UUID'],
  [[absentId, '--minutes', '61'], 'It must be a whole number from 1 to 60'],
  [[absentId, '--minutes', '1000'], 'It must be a whole number from 1 to 60'],
  [[absentId, '--minutes', 'ten'], 'It must be a whole number from 1 to 60'],
])('%j is refused with exit code 2', async (given, text) => {
  const { code, stderr } = await claviger(...command, ...given, '--data', server.folder)
  expect([code, stderr]).toEqual([2, expect.stringContaining(text)])
})
