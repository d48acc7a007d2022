import { expect, test } from 'vitest'
import { covered, listed, publishing, rootOfLog, signer } from '../../../test/support/log_proofs.ts'
import { soon } from '../../../test/support/soon.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'
import { start } from '../../../test/support/start.ts'
import { resultOf } from '../../../test/support/two_organizations.ts'

test('an organization lists its entries and nobody else’s, and so does its parent', async () => {
  const server = await start()
  const [one, other] = [await signer(server), await signer(server)]
  publishing(server)
  for (let number = 0; number < 140; number += 1) {
    await Promise.all([
      one.sign(`${number} of one`),
      one.sign(`${number} of one too`),
      other.sign(`${number} of other`),
    ])
  }
  const size = 4 + 420
  const { log } = await covered(server, size)
  await soon(async () => expect((await server.store.log(log.logId))?.indexed).toBe(1))
  const root = await rootOfLog(server, log)
  for (const { organizationId, root: client, count } of [
    { ...one, count: 282 },
    { ...other, count: 142 },
  ]) {
    const { entries } = await listed(client, log, root)
    expect(entries.every(({ entry }) => entry?.organizationId === organizationId)).toBe(true)
    expect(entries.map(({ entry }) => entry?.number)).toEqual(Array.from({ length: count }, (_, at) => at + 1))
  }
  // In the tree of an earlier checkpoint.
  for (const earlier of [1, 255, 256, 257, 300]) {
    const before = { logId: log.logId, size: earlier }
    const { entries } = await listed(one.root, before, await rootOfLog(server, before))
    expect(entries.every(({ index }) => index < earlier)).toBe(true)
  }
  const later = await one.root.query('list_log_entries', { logId: log.logId, size: String(size + 1) })
  expect(later.status).toBe(404)
  const stranger = { organizationId: one.organizationId, logId: log.logId, size: String(size) }
  expect((await server.post('/public/v1/query/list_log_entries', stranger, other.root.apiKey)).status).toBe(401)

  const subKey = generateApiKey()
  const apiKeys = [{ apiKeyName: 'k', publicKey: subKey.publicKey, curveType: 'API_KEY_CURVE_P256' }]
  const rootUsers = [{ userName: 'sub root', apiKeys, authenticators: [], oauthProviders: [] }]
  const sub = { subOrganizationName: 'sub', rootUsers, rootQuorumThreshold: 1 }
  const made = await resultOf(one.root.activity('create_sub_organization', sub))
  const [{ subOrganizationId }] = Object.values(made.activity.result) as [{ subOrganizationId: string }]
  const { log: grownLog } = await covered(server, size + 2)
  const asked = { organizationId: subOrganizationId, logId: log.logId, size: String(grownLog.size) }
  const ofParent = await server.post('/public/v1/query/list_log_entries', asked, one.root.apiKey)
  expect(ofParent.body.bundles.flatMap(({ indexes }: { indexes: number[] }) => indexes)).toHaveLength(1)
})
