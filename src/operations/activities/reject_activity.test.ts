import { expect, test } from 'vitest'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'

const { rootUserId, submit, done, found, anotherUser } = await startOrganization()

test('a rejection ends an activity that waits, also one by its submitter', async () => {
  const { userId } = await anotherUser()
  const { organizationName } = await found('whoami')
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] })
  const { fingerprint } = (await submit('update_organization_name', { organizationName: 'Ours' })).body.activity
  const { body } = await submit('reject_activity', { fingerprint })
  expect(body.activity).toMatchObject({ status: 'ACTIVITY_STATUS_REJECTED', result: {}, canReject: false })
  expect(await found('whoami')).toMatchObject({ organizationName })
})

test('an activity that nobody submitted is not found', async () => {
  const answer = await submit('reject_activity', { fingerprint: `sha256:${'1'.repeat(64)}` })
  expectRefused(answer, 404, 'No activity found with fingerprint')
})
