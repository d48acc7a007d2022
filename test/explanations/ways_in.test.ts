import { beforeAll, expect, test } from 'vitest'
import { explaining } from '../support/explanations.ts'
import {
  newApiKey,
  newAuthenticator,
  newUser,
  organizationOf,
  type Parameters,
  startOrganization,
} from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** Changes of where passcodes, links and events go. */

const organization = await startOrganization()
const { done, submit, anotherUser, rootUserId } = organization
const grace = await anotherUser('Grace')
const { userId: linus } = await anotherUser('Linus')
const heidi = await anotherUser('Heidi')
const branchKey = generateApiKey()
const rootUsers = [{ publicKey: branchKey.publicKey }, {}].map((given, index) => ({
  ...{ userName: `Ada ${index}`, apiKeys: [newApiKey(given)], authenticators: [], oauthProviders: [] },
}))
const branch = { subOrganizationName: 'Branch', rootQuorumThreshold: 2, rootUsers }
const { subOrganizationId, rootUserIds } = await done('create_sub_organization', branch)
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
  const ends = (to: string) => `“${to}” gets no activities any more`
  const other = 'https://evil.example/in'
  expect(await titleOf('create_webhook_endpoint', { name: 'Audit', url: other })).toBe(
    `${sent(other)}Create webhook endpoint: “Audit”`,
  )
  const silent = [{ eventType: 'ACTIVITY_UPDATES', isActive: false }]
  expect(await titleOf('create_webhook_endpoint', { name: 'Audit', url, subscriptions: silent })).toMatch(/^Create/)
  const moved = await explaining(organization)('update_webhook_endpoint', { endpointId, url: other })
  expect(moved.lines).toContain(`warning: [“${other}” gets every activity]`)
  expect(moved.lines).toContain(`warning: [${ends(url)}]`)
  expect(await titleOf('update_webhook_endpoint', { endpointId, url, name: 'Same' })).toMatch(/^Update webhook/)
  for (const given of [{ isActive: false }, { url: other, isActive: false }]) {
    expect(await titleOf('update_webhook_endpoint', { endpointId, ...given })).toContain(
      `WARNING: ${ends(url)}. Update`,
    )
  }
  expect(await titleOf('delete_webhook_endpoint', { endpointId })).toContain(`WARNING: ${ends(url)}. Delete`)
  const feature = { name: 'FEATURE_NAME_WEBHOOK', value: other }
  expect(await titleOf('set_organization_feature', feature)).toContain(sent(other))
  await approved('set_organization_feature', feature)
  expect(await titleOf('set_organization_feature', feature)).toMatch(/^Set organization feature: /)
  expect(await titleOf('remove_organization_feature', { name: feature.name })).toContain(
    `WARNING: ${ends(other)}. Remove`,
  )
  await approved('update_webhook_endpoint', { endpointId, isActive: false })
  expect(await titleOf('update_webhook_endpoint', { endpointId, url: other })).toMatch(/^Update webhook/)
  expect(await titleOf('delete_webhook_endpoint', { endpointId })).toMatch(/^Delete webhook/)
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
  for (const given of [{ otpLength: 6 }, { otpAlphanumeric: false }, { otpExpirationSeconds: '600' }]) {
    expect(await titleOf('update_auth_proxy_config', { ...proxy, ...given })).toMatch(
      /^WARNING: the codes of a login are easier to guess\. Update auth proxy/,
    )
  }
  expect(await titleOf('update_auth_proxy_config', { ...proxy, sessionExpirationSeconds: '3600' })).toMatch(
    /^WARNING: sessions last longer: 1 hour in place of 15 minutes\. Update auth proxy/,
  )
  const closed = { ...proxy, sessionsMayChangeCredentials: false }
  const stricter = { ...closed, sessionExpirationSeconds: '600', otpExpirationSeconds: '200' }
  expect(await titleOf('update_auth_proxy_config', stricter)).toMatch(/^Update auth proxy/)
  await approved('update_auth_proxy_config', closed)
  expect(await titleOf('update_auth_proxy_config', proxy)).toMatch(
    /^WARNING: sessions of the auth proxy may add credentials that outlast them, and export keys\. Update auth proxy/,
  )
  expect(await titleOf('disable_auth_proxy', {})).toMatch(/^Disable auth proxy/)
  // The setting outlives the proxy: one that allows it later is warned of.
  await approved('disable_auth_proxy', {})
  expect(await titleOf('enable_auth_proxy', closed)).toMatch(opens)
  const { lines } = await explaining(organization)('enable_auth_proxy', proxy)
  expect(lines.join('\n')).toContain('sessions of the auth proxy may add credentials that outlast them')
})

test('more that users of sub-organizations may choose in mails is a warning, and less is none', async () => {
  const name = 'FEATURE_NAME_SUB_ORGANIZATION_MAILS'
  const chosen =
    /^WARNING: users of sub-organizations may choose the sender, the words or the links of mails to anybody/
  expect(await titleOf('set_organization_feature', { name, value: 'SENDER' })).toMatch(chosen)
  await approved('set_organization_feature', { name, value: 'SENDER,myapp:' })
  expect(await titleOf('set_organization_feature', { name, value: 'SENDER,https:' })).toMatch(chosen)
  expect(await titleOf('set_organization_feature', { name, value: 'SENDER' })).toMatch(/^Set organization feature/)
  expect(await titleOf('remove_organization_feature', { name })).toMatch(/^Remove organization feature/)
})

