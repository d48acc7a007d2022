import { beforeAll, expect, test } from 'vitest'
import { explaining } from '../support/explanations.ts'
import { type Parameters, startOrganization } from '../support/organization.ts'

/** Changes of where passcodes, links and events go. */

const organization = await startOrganization()
const { done, submit, anotherUser, rootUserId } = organization
const grace = await anotherUser('Grace')
const { userId: linus } = await anotherUser('Linus')
const url = 'https://hooks.example.com/in'
const { endpointId } = await done('create_webhook_endpoint', { name: 'Books', url })

beforeAll(() => done('update_root_quorum', { threshold: 2, userIds: [rootUserId, grace.userId] }))

async function approved(name: string, parameters: Parameters) {
  const { fingerprint } = (await submit(name, parameters)).body.activity
  const { body } = await submit('approve_activity', { fingerprint }, { apiKey: grace.apiKey })
  expect(body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
}

const titleOf = async (name: string, parameters: Parameters) =>
  (await explaining(organization)(name, parameters)).lines[0]

const reads = (contact: string, userId = linus, name = 'Linus') =>
  `WARNING: whoever reads what is sent to “${contact}” can log in as “${name}” (user ${userId}). Update user`
const userEmail = 'new@example.com'
const userPhoneNumber = '+14155550123'

test('a new address or number says who can log in by it', async () => {
  for (const name of ['update_user', 'update_user_email']) {
    expect(await titleOf(name, { userId: linus, userEmail })).toContain(reads(userEmail))
  }
  for (const name of ['update_user', 'update_user_phone_number']) {
    expect(await titleOf(name, { userId: linus, userPhoneNumber })).toContain(reads(userPhoneNumber))
  }
  expect(await titleOf('update_user_email', { userId: linus, userEmail: '' })).toMatch(/^Update user email: /)
  expect(await titleOf('update_user', { userId: linus, userName: 'Linus' })).toMatch(/^Update user: /)
})

test('it says so only while that is switched on', async () => {
  const off = (name: string) => approved('remove_organization_feature', { name })
  await off('FEATURE_NAME_SMS_AUTH')
  expect(await titleOf('update_user_phone_number', { userId: linus, userPhoneNumber })).toMatch(/^Update user phone/)
  await off('FEATURE_NAME_OTP_EMAIL_AUTH')
  // The recovery by mail is still on.
  expect(await titleOf('update_user_email', { userId: linus, userEmail })).toContain(reads(userEmail))
  await off('FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY')
  const ofRoot = { userId: grace.userId, userEmail }
  expect(await titleOf('update_user_email', ofRoot)).toMatch(/^Update user email: /)
  expect(await titleOf('update_user_email', { userId: linus, userEmail })).toContain(reads(userEmail))
  await off('FEATURE_NAME_EMAIL_RECOVERY')
  expect(await titleOf('update_user_email', { userId: linus, userEmail })).toMatch(/^Update user email: /)
})

test('the address that gets all activities stands in the title', async () => {
  const sent = (to: string) => `WARNING: “${to}” gets every activity. `
  const other = 'https://evil.example/in'
  expect(await titleOf('create_webhook_endpoint', { name: 'Audit', url: other })).toBe(
    `${sent(other)}Create webhook endpoint: “Audit”`,
  )
  const silent = [{ eventType: 'ACTIVITY_UPDATES', isActive: false }]
  expect(await titleOf('create_webhook_endpoint', { name: 'Audit', url, subscriptions: silent })).toMatch(/^Create/)
  expect(await titleOf('update_webhook_endpoint', { endpointId, url: other })).toContain(sent(other))
  expect(await titleOf('update_webhook_endpoint', { endpointId, url, name: 'Same' })).toMatch(/^Update webhook/)
  expect(await titleOf('update_webhook_endpoint', { endpointId, url: other, isActive: false })).toMatch(
    /^Update webhook/,
  )
  const feature = { name: 'FEATURE_NAME_WEBHOOK', value: other }
  expect(await titleOf('set_organization_feature', feature)).toContain(sent(other))
  await approved('set_organization_feature', feature)
  expect(await titleOf('set_organization_feature', feature)).toMatch(/^Set organization feature: /)
  expect(await titleOf('remove_organization_feature', { name: feature.name })).toMatch(/^Remove organization/)
  await approved('update_webhook_endpoint', { endpointId, isActive: false })
  expect(await titleOf('update_webhook_endpoint', { endpointId, url: other })).toMatch(/^Update webhook/)
  expect(await titleOf('update_webhook_endpoint', { endpointId, isActive: true })).toContain(sent(url))
})

test('an auth proxy that may do more, or for more pages, is a way in that opens', async () => {
  const opens = /^WARNING: a way to log in or to recover opens\. /
  const proxy = { operations: ['otp_init_v2'], allowedOrigins: ['https://app.example.com'], appName: 'App' }
  expect(await titleOf('enable_auth_proxy', proxy)).toMatch(opens)
  await approved('enable_auth_proxy', proxy)
  const more = { ...proxy, operations: ['otp_init_v2', 'otp_verify_v2'] }
  expect(await titleOf('update_auth_proxy_config', more)).toMatch(opens)
  const wider = { ...proxy, allowedOrigins: [...proxy.allowedOrigins, 'https://evil.example'] }
  expect(await titleOf('enable_auth_proxy', wider)).toMatch(opens)
  expect(await titleOf('update_auth_proxy_config', { ...proxy, appName: 'Other' })).toMatch(/^Update auth proxy/)
  expect(await titleOf('disable_auth_proxy', {})).toMatch(/^Disable auth proxy/)
})
