import { mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { activityRequest, clientOf, ethereumAccount, p256, signingOf } from '../support/client.ts'
import type { Server } from '../support/in_process.ts'
import { newPolicy } from '../support/organization.ts'
import { soon } from '../support/soon.ts'
import { generateApiKey } from '../support/stamping.ts'
import { start } from '../support/start.ts'
import { resultOf } from '../support/two_organizations.ts'

/** The journal of the vault when it cannot be written, and a vault that dies while a change is on its way. */

test('while the journal has no room changes and signatures are 503 and leave nothing; queries go on', async () => {
  const server = await start({ segmentBytes: 4096 })
  const { organizationId, userId, apiKey } = await server.createOrganization()
  const root = clientOf(server, { organizationId, apiKey })
  const accounts = [ethereumAccount("m/44'/60'/0'/0/0")]
  const wallet = await resultOf(root.activity('create_wallet', { walletName: 'w', accounts }))
  const [signWith] = wallet.activity.result.createWalletResult.addresses
  const condition = "spent('eth.tx.value', '24h') <= 100"
  await resultOf(root.activity('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', condition })))
  const inTheWay = await keepFromGrowing(server)
  let tags = 0
  const tag = () => root.activity('create_user_tag', { userTagName: `tag ${++tags}`, userIds: [] })
  await soon(async () => expect((await tag()).status).toBe(503))

  const before = await resultOf(root.query('list_user_tags'))
  expect((await tag()).body.message).toContain('the journal of the vault takes nothing now, and `/readyz` says why')
  expect((await root.query('whoami')).status).toBe(200)
  // Whatever leaves the vault is entered in the transparency log first.
  const signing = signingOf(signWith, 'a')
  expect((await root.activity('sign_raw_payload', signing)).status).toBe(503)
  // A policy that counts makes a transaction something to write.
  const { serializeTransaction } = await import('viem')
  const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, value: 1n })
  const payment = { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }
  expect((await root.activity('sign_transaction', payment)).status).toBe(503)
  expect(await server.vault.condition()).toEqual({
    refusal: expect.stringMatching(/^the journal of the vault cannot be written: .*segment/),
  })
  expect(await resultOf(root.query('list_user_tags'))).toEqual(before)
  expect((await root.activity('create_api_keys', { userId, apiKeys: [p256(generateApiKey())] })).status).toBe(503)
  expect(server.incidents).toEqual([])

  for (const path of inTheWay) rmdirSync(path)
  await soon(async () => expect(await server.vault.condition()).toEqual({ refusal: undefined }))
  await resultOf(tag())
  expect((await root.activity('sign_transaction', payment)).status).toBe(200)
  expect((await root.activity('sign_raw_payload', signing)).status).toBe(200)
})

/** Makes folders by the names of the journal's next files, so that the system refuses these files. */
async function keepFromGrowing({ folder }: Server): Promise<readonly string[]> {
  const directory = join(folder, 'mark')
  const isPrepared = () => readdirSync(directory).some((name) => name.endsWith('.temporary'))
  await soon(() => expect(isPrepared()).toBe(true))
  const numbers = readdirSync(directory).flatMap((name) => /^(\d{16})\.segment$/.exec(name)?.[1] ?? [])
  const paths = numbers.flatMap((number) =>
    [0, 1].flatMap((ahead) =>
      Array.from({ length: 60 }, (_, index) => {
        const segment = String(Number(number) + ahead).padStart(16, '0')
        return join(directory, `${segment}.${index + 1}.temporary`)
      }),
    ),
  )
  const free = paths.filter((path) => !readdirSync(directory).includes(path.slice(directory.length + 1)))
  for (const path of free) mkdirSync(path)
  return free
}

test.each([
  ['is gone', () => Promise.resolve({ kind: 'unknown' as const })],
  ['cannot write its journal', () => Promise.resolve({ kind: 'unavailable' as const })],
])(
  'a change whose vault %s before it is confirmed is 503, never 200, and in force when its bytes are sent again',
  async (_what, confirm) => {
    const server = await start()
    const { organizationId, apiKey } = await server.createOrganization()
    const parameters = { userTagName: 'tag', userIds: [] }
    const { path, body } = activityRequest('create_user_tag', { organizationId, parameters, timestampMs: Date.now() })
    const honest = server.vault.confirm
    server.vault.confirm = confirm
    expect((await server.post(path, body, apiKey)).status).toBe(503)
    server.vault.confirm = honest
    expect((await server.post(path, body, apiKey)).status).toBe(200)
    const tags = await resultOf(clientOf(server, { organizationId, apiKey }).query('list_user_tags'))
    expect(tags.userTags).toHaveLength(1)
    expect(server.incidents).toEqual([])
  },
)
