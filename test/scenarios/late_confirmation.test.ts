import { strict as assert } from 'node:assert'
import { expect, test } from 'vitest'
import { askVault } from '../support/ask_vault.ts'
import { startLeaking } from '../support/leaked_key.ts'

test('a change that lost its race is not acknowledged when it is confirmed after two others', async () => {
  const { server, apiKey, revoke, tag } = await startLeaking()
  const decide = async (request: { readonly path: string; readonly body: string }) => {
    const { answer } = await askVault(server, request, { stampedBy: apiKey })
    assert(answer.kind === 'commit' && answer.outcome.of === 'held')
    return { commit: answer.commit, decisionId: answer.outcome.decisionId }
  }
  const late = await decide(revoke())
  for (const name of ['one', 'two']) {
    const { commit, decisionId } = await decide(tag(name))
    expect(await server.store.commit(commit)).toBe('committed')
    expect((await server.vault.confirm({ decisionId })).kind).toBe('answer')
  }
  expect((await server.vault.confirm(late)).kind).toBe('integrity')
})
