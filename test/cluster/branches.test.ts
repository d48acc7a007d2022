import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { backUp, restore } from '../support/backup.ts'
import { activityRequest, clientOf } from '../support/client.ts'
import type { Server } from '../support/in_process.ts'
import { start } from '../support/start.ts'
import { resultOf } from '../support/two_organizations.ts'

/** A hostile database that shows two nodes two branches of one history, each consistent in itself. */

async function startBranches() {
  const one = await start()
  const organization = await one.createOrganization()
  const folder = join(mkdtempSync(join(tmpdir(), 'claviger-branch-')), 'two')
  await backUp(one.folder, folder)
  mkdirSync(join(folder, 'vault'), { mode: 0o700 })
  copyFileSync(join(one.folder, 'vault', 'root.key'), join(folder, 'vault', 'root.key'))
  const two = await start({ folder })
  const on = (node: Server) => clientOf(node, organization)
  // The second node takes up the branch that it is shown first.
  await resultOf(on(two).query('whoami'))
  return { ...organization, one, two, on }
}

const nameOf = async (client: ReturnType<typeof clientOf>) => (await resultOf(client.query('whoami'))).organizationName

test('each node keeps what it acknowledged and refuses the other branch, however long that has grown', async () => {
  const { one, two, on, organizationId, apiKey } = await startBranches()
  await resultOf(on(two).activity('update_organization_name', { organizationName: 'of two' }))
  for (let change = 1; change <= 5; change += 1) {
    await resultOf(on(one).activity('update_organization_name', { organizationName: `of one ${change}` }))
  }
  const shown = join(mkdtempSync(join(tmpdir(), 'claviger-branch-')), 'shown')
  await backUp(one.folder, shown)
  await two.close()
  restore(two.folder, shown)
  const later = await start({ folder: two.folder })
  const client = clientOf(later, { organizationId, apiKey })
  for (const answer of [
    await client.query('whoami'),
    await client.activity('update_organization_name', { organizationName: 'of two again' }),
  ]) {
    expect(answer.status).toBe(500)
  }
  expect(JSON.stringify(later.incidents)).toContain('is a fork')
  expect(await nameOf(on(one))).toBe('of one 5')
})

test('not defended: nodes on two branches may each execute the same bytes', async () => {
  const { one, two, organizationId, apiKey } = await startBranches()
  const parameters = { walletName: 'w', accounts: [] }
  const request = activityRequest('create_wallet', { organizationId, parameters, timestampMs: Date.now() })
  const answers = [one, two].map((node) => node.post(request.path, request.body, apiKey))
  const ids = (await Promise.all(answers)).map(({ body }) => body.activity.result.createWalletResult.walletId)
  expect(new Set(ids).size).toBe(2)
})
