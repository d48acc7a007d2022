import { expect, test } from 'vitest'
import { newTarget } from '../support/bundles.ts'
import { explaining } from '../support/explanations.ts'
import { loginsOf, messagesOf } from '../support/logins.ts'
import {
  expectRefused,
  newUser,
  organizationOf,
  type Parameters,
  startOrganization,
  type TestOrganization,
} from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** What users of a sub-organization may choose in the mails that they ask for. */

const organization = await startOrganization()
const child = organizationOf(organization, await organization.subOrganization())
const feature = 'FEATURE_NAME_SUB_ORGANIZATION_MAILS'
const allow = (value: string) => organization.done('set_organization_feature', { name: feature, value })
const forbid = () => organization.done('remove_organization_feature', { name: feature })

let count = 0
const code = (more: Parameters = {}) => ({
  ...{ otpType: 'OTP_TYPE_EMAIL', contact: `stranger${++count}@example.org`, appName: 'Your bank' },
  ...more,
})
const link = (magicLinkTemplate: string) => ({ emailCustomization: { magicLinkTemplate } })

/** Each way to shape a message, and what the parent has to allow for it. */
const choices: readonly (readonly [allowed: string, more: Parameters])[] = [
  ['SENDER', { sendFromEmailSenderName: 'Your bank' }],
  ['SENDER', { sendFromEmailAddress: 'bank@example.com' }],
  ['SENDER', { replyToEmailAddress: 'eve@example.com' }],
  ['TEXTS', { emailCustomization: { logoUrl: 'https://evil.example/logo.png' } }],
  ['TEXTS', { otpType: 'OTP_TYPE_SMS', contact: '+14155550123', smsCustomization: { template: 'evil {{.OtpCode}}' } }],
  ['https:', link('https://evil.example/%s')],
  ['https:', link('https://%s.evil.example/')],
  ['https://app.example.com/', link('https://app.example.com/in?code=%s')],
  ['https://app.example.com/a%2Fb/', link('https://app.example.com/a%2Fb/%s')],
  ['acme:', link('acme://in/%s')],
]

async function mailOf({ done, server }: TestOrganization, more: Parameters = {}) {
  const given = code(more)
  await done('init_otp', given)
  const mail = (await messagesOf(server)).findLast(({ to }) => to === given.contact)
  return mail as NonNullable<typeof mail>
}

test.each(choices)('only with %s of the parent a user of a sub-organization sends %j', async (allowed, more) => {
  await forbid().catch(() => {})
  expectRefused(await child.submit('init_otp', code(more)), 403, feature)
  const others = ['SENDER', 'TEXTS', 'other:', 'https://app.example.com.evil.example/'].filter((one) => one !== allowed)
  await allow(others.join())
  expectRefused(await child.submit('init_otp', code(more)), 403, feature)
  await allow([...others, allowed].join())
  await child.done('init_otp', code(more))
  await forbid()
  // The parent chooses for itself, and for the users of its sub-organizations.
  await organization.done('init_otp', code(more))
  organization.clock.nowMs += 180_000
  await organization.done('init_otp', code(more), { organizationId: child.organizationId })
  organization.clock.nowMs += 180_000
})

test.each([
  ['lines', 'https://app.example.com/#%s\n\nMove your coins now: https://evil.example/\n\nYour bank'],
  ['words', 'https://app.example.com/#%s YOUR ACCOUNT IS LOCKED'],
  ['the code for another host', 'https://app.example.com/\n\nConfirm here: https://evil.example/in?code=%s'],
  ['a tab', 'https://app.example.com/\t%s'],
  ['letters beyond ASCII', 'https://app.example.com/%s\u2028evil'],
  ['a no-break space', 'https://app.example.com/%s\u00a0evil'],
])('%s in a link are refused, whoever asks and whatever the parent allows', async (_what, template) => {
  await allow('https://app.example.com/,SENDER,TEXTS')
  const expected = 'emailCustomization.magicLinkTemplate'
  for (const who of [child, organization])
    expectRefused(await who.submit('init_otp', code(link(template))), 400, expected)
  await forbid()
})

