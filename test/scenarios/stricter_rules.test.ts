import { expect, onTestFinished, test, vi } from 'vitest'
import { operationOfType } from '../../src/operations/catalogue.ts'
import { warningsOf } from '../support/explanations.ts'
import { expectRefused, newUser, startOrganization } from '../support/organization.ts'

/** Activities that an older version took, with parameters that today's rules refuse. */

type Server = Awaited<ReturnType<typeof startOrganization>>

/** Submits a user with this address as a version did that took it. */
async function submittedBefore({ submit }: Pick<Server, 'submit'>, userEmail: string) {
  const accepted = operationOfType('ACTIVITY_TYPE_CREATE_USERS_V4')?.accepted
  if (accepted === undefined) throw new Error('there is no such type')
  const { read } = accepted
  const spy = vi
    .spyOn(accepted, 'read')
    .mockImplementation((given) => read(JSON.parse(JSON.stringify(given).replace(userEmail, 'ada@example.org'))))
  onTestFinished(() => spy.mockRestore())
  const { status, body } = await submit('create_users', { users: [newUser({ userName: 'Ada', userEmail })] })
  expect(status, JSON.stringify(body)).toBe(200)
  spy.mockRestore()
  return body.activity
}

async function startQuorum() {
  const organization = await startOrganization()
  const second = await organization.anotherUser('second')
  await organization.done('update_root_quorum', {
    ...{ threshold: 2, userIds: [organization.rootUserId, second.userId] },
  })
  return { ...organization, second }
}

const refused = 'ada@b..org'

test('a new request is refused', async () => {
  const { submit } = await startOrganization()
  const users = [newUser({ userEmail: refused })]
  expectRefused(await submit('create_users', { users }), 400, 'parameters.users[0].userEmail')
})

test('one that waits is shown with the fault, and can be rejected', async () => {
  const organization = await startQuorum()
  const { submit, found, second } = organization
  const { id: activityId, fingerprint } = await submittedBefore(organization, refused)
  const { explanation } = await found('explain_activity', { activityId })
  expect(warningsOf(explanation)).toContain('unreadable')
  expect(JSON.stringify(explanation.sections)).toContain(refused)
  expect(JSON.stringify(explanation.title)).toContain('no empty label')
  const rejected = await submit('reject_activity', { fingerprint }, { apiKey: second.apiKey })
  expect(rejected.status, JSON.stringify(rejected.body)).toBe(200)
  expect(rejected.body.activity.status).toBe('ACTIVITY_STATUS_REJECTED')
})

test('its last approval ends it with the fault', async () => {
  const organization = await startQuorum()
  const { submit, found, second } = organization
  const { fingerprint } = await submittedBefore(organization, refused)
  const { status, body } = await submit('approve_activity', { fingerprint }, { apiKey: second.apiKey })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.activity.status).toBe('ACTIVITY_STATUS_FAILED')
  expect(body.activity.failure.message).toContain('parameters.users[0].userEmail')
  expect((await found('list_users')).users).toHaveLength(2)
})

test('one that has run is still explained, and is simulated with the others', async () => {
  const organization = await startOrganization()
  const { id: activityId } = await submittedBefore(organization, refused)
  const { explanation } = await organization.found('explain_activity', { activityId })
  expect(JSON.stringify(explanation.sections)).toContain(refused)
  await organization.done('create_user_tag', { userTagName: 'tag', userIds: [] })
  const { simulations } = await organization.found('simulate', { past: {} })
  expect(simulations.map(({ type }: { type: string }) => type)).toEqual([
    ...['ACTIVITY_TYPE_CREATE_USER_TAG', 'ACTIVITY_TYPE_CREATE_USERS_V4'],
  ])
})
