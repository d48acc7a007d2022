import { expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import { plainLines } from '../../src/operations/explanation/plain_lines.ts'
import { startOrganization } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { neverFound, prepareRequests } from '../support/valid_requests.ts'

const bare = (lines: readonly string[]) => lines.map((line) => line.trim())

test('an activity of every operation is explained', { timeout: 120_000 }, async () => {
  const organization = await startOrganizationWithIssuer()
  const requests = await prepareRequests(organization)
  const names = operations.flatMap(({ kind, name }) => (kind === 'activity' ? [name] : []))
  for (const name of requests.names.filter((name) => names.includes(name) && !neverFound.includes(name))) {
    const { status, body } = await organization.submit(name, requests.parametersOf(name), {
      apiKey: requests.signerOf(name),
    })
    expect(status, `${name}: ${JSON.stringify(body)}`).toBe(200)
    const { id: activityId, organizationId } = body.activity
    if (organizationId !== organization.organizationId) continue
    const { explanation } = await organization.found('explain_activity', { activityId })
    expect(plainLines(explanation)[0], name).not.toBe('')
  }
})

test('a change of the root quorum that waits says who is missing and what changes', async () => {
  const { done, submit, found, anotherUser, rootUserId } = await startOrganization()
  const { userId, apiKey } = await anotherUser()
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] })
  const { body } = await submit('update_root_quorum', { threshold: 1, userIds: [rootUserId] })
  const { id: activityId, fingerprint } = body.activity
  const explained = async () => bare(plainLines((await found('explain_activity', { activityId })).explanation))
  const waiting = await explained()
  expect(waiting).toContain('threshold: 2 → 1')
  expect(waiting.some((line) => line.startsWith('removed: ') && line.includes(userId))).toBe(true)
  expect(waiting).toContain('who decides: root quorum')
  expect(waiting).toContain('approvals missing: 1')
  expect(waiting.some((line) => line.startsWith('whose approval completes it: ') && line.includes(userId))).toBe(true)
  await submit('approve_activity', { fingerprint }, { apiKey })
  const ended = await explained()
  expect(ended).toContain('threshold: [Not known any more] → 1')
})
