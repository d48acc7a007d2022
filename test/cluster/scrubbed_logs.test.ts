import { expect, test } from 'vitest'
import { clientOf, ethereumAccount, p256, signingOf } from '../support/client.ts'
import { patiently, startCluster } from '../support/cluster.ts'
import { scrub } from '../support/scrub.ts'
import { generateApiKey } from '../support/stamping.ts'
import { resultOf } from '../support/two_organizations.ts'

test('nodes that work and vote at once find nothing wrong in their logs meanwhile, and nothing twice', async () => {
  const { nodes, nodeAt, on, organizationId, userId } = await startCluster()
  const accounts = [ethereumAccount("m/44'/60'/0'/0/0")]
  const made = await resultOf(on(nodes[0]).activity('create_wallet', { walletName: 'w', accounts }))
  const [signWith] = made.activity.result.createWalletResult.addresses
  const keys = [generateApiKey(), generateApiKey(), generateApiKey()]
  const users = keys.map((key, at) => ({
    ...{ userName: `voter ${at}`, apiKeys: [p256(key)], authenticators: [], oauthProviders: [], userTags: [] },
  }))
  const { activity } = await resultOf(on(nodes[1]).activity('create_users', { users }))
  const userIds = [userId, ...activity.result.createUsersResult.userIds]
  await resultOf(patiently(() => on(nodes[0]).activity('update_root_quorum', { threshold: 3, userIds })))

  let isDone = false
  async function vote(): Promise<void> {
    for (let number = 0; number < 12; number += 1) {
      const asked = await patiently(() =>
        on(nodeAt(number)).activity('sign_raw_payload', signingOf(signWith, `${number}`)),
      )
      const { fingerprint } = asked.body.activity
      await Promise.all(
        keys.map((apiKey, at) =>
          patiently(() =>
            clientOf(nodeAt(at), { organizationId, apiKey }).activity('approve_activity', { fingerprint }),
          ),
        ),
      )
    }
    isDone = true
  }
  async function compare(): Promise<void> {
    while (!isDone) for (const node of nodes) expect(await scrub(node, node.store)).toMatchObject({ late: 0, told: [] })
  }
  await Promise.all([vote(), compare()])
  let entries = 0
  for (const node of nodes) {
    const found = await scrub(node, node.store)
    expect(found).toMatchObject({ late: 0, incidents: 0, told: [] })
    entries += found.entries
  }
  expect(entries).toBeGreaterThan(12 * 3)
})
