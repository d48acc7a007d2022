import { expect, test, vi } from 'vitest'
import { newPrivateKey, startOrganization } from '../support/organization.ts'

/** How often the service has to call the vault until it decides. Each call but the last asks for more reads. */

test('a vote takes two calls: only the sealed request of its activity names what the operation reads', async () => {
  const { server, rootUserId, anotherUser, done, submit } = await startOrganization()
  const others = [await anotherUser('second'), await anotherUser('third')]
  const { privateKeys } = await done('create_private_keys', { privateKeys: [newPrivateKey()] })
  const userIds = [rootUserId, ...others.map(({ userId }) => userId)]
  await done('update_root_quorum', { threshold: 3, userIds })
  const { body } = await submit('sign_raw_payload', {
    signWith: privateKeys[0].privateKeyId,
    payload: '5a'.repeat(32),
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  })
  const { fingerprint } = body.activity
  const answers = vi.spyOn(server.vault, 'answer')
  const statuses = []
  for (const { apiKey } of others) {
    const voted = await submit('approve_activity', { fingerprint }, { apiKey })
    statuses.push(voted.body.activity.status)
  }
  expect(statuses).toEqual(['ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_COMPLETED'])
  const answered = await Promise.all(answers.mock.results.map(({ value }) => value))
  expect(answered.map(({ kind }) => kind)).toEqual(['moreReads', 'commit', 'moreReads', 'commit'])
})