test('a list of an API key that takes it out of the list of the organization is a warning', async () => {
  const { publicKey } = heidi.apiKey
  const own = { cidr: '127.0.0.0/24' }
  const widens =
    /^WARNING: a list of IP addresses gets other ranges, so requests from there count(, and 1 more)?\. Set ip allowlist: /
  const narrows = /^WARNING: requests from some or all of these IP addresses count no more: /
  const ofKey = (...cidrs: string[]) => ({ publicKey, rules: cidrs.map((cidr) => ({ cidr })) })
  // Without a list of the organization, every address counts already.
  expect(await titleOf('set_ip_allowlist', ofKey('198.51.100.0/24'))).toMatch(/^Set ip allowlist: /)
  await approved('set_ip_allowlist', { rules: [own, { cidr: '203.0.113.0/24' }] })
  const { lines } = await explaining(organization)('set_ip_allowlist', ofKey('198.51.100.0/24'))
  expect(lines[0]).toMatch(widens)
  expect(lines).toContain('added: “198.51.100.0/24”')
  expect(await titleOf('set_ip_allowlist', ofKey('203.0.112.0/23'))).toMatch(widens)
  expect(await titleOf('set_ip_allowlist', { ...ofKey(own.cidr), onEvaluationError: 'ALLOW' })).toMatch(widens)
  expect(await titleOf('set_ip_allowlist', ofKey('203.0.113.7/32'))).toMatch(narrows)
  await approved('set_ip_allowlist', ofKey('203.0.113.7/32'))
  // From then on the list of the organization holds again, which has more.
  expect(await titleOf('remove_ip_allowlist', { publicKey })).toMatch(/^WARNING: a list of IP addresses /)
  expect(await titleOf('set_ip_allowlist', ofKey())).toMatch(widens)
  await approved('set_ip_allowlist', { rules: [own], enabled: false })
})

test('a list of origins of a sub-organization is compared with the one that it has from its parent', async () => {
  const below = organizationOf(organization, {
    ...{ organizationId: subOrganizationId, rootUserId: rootUserIds[0], apiKey: branchKey },
  })
  const explain = explaining(below)
  const origins = { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value: 'https://app.example.com' }
  const changes = /^WARNING: passkeys of other pages count from then on(, and 1 more)?\. /
  // Without any list, every origin counts already.
  expect((await explain('set_organization_feature', { ...origins, value: '*' })).lines[0]).toMatch(/^Set organ/)
  await approved('set_organization_feature', origins)
  for (const value of ['*', 'https://evil.example']) {
    const { lines } = await explain('set_organization_feature', { ...origins, value })
    expect(lines[0]).toMatch(changes)
    expect(lines).toContain(`value: “${origins.value}” → “${value}”`)
    expect(lines).toContain('value of the parent organization: “https://app.example.com”')
  }
  expect((await explain('set_organization_feature', origins)).lines[0]).toMatch(/^Set organization feature: /)
})

test('a new way in for another user says as whom its holder acts, and one of the own says nothing', async () => {
  const acts = `WARNING: whoever has the new credential acts as “Grace” (user ${grace.userId}). `
  // A key for which a request waits is kept for whom that request is about.
  const asked = [
    ['create_api_keys', () => ({ apiKeys: [newApiKey()] })],
    ['create_authenticators', () => ({ authenticators: [newAuthenticator()] })],
    ['create_passkey_link', () => ({ publicKey: generateApiKey().publicKey })],
  ] as const
  for (const [name, given] of asked) {
    expect(await titleOf(name, { ...given(), userId: grace.userId })).toContain(acts)
    expect(await titleOf(name, { ...given(), userId: rootUserId }), name).not.toContain('WARNING')
  }
})

test('a user who keeps no credential is a warning, and one who keeps another is none', async () => {
  const { users } = await organization.found('list_users', {})
  const { apiKeys } = users.find(({ userId }: { userId: string }) => userId === linus)
  const [{ apiKeyId }] = apiKeys
  const title = () => titleOf('delete_api_keys', { userId: linus, apiKeyIds: [apiKeyId] })
  expect(await title()).toBe(
    `WARNING: “Linus” (user ${linus}) keeps no credential. Delete api keys: “Linus” (user ${linus})`,
  )
  await approved('create_api_keys', { userId: linus, apiKeys: [newApiKey()] })
  expect(await title()).toMatch(/^Delete api keys: /)
})

test('a name that looks like that of another user is a warning', async () => {
  const users = (userName: string) => ({ users: [newUser({ userName })] })
  for (const name of ['Grace', 'GRÁCE.', 'G. race']) {
    expect(await titleOf('create_users', users(name)), name).toContain(
      `looks like that of “Grace” (user ${grace.userId})`,
    )
    expect(await titleOf('update_user_name', { userId: linus, userName: name })).toContain('looks like that of “Grace”')
  }
  expect(await titleOf('create_users', users('Gracia'))).toMatch(/^Create users: /)
  const own = { userId: grace.userId, userName: 'GRACE' }
  expect(await titleOf('update_user_name', own)).not.toContain('looks like')
})