test('the name in the mail is that of the parent, until the parent allows texts', async () => {
  const plain = await mailOf(child)
  expect(JSON.stringify(plain)).not.toContain('Your bank')
  expect(plain.text).toContain('First')
  await allow('TEXTS')
  expect((await mailOf(child)).text).toContain('Your bank')
  await forbid()
  expect((await mailOf(organization)).text).toContain('Your bank')
})

test('the explanation shows the name that will stand in the mail', async () => {
  const below = organizationOf(organization, await organization.subOrganization())
  const { userId } = await below.anotherUser('second')
  const userEmail = 'second@example.org'
  await below.done('update_user_email', { userId, userEmail })
  await below.done('update_root_quorum', { threshold: 2, userIds: [below.rootUserId, userId] })
  const { targetPublicKey } = newTarget()
  const recovery = { email: userEmail, targetPublicKey, emailCustomization: { appName: 'Your bank' } }
  const shown = async () => {
    const explained = []
    for (const [name, parameters] of [
      ['init_otp', code()],
      ['init_user_email_recovery', recovery],
    ] as const) {
      below.clock.nowMs += 1
      explained.push((await explaining(below)(name, parameters)).lines.join('\n'))
    }
    return explained
  }
  for (const text of await shown()) {
    expect(text).not.toContain('Your bank')
    expect(text).toContain('First')
  }
  await allow('TEXTS')
  for (const text of await shown()) expect(text).toContain('Your bank')
  await forbid()
})

test('so it is with recoveries, and links and invitations are mailed only where texts are allowed', async () => {
  const [contact, userName] = ['victim@example.org', 'Call 555 0123 at once']
  await child.done('update_organization_name', { organizationName: 'Your bank' })
  await child.done('update_user_name', { userId: child.rootUserId, userName })
  const [userId] = (await child.done('create_users', { users: [newUser({ userName, userEmail: contact })] })).userIds
  const recovery = (more: Parameters = {}) => ({
    ...{ email: contact, targetPublicKey: newTarget().targetPublicKey, emailCustomization: { appName: 'Your bank' } },
    ...more,
  })
  for (const more of [
    { sendFromEmailSenderName: 'Your bank' },
    { emailCustomization: { appName: 'x', magicLinkTemplate: 'https://evil.example/%s' } },
  ]) {
    expectRefused(await child.submit('init_user_email_recovery', recovery(more)), 403, feature)
  }
  const invitation = {
    ...{ receiverUserName: userName, receiverUserEmail: contact, receiverUserTags: [] },
    ...{ accessType: 'ACCESS_TYPE_WEB', senderUserId: child.rootUserId },
  }
  const links: readonly (readonly [name: string, parameters: Parameters])[] = [
    ['create_invitations', { invitations: [invitation] }],
    ['create_passkey_link', { userId, sendEmail: true }],
  ]
  const sentSince = async (before: number) => JSON.stringify((await messagesOf(child.server)).slice(before))
  const before = (await messagesOf(child.server)).length
  await child.done('init_user_email_recovery', recovery())
  for (const [name, parameters] of links) {
    expectRefused(await child.submit(name, parameters), 403, 'no token of the parent has verified')
  }
  const plain = await sentSince(before)
  expect(plain).not.toMatch(/Your bank|Call 555/)
  expect(plain).toMatch(/“First”|at First/)
  await allow('TEXTS')
  await child.done('init_user_email_recovery', recovery())
  for (const [name, parameters] of links) await child.done(name, parameters)
  expect(await sentSince(before)).toMatch(/Your bank.*Call 555/)
  await forbid()
})

