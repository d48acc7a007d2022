import { expect, test } from 'vitest'
import { startOrganization } from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'
import type { ActivityDocument } from '../../contract/records/documents.ts'

const { found, query, done, submit, subOrganization, organizationId, rootUserId, anotherUser } =
  await startOrganization()

/** The documents of an activity as values, with what the content holds. */
async function documentsOf(activityId: string, ask: Parameters<typeof found>[2] = {}) {
  const { documents, left } = await found('list_log_documents', { activityIds: [activityId] }, ask)
  expect(left).toEqual([])
  return documents.map(({ version, document, content }: { version: number; document: string; content?: string }) => {
    const value: ActivityDocument = JSON.parse(document)
    expect([value.activityId, value.version]).toEqual([activityId, version])
    return { ...value, content: content && JSON.parse(content) }
  })
}

test('what only the submitter may see is withheld with the stamps, and its digest is not', async () => {
  const { publicKey } = generateApiKey()
  const { body } = await submit('stamp_login', { publicKey, expirationSeconds: '900' })
  const [document] = await documentsOf(body.activity.id)
  expect(document.content).toBeUndefined()
  expect(document).toMatchObject({
    vote: { userId: rootUserId },
    contentDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(JSON.stringify(document)).not.toContain(body.activity.result.stampLoginResult.session)
})

test('a sub-organization reads of its parent’s activity what made it, and nothing more', async () => {
  const sub = await subOrganization()
  const { activities } = await found('list_activities')
  const ids = activities.flatMap(({ id, type }: { id: string; type: string }) =>
    /SUB_ORGANIZATION/.test(type) ? [id] : [],
  )
  const [document] = await documentsOf(ids[0], { apiKey: sub.apiKey, organizationId: sub.organizationId })
  expect(Object.keys(document)).toEqual(['activityId', 'version', 'changes', 'content'])
  expect(document.changes).toMatchObject([
    { organizationId: sub.organizationId, organization: { organizationName: 'sub', parentId: organizationId } },
  ])
  const stranger = await query('list_log_documents', { activityIds: ids }, { apiKey: sub.apiKey })
  expect(stranger.status).toBe(401)
})

test('an activity that there is not has no document', async () => {
  const activityIds = ['01234567-89ab-7cde-8f01-23456789abcd']
  expect(await found('list_log_documents', { activityIds })).toEqual({ documents: [], left: [] })
})

test('each vote of an activity has a document, and the changes stand in the one that made them', async () => {
  const second = await anotherUser('second')
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
  const { body } = await submit('create_user_tag', { userTagName: 'tag', userIds: [] })
  const { fingerprint, id } = body.activity
  const waiting = (await documentsOf(id))[0]
  expect(waiting).toMatchObject({ vote: { userId: rootUserId }, changes: [], content: { result: {} } })
  const approved = await submit('approve_activity', { fingerprint }, second)
  const { result } = approved.body.activity
  const documents = await documentsOf(id)
  expect(documents[0]).toEqual(waiting)
  expect(documents).toMatchObject([
    {},
    {
      vote: { userId: second.userId, selection: 'VOTE_SELECTION_APPROVED' },
      changes: [{ organizationId, records: [{ kind: 'user_tag', record: { tagName: 'tag' } }] }],
      content: { message: expect.stringContaining(fingerprint), signature: expect.any(String), result },
    },
  ])
})
