import { expect, test } from 'vitest'
import { clientOf } from '../../../test/support/client.ts'
import { covered, proven, publishing, signer } from '../../../test/support/log_proofs.ts'
import { newUser } from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'
import { start } from '../../../test/support/start.ts'
import { resultOf } from '../../../test/support/two_organizations.ts'
import type { LogEntry } from '../../protocol/log/log_entry.ts'

test('an activity is proven to whoever may read it, as soon as a checkpoint covers it', async () => {
  const server = await start()
  const { root, sign, organizationId } = await signer(server)
  const stranger = await signer(server)
  const activityId = await sign('first')
  expect((await root.query('get_activity_proof', { activityId })).body).toEqual({
    proof: { entries: [], uncoveredVersions: [1] },
  })
  publishing(server)
  const { log, policy } = await covered(server, 5)
  const { entries, uncoveredVersions } = await proven(root, activityId, { policy })
  expect(uncoveredVersions).toEqual([])
  expect(entries).toHaveLength(1)
  expect(entries[0]).toMatchObject({ version: 1, origin: log.origin, index: 4 })
  expect(entries[0].entry).toMatchObject({ organizationId, activity: { activityId, version: 1 } })
  expect(Number(entries[0].recordedAt.seconds) * 1_000).toBeCloseTo(entries[0].entry.atMs, -4)
  expect((await stranger.root.query('get_activity_proof', { activityId })).status).toBe(404)
  const foreign = { ...stranger.root, organizationId }
  expect(
    (await server.post('/public/v1/query/get_activity_proof', { organizationId, activityId }, foreign.apiKey)).status,
  ).toBe(401)
})

test('each vote on an activity has its entry and its proof', async () => {
  const server = await start()
  const { organizationId, root } = await signer(server)
  const key = generateApiKey()
  const apiKeys = [{ apiKeyName: 'k', publicKey: key.publicKey, curveType: 'API_KEY_CURVE_P256' }]
  const made = await resultOf(root.activity('create_users', { users: [newUser({ apiKeys })] }))
  const second = clientOf(server, { organizationId, apiKey: key })
  const { organization } = (await root.query('get_organization')).body
  const rootUserId = organization?.rootQuorum?.userIds[0] ?? (await root.query('whoami')).body.userId
  const userIds = [rootUserId, made.activity.result.createUsersResult.userIds[0]]
  await resultOf(root.activity('update_root_quorum', { threshold: 2, userIds }))
  const { activity } = (await root.activity('create_user_tag', { userTagName: 'tag', userIds: [] })).body
  publishing(server)
  const first = await covered(server, 5)
  expect((await proven(root, activity.id, first)).entries).toMatchObject([
    { version: 1, entry: { activity: { version: 1 } } },
  ])
  await resultOf(second.activity('approve_activity', { fingerprint: activity.fingerprint }))
  const later = await covered(server, 6)
  const { entries, uncoveredVersions } = await proven(second, activity.id, later)
  expect(
    entries.map(({ version, entry }: { version: number; entry: LogEntry }) => [version, entry.activity?.status]),
  ).toEqual([
    [1, 'ACTIVITY_STATUS_CONSENSUS_NEEDED'],
    [2, 'ACTIVITY_STATUS_COMPLETED'],
  ])
  expect(uncoveredVersions).toEqual([])
})
