import { expect, test } from 'vitest'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { rootUserId, submit, done, anotherUser } = await startOrganization()

test('the last approval that is needed completes the activity', async () => {
  const { userId, apiKey } = await anotherUser()
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] })
  const { fingerprint, id } = (await submit('update_organization_name', { organizationName: 'Ours' })).body.activity
  const { status, body } = await submit('approve_activity', { fingerprint }, { apiKey })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.activity).toMatchObject({ id, status: 'ACTIVITY_STATUS_COMPLETED', fingerprint })
})

for (const fingerprint of ['', 'sha256:', `sha256:${'A'.repeat(64)}`, `sha256:${'a'.repeat(63)}`, 7]) {
  test(`${JSON.stringify(fingerprint)} is no fingerprint`, async () => {
    expectRefused(await submit('approve_activity', { fingerprint }), 400, 'parameters.fingerprint must be')
  })
}
