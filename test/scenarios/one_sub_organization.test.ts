import { strict as assert } from 'node:assert'
import { expect, test } from 'vitest'
import { p256 } from '../support/client.ts'
import { type Branch, lyingStoreOn, startAfterCrash } from '../support/lying_store.ts'
import { generateApiKey } from '../support/stamping.ts'
import { start } from '../support/start.ts'

/** One request, decided twice, makes two sub-organizations, whose heads never meet: only one is ever acknowledged. */

async function startWithParent() {
  const server = await start()
  const { organizationId, apiKey } = await server.createOrganization()
  const liar = lyingStoreOn(server)
  const rootUser = { userName: 'root', apiKeys: [p256(generateApiKey())], authenticators: [], oauthProviders: [] }
  const parameters = { subOrganizationName: 'sub', rootQuorumThreshold: 1, rootUsers: [rootUser] }
  const request = liar.activity('create_sub_organization', { organizationId, parameters })
  return { server, apiKey, liar, request }
}

type Answer = { readonly status: number; readonly body: ReturnType<typeof JSON.parse> }

function madeBy({ status, body }: Answer): string {
  expect(status).toBe(200)
  return body.activity.result.createSubOrganizationResultV8.subOrganizationId
}

function expectNoOther(answer: Answer, made: string): void {
  if (answer.status === 200) expect(madeBy(answer)).toBe(made)
}

for (const [outcome, isWhole] of [
  ['written', true],
  ['written without its head', false],
] as const) {
  test(`a commit whose outcome was unknown, and that is shown later as ${outcome}, is not acknowledged`, async () => {
    const { liar, request, apiKey } = await startWithParent()
    let kept: Branch | undefined
    liar.answerCommitsWith(async (commit) => {
      kept = await liar.branch()
      await kept.store.commit(isWhole ? commit : { ...commit, heads: [], records: [], lookups: [] })
      throw new Error('the connection broke')
    })
    expect((await request.post(apiKey)).status).toBe(503)
    assert(kept !== undefined)
    liar.honestly()
    if (!isWhole) {
      liar.show(kept)
      expect((await request.post(apiKey)).status).toBe(500)
      return
    }
    const made = madeBy(await request.post(apiKey))
    liar.show(kept)
    expectNoOther(await request.post(apiKey), made)
  })
}

test('a commit that was called a conflict, and is shown after a restart, is not acknowledged', async () => {
  const { server, liar, request, apiKey } = await startWithParent()
  const branches: Branch[] = []
  liar.answerCommitsWith(async (commit) => {
    if (branches.length > 0) return server.store.commit(commit)
    const branch = await liar.branch()
    branches.push(branch)
    await branch.store.commit(commit)
    return 'conflict'
  })
  const made = madeBy(await request.post(apiKey))
  const [branch] = branches
  assert(branch !== undefined)
  const restarted = await startAfterCrash(server, branch)
  expectNoOther(await restarted.post(request.path, request.body, apiKey), made)
})
