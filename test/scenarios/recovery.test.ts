import { afterAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/operations/catalogue.ts'
import { openDatabaseDigest } from '../support/database_digest.ts'
import { expectRefused, newAuthenticator, newUser, type Parameters } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { recover } from '../support/recovery.ts'
import { prepareRequests } from '../support/valid_requests.ts'

/**
 * A recovery credential recovers its user and does nothing else, whatever that user may do. Its holder is a root user
 * here, so that only the kind of the credential is a reason to refuse.
 */
const organization = await startOrganizationWithIssuer()
const { server, submit, query, done, found, rootUserId, rootKey } = organization
const requests = await prepareRequests(organization)
const email = 'root@example.com'
const users = [newUser({ userEmail: email, authenticators: [newAuthenticator()] })]
const [userId] = (await done('create_users', { users })).userIds
await done('update_root_quorum', { threshold: 1, userIds: [rootUserId, userId] })
const { recoveryKey: apiKey } = await recover(organization, { email })
const digest = openDatabaseDigest(server)
afterAll(() => digest.close())

const text = 'a recovery credential is for recover_user only'
const others = operations.filter(({ name }) => name !== 'recover_user' && name !== 'whoami')

/** Adds the request that ends the organization, which the prepared requests lack. */
function parametersOf(name: string): Parameters {
  return name === 'delete_sub_organization' ? { deleteWithoutExport: true } : requests.parametersOf(name)
}

describe('a recovery credential', () => {
  for (const { name, kind } of others) {
    test(`is refused by ${name}`, async () => {
      const before = digest.read()
      const ask = kind === 'query' ? query : submit
      expectRefused(await ask(name, parametersOf(name), { apiKey }), 403, text)
      expect(digest.read()).toBe(before)
    })
  }

  test('does not vote by sending the bytes of a waiting activity, and is not shown that activity', async () => {
    const userIds = [rootUserId, userId]
    await done('update_root_quorum', { threshold: 2, userIds })
    const waiting = await submit('update_root_quorum', { threshold: 1, userIds })
    const { status, votes, id: activityId } = waiting.body.activity
    expect(status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
    const path = '/public/v1/submit/update_root_quorum'
    expectRefused(await server.post(path, votes[0].message, apiKey), 403, text)
    expect((await found('get_activity', { activityId })).activity.votes).toHaveLength(1)
    expect((await server.post(path, votes[0].message, rootKey)).body.activity.id).toBe(activityId)
  })

  test('says whose it is, and recovers that user without any vote', async () => {
    expect(await found('whoami', {}, { apiKey })).toMatchObject({ userId })
    await done('recover_user', { userId, authenticator: newAuthenticator() }, { apiKey })
    expectRefused(await query('whoami', {}, { apiKey }), 401)
  })
})