test('a user has a link mailed to an address that a token of the parent has verified, until it changes', async () => {
  const parent = await startOrganization()
  const below = organizationOf(parent, await parent.subOrganization())
  const [userId, contact] = [below.rootUserId, 'ada@example.org']
  const verificationToken = await (await loginsOf(parent)).tokenFor(contact, generateApiKey())
  await below.done('update_user_email', { userId, userEmail: contact, verificationToken })
  const link = { userId, sendEmail: true }
  await below.done('create_passkey_link', link)
  const mail = (await messagesOf(parent.server)).findLast(({ to }) => to === contact)
  expect(mail?.text).toContain('your user in “First”')
  await below.done('update_user_email', { userId, userEmail: 'victim@example.org' })
  expectRefused(await below.submit('create_passkey_link', link), 403, 'no token of the parent has verified')
})

test.each(['plain', 'free'] as const)('the operator may decide for all parents: %s', async (mailDecider) => {
  const parent = await startOrganization({ mailDecider })
  const below = organizationOf(parent, await parent.subOrganization())
  await parent.done('set_organization_feature', { name: feature, value: 'SENDER,TEXTS,https:' })
  const given = code({ sendFromEmailSenderName: 'Your bank' })
  if (mailDecider === 'plain') {
    expectRefused(await below.submit('init_otp', given), 403, 'CLAVIGER_SUB_ORGANIZATION_MAILS')
    expect((await mailOf(below)).text).toContain('First')
  } else {
    await parent.done('remove_organization_feature', { name: feature })
    await below.done('init_otp', given)
  }
})

test.each([
  'https://app.example.com/login/../redirect?to=https://evil.example/%s',
  'https://app.example.com/login/%2e%2e/redirect?to=https://evil.example/%s',
  'https://app.example.com/login/.%2E/redirect?to=https://evil.example/%s',
  'https://app.example.com/login/\\..\\..\\redirect?to=https://evil.example/%s',
  'https://app.example.com/login/x/../../redirect?code=%s',
  'https://app.example.com/login/..%2fredirect?code=%s',
  'https://app.example.com/login/%252e%252e%255credirect?code=%s',
  'https://app.example.com/login/../%2e%2e%2flogin/%s',
])('the link %s leaves the beginning that the parent allows', async (template) => {
  await allow('https://app.example.com/login/')
  expectRefused(await child.submit('init_otp', code(link(template))), 403, 'magicLinkTemplate')
  await child.done('init_otp', code(link('https://app.example.com/login/x/../in?to=%2F..%2F%s')))
  await forbid()
})

test.each([
  ['https://app.example.com/', 'https://app.e%sample.com/'],
  ['https://x.com/', 'https://%s.com/'],
  ['https://sites.example/tenant-x/', 'https://sites.example/tenant-%s/'],
  ['https://sites.example/x/', 'https://sites.example/%s/'],
  ['exact:', 'e%sact://a.example/'],
])('the code is no part of the beginning %s: the link %s has another one', async (allowed, template) => {
  await allow(allowed)
  expectRefused(await child.submit('init_otp', code(link(template))), 403, 'magicLinkTemplate')
  await child.done('init_otp', code(link(`${allowed}%s`)))
  await forbid()
})

test('the refusal of a link says which links there are', async () => {
  const answer = await organization.submit('init_otp', code(link('http://app.example.com/?b=%s')))
  expectRefused(answer, 400, 'magicLinkTemplate', 'https', 'http only to localhost')
})

test('a link is https, of an app, or on this machine, whoever chooses it', async () => {
  for (const template of ['http://app.example.com/%s', 'javascript:alert(%s)', 'ftp://app.example.com/%s']) {
    expectRefused(await organization.submit('init_otp', code(link(template))), 400, 'magicLinkTemplate')
  }
  for (const template of ['http://localhost:3000/%s', 'http://127.0.0.1:3000/%s', 'acme://%s']) {
    await organization.done('init_otp', code(link(template)))
  }
})
