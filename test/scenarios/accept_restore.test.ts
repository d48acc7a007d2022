import { join } from 'node:path'
import { serializeTransaction } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { backUp, restore } from '../support/backup.ts'
import { activityRequest, signingOf } from '../support/client.ts'
import { claviger } from '../support/command.ts'
import { type HttpOrganization, organizationOver } from '../support/http_organization.ts'
import { newAccount, newApiKey, newPolicy, newPrivateKey, newUser } from '../support/organization.ts'
import { startRunningServer } from '../support/running_server.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** An operator goes back to a backup on purpose, with the real server and the real command. */

async function startOn(given: { readonly folder?: string; readonly command?: 'serve' } = {}) {
  const server = await startRunningServer(given)
  onTestFinished(() => void server.end('SIGKILL'))
  return { ...server, organization: organizationOver(server) }
}

function submit(organization: HttpOrganization, name: string, parameters: object, key?: ApiKeyPair) {
  const { organizationId, post, freshTimestampMs } = organization
  const timestampMs = freshTimestampMs()
  const { path, body } = activityRequest(name, { organizationId, parameters: { ...parameters }, timestampMs })
  return post(path, body, key)
}

let nonce = 0
/** Signs a transaction of this many wei, which a policy counts. */
function spend(organization: HttpOrganization, signWith: string, value: bigint, key: ApiKeyPair) {
  nonce += 1
  const fields = { type: 'eip1559', chainId: 1, nonce, value, to: `0x${'11'.repeat(20)}` } as const
  const unsignedTransaction = serializeTransaction(fields)
  const parameters = { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }
  return submit(organization, 'sign_transaction', parameters, key)
}

/** Makes a second key of the root user, a private key, and Ada, who may spend 100 wei a day. */
async function furnish({ found, done, rootUserId }: HttpOrganization) {
  const [leaked, ada] = [generateApiKey(), generateApiKey()]
  await done('create_api_keys', { userId: rootUserId, apiKeys: [newApiKey({ publicKey: leaked.publicKey })] })
  const { apiKeys } = await found('get_api_keys', { userId: rootUserId })
  const { apiKeyId } = apiKeys.find(
    ({ credential }: { readonly credential: { readonly publicKey: string } }) =>
      credential.publicKey === leaked.publicKey,
  )
  const { privateKeys } = await done('create_private_keys', { privateKeys: [newPrivateKey()] })
  const { userIds } = await done('create_users', {
    users: [newUser({ apiKeys: [newApiKey({ publicKey: ada.publicKey })] })],
  })
  const { addresses } = await done('create_wallet', { walletName: 'hot', accounts: [newAccount()] })
  const limit = {
    consensus: `approvers.any(user, user.id == '${userIds[0]}')`,
    condition: "spent('eth.tx.value', '24h') + eth.tx.value <= 100",
  }
  await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', ...limit }))
  const signWith: string = addresses[0]
  return { leaked, apiKeyId, ada, signWith, privateKeyId: privateKeys[0].privateKeyId }
}

/** Changes the organization and signs in it until the caller ends it. */
function load(organization: HttpOrganization, privateKeyId: string) {
  let isEnding = false
  let changes = 0
  const work = async () => {
    while (!isEnding) {
      changes += 1
      const text = `load ${changes}`
      await organization.done('create_wallet', { walletName: text, accounts: [] })
      await organization.done('sign_raw_payload', signingOf(privateKeyId, text))
    }
  }
  const ended = Promise.all([work(), work()])
  return {
    async until(more: number): Promise<void> {
      const enough = changes + more
      // Work that fails ends the wait.
      while (changes < enough) await Promise.race([ended, new Promise(setImmediate)])
    },
    async end(): Promise<void> {
      isEnding = true
      await ended
    },
  }
}

test('a backup that was made under load is refused until the operator accepts it, and then the newer database is', async () => {
  const first = await startOn()
  const { folder } = first
  const [older, newer] = [join(folder, 'older.copy'), join(folder, 'newer.copy')]
  const { leaked, apiKeyId, ada, signWith, privateKeyId } = await furnish(first.organization)
  const signing = () => signingOf(privateKeyId, 'a')

  const busy = load(first.organization, privateKeyId)
  await busy.until(4)
  await backUp(folder, older)
  await busy.until(4)
  await busy.end()
  const { rootUserId } = first.organization
  await first.organization.done('delete_api_keys', { userId: rootUserId, apiKeyIds: [apiKeyId] })
  expect((await submit(first.organization, 'sign_raw_payload', signing(), leaked)).status).toBe(401)
  expect((await spend(first.organization, signWith, 60n, ada)).status).toBe(200)
  const { organizationId } = first.organization
  const wallet = { organizationId, parameters: { walletName: 'undone', accounts: [] }, timestampMs: Date.now() }
  const undone = activityRequest('create_wallet', wallet)
  expect((await first.organization.post(undone.path, undone.body)).status).toBe(200)
  await first.stop()
  await backUp(folder, newer)

  restore(folder, older)
  const second = await startOn({ folder, command: 'serve' })
  expect((await submit(second.organization, 'sign_raw_payload', signing(), leaked)).status).toBe(500)
  expect((await spend(second.organization, signWith, 1n, ada)).status).toBe(500)
  await expectLastLine(second, 'is older than the newest on the books')
  await expectLastLine(second, 'claviger vault accept-restore')

  const accepted = await claviger('vault', 'accept-restore', '--data', folder, '--yes')
  expect(accepted).toEqual({ code: 0, stdout: expect.stringContaining('version'), stderr: '' })
  expect(accepted.stdout).toMatch(new RegExp(`${second.organization.organizationId} .*\\(older\\)\n`))
  await expectLastLine(second, 'the operator accepted the database as it is')
  expect((await submit(second.organization, 'sign_raw_payload', signing(), leaked)).status).toBe(200)
  // Amounts that were counted after the backup still count.
  expect((await spend(second.organization, signWith, 41n, ada)).status).toBe(403)
  expect((await spend(second.organization, signWith, 40n, ada)).status).toBe(200)
  expect((await spend(second.organization, signWith, 1n, ada)).status).toBe(403)
  // An undone change stays known: the same bytes do not make it again, but another request does.
  expect((await second.organization.post(undone.path, undone.body)).status).toBe(500)
  await expectLastLine(second, 'was recorded and is missing')
  await second.organization.done('create_wallet', wallet.parameters)
  await second.stop()

  restore(folder, newer)
  const third = await startOn({ folder, command: 'serve' })
  expect((await submit(third.organization, 'sign_raw_payload', signing())).status).toBe(500)
  await expectLastLine(third, 'is a fork')
  // The head has a higher version, but is on another branch. The operator sees it all the same.
  const back = await claviger('vault', 'accept-restore', '--data', folder, '--yes')
  expect(back).toMatchObject({ code: 0, stdout: expect.stringContaining('newer, and not taken up') })
  expect((await submit(third.organization, 'sign_raw_payload', signing())).status).toBe(200)
  expect((await submit(third.organization, 'sign_raw_payload', signing(), leaked)).status).toBe(401)
  await third.stop()
}, 120_000)

/** A line of the log comes on another way than the answer to a request, and may come after it. */
async function expectLastLine({ complaints }: { readonly complaints: readonly string[] }, text: string): Promise<void> {
  await expect.poll(() => complaints.at(-1), { timeout: 10_000 }).toContain(text)
}
