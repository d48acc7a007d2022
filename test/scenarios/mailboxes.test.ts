import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { newInvitation } from '../support/invitations.ts'
import { loginsOf, messagesOf } from '../support/logins.ts'
import { expectRefused, newUser, type Parameters, startOrganization } from '../support/organization.ts'
import { recover } from '../support/recovery.ts'
import { generateApiKey } from '../support/stamping.ts'

/** One mailbox has many spellings. Each of them is the same contact, wherever contacts are counted, compared or found. */

const organization = await startOrganization()
const { server, clock, organizationId, rootUserId, done, found, submit } = organization
const { loginFor, tokenFor } = await loginsOf(organization)

const spellingsOf = (local: string): readonly string[] => [
  ...[`${local}@mail.bücher.example`, `${local}@MAIL.BÜCHER.example`, `${local}@mail.bu\u0308cher.example`],
  ...[`${local}@mail.xn--bcher-kva.example`, `${local}@mail。bücher．example`, `${local}@ｍａｉｌ.bücher.example`],
  ...[`${local}@mail.bücher.example.`, `${local.toUpperCase()}@mail.bücher.example`],
]

async function newUserAt(userEmail: string): Promise<string> {
  const [userId] = (await done('create_users', { users: [newUser({ userEmail })] })).userIds
  return userId
}

test('all spellings of a mailbox get three passcodes in all', async () => {
  const spellings = spellingsOf('often')
  const start = (contact: string) => submit('init_otp', { otpType: 'OTP_TYPE_EMAIL', contact, appName: 'Test' })
  const answers = []
  for (const contact of spellings) answers.push(await start(contact))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400, 400, 400, 400, 400])
  for (const answer of answers.slice(3)) expectRefused(answer, 400, 'Max number of OTPs')
  const sent = (await messagesOf(server)).map(({ to }) => to).filter((to) => spellings.includes(to))
  expect(sent).toEqual(spellings.slice(0, 3))
})

test('a stranger at the auth proxy has three passcodes sent to a mailbox, however it is spelled', async () => {
  const origin = 'https://app.example.com'
  const operations = ['otp_init_v2', 'otp_verify_v2', 'account']
  await done('enable_auth_proxy', { operations, allowedOrigins: [origin], appName: 'Acme' })
  const ask = async (name: string, body: Parameters) => {
    clock.nowMs += 1
    const proxied = { configId: organizationId, origin, requestId: randomUUID(), timestampMs: clock.nowMs }
    const request = { path: `/v1/${name}`, body: Buffer.from(JSON.stringify(body)), stamps: [], proxied }
    const answer = await server.submit({ ...request, dialect: 'spec', sourceAddress: undefined })
    return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString()) }
  }
  const answers = []
  for (const contact of spellingsOf('stranger')) {
    answers.push(await ask('otp_init_v2', { otpType: 'OTP_TYPE_EMAIL', contact }))
  }
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400, 400, 400, 400, 400])

  const [stored = '', asked = '', proved = ''] = spellingsOf('account')
  await newUserAt(stored)
  const verificationToken = await tokenFor(proved, generateApiKey())
  const account = await ask('account', { filterType: 'EMAIL', filterValue: asked, verificationToken })
  expect(account).toMatchObject({ status: 200, body: { organizationId } })
})

test('a user logs in by another spelling of the address, which is then verified', async () => {
  const [stored = '', ...others] = spellingsOf('ada')
  const userId = await newUserAt(stored)
  for (const contact of others) {
    clock.nowMs += 3 * 60 * 1_000
    const { sessionKey: apiKey, parameters } = await loginFor(contact)
    await done('otp_login', parameters)
    expect(await found('whoami', {}, { apiKey })).toMatchObject({ userId })
  }
})

test('filters find sub-organizations by any spelling', async () => {
  const [stored = '', proved = '', ...others] = spellingsOf('filter')
  const rootUsers = [{ userName: 'Ada', userEmail: stored, apiKeys: [], authenticators: [], oauthProviders: [] }]
  const verificationToken = await tokenFor(proved, generateApiKey())
  const apiKey = generateApiKey()
  const withKey = rootUsers.map((user) => ({
    ...user,
    apiKeys: [{ apiKeyName: 'key', publicKey: apiKey.publicKey, curveType: 'API_KEY_CURVE_P256' }],
  }))
  const made = await done('create_sub_organization', {
    ...{ subOrganizationName: 'sub', rootQuorumThreshold: 1, rootUsers: withKey },
  })
  const inside = { organizationId: made.subOrganizationId, apiKey }
  await done('update_user_email', { userId: made.rootUserIds[0], userEmail: stored, verificationToken }, inside)
  for (const filterValue of [stored, proved, ...others]) {
    const filter = { filterType: 'EMAIL', filterValue }
    expect((await found('list_suborgs', filter)).organizationIds).toEqual([made.subOrganizationId])
    expect((await found('list_verified_suborgs', filter)).organizationIds).toEqual([made.subOrganizationId])
  }
})

test('a recovery finds the user by any spelling, and mails the stored one', async () => {
  const [email = '', stored = ''] = spellingsOf('lost')
  const userId = await newUserAt(stored)
  const recovered = await recover(organization, { email })
  expect([recovered.userId, recovered.mail.to]).toEqual([userId, stored])
})

test('invitations to all spellings of a mailbox are counted together', async () => {
  const invitations = spellingsOf('guest').map((receiverUserEmail) => newInvitation(rootUserId, { receiverUserEmail }))
  await done('create_invitations', { invitations: invitations.slice(0, 3) })
  expectRefused(
    await submit('create_invitations', { invitations: invitations.slice(3, 4) }),
    429,
    'parameters.invitations[0].receiverUserEmail: at most 3 invitations to one address',
  )
})

test('two users of one mailbox in two spellings cannot use it, until one of them has another address', async () => {
  const [one = '', other = ''] = spellingsOf('twin')
  const [first, second] = [await newUserAt(one), await newUserAt(other)]
  const text =
    'more than one user of this organization has the contact that was verified; none of them can use it until'
  for (const contact of [one, other]) {
    expectRefused(await submit('otp_login', (await loginFor(contact)).parameters), 400, text)
  }
  await done('update_user_email', { userId: second, userEmail: 'another@example.org' })
  const { sessionKey: apiKey, parameters } = await loginFor(other)
  await done('otp_login', parameters)
  expect(await found('whoami', {}, { apiKey })).toMatchObject({ userId: first })
})

test('an address to which no mail can be sent is refused with its field and the rule', async () => {
  const rules = [
    ['a@mail..example', 'must be an e-mail address whose domain has no empty label'],
    [
      `a@${'b'.repeat(64)}.example`,
      'must be an e-mail address whose domain has at most 63 characters between two dots',
    ],
    [`a@${'üäöñ.'.repeat(37)}org`, 'must be an e-mail address whose domain has at most 253 characters in ASCII'],
    ['a@aא.example', 'must be an e-mail address whose domain has an ASCII form by UTS 46'],
  ] as const
  for (const [address, rule] of rules) {
    const otp = { otpType: 'OTP_TYPE_EMAIL', contact: address, appName: 'Test' }
    expectRefused(await submit('init_otp', otp), 400, `parameters.contact ${rule}`)
    const users = [newUser({ userEmail: address })]
    expectRefused(await submit('create_users', { users }), 400, `parameters.users[0].userEmail ${rule}`)
    const update = { userId: rootUserId, userEmail: address }
    const answer = await submit('update_user_email', update)
    expectRefused(answer, 400, `parameters.userEmail ${rule}`)
    expectRefused(answer, 400, 'or an empty text to remove it')
    const invitations = [newInvitation(rootUserId, { receiverUserEmail: address })]
    const field = 'parameters.invitations[0].receiverUserEmail'
    expectRefused(await submit('create_invitations', { invitations }), 400, `${field} ${rule}`)
  }
})
