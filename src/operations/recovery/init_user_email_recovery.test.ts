import { beforeEach, describe, expect, test } from 'vitest'
import { newTarget } from '../../../test/support/bundles.ts'
import {
  type Ask,
  absentId,
  expectRefused,
  newApiKey,
  newUser,
  type Parameters,
  repeated,
  startOrganization,
} from '../../../test/support/organization.ts'
import { openCredential, recover, takeMails } from '../../../test/support/recovery.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const organization = await startOrganization()
const { server, clock, submit, query, done, found, anotherUser } = organization

async function newUserAt(userEmail: string): Promise<string> {
  return (await done('create_users', { users: [newUser({ userEmail })] })).userIds[0]
}

/** A sub-organization whose only root user has this address and a new key. */
async function newSubOrganization(userEmail: string) {
  const apiKey = generateApiKey()
  const apiKeys = [newApiKey({ publicKey: apiKey.publicKey })]
  const rootUsers = [{ userName: 'child', userEmail, apiKeys, authenticators: [], oauthProviders: [] }]
  const sub = { subOrganizationName: 'sub', rootUsers, rootQuorumThreshold: 1 }
  const { subOrganizationId, rootUserIds } = await done('create_sub_organization', sub)
  return { organizationId: subOrganizationId, userId: rootUserIds[0], apiKey }
}

function request(given: Parameters = {}): Parameters {
  return {
    email: 'ada@example.com',
    targetPublicKey: newTarget().targetPublicKey,
    emailCustomization: { appName: 'Acme' },
    ...given,
  }
}

const userId = await newUserAt('Ada@example.com')

const minuteMs = 60_000
beforeEach(() => {
  clock.nowMs += 3 * minuteMs
})

/** Starts a recovery at a time when another one is allowed. */
function recoverLater(...[given, ask]: [{ readonly email: string }, Ask?]) {
  clock.nowMs += minuteMs + 1
  return recover(organization, given, ask)
}

test('the user gets a credential that only the key of the request opens, and the answer has none', async () => {
  const { targetPublicKey, embeddedKey } = newTarget()
  const { body } = await submit('init_user_email_recovery', request({ targetPublicKey }))
  expect(body.activity.result).toStrictEqual({ initUserEmailRecoveryResult: { userId } })

  const [mail, ...others] = await takeMails(server)
  expect(others).toEqual([])
  if (mail === undefined) throw new Error('it sends a mail')
  expect(mail).toMatchObject({ to: 'Ada@example.com', subject: 'Recover your account at Acme' })
  expect(mail).not.toHaveProperty('from')
  expect(mail).not.toHaveProperty('replyTo')
  expect(mail.text).toContain('within 15 minutes')
  const { publicKey, privateKeyHex } = openCredential(mail, embeddedKey)
  expect(() => openCredential(mail, newTarget().embeddedKey)).toThrow()
  expect(JSON.stringify(body)).not.toContain(privateKeyHex)

  const { apiKeys } = await found('get_api_keys', { userId })
  expect(apiKeys).toMatchObject([
    {
      apiKeyName: 'Recovery by e-mail',
      credential: { publicKey, type: 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256' },
      expirationSeconds: '900',
    },
  ])
})

test('each mail has its own credential, also for the same key', async () => {
  const { targetPublicKey, embeddedKey } = newTarget()
  const parameters = request({ targetPublicKey })
  for (const _ of [1, 2]) await done('init_user_email_recovery', parameters)
  const keys = (await takeMails(server)).map((mail) => openCredential(mail, embeddedKey).publicKey)
  expect(new Set(keys).size).toBe(2)
})

test('the same bytes sent again send no second mail', async () => {
  const { body } = await submit('init_user_email_recovery', request())
  const { message } = body.activity.votes[0]
  const again = await server.post('/public/v1/submit/init_user_email_recovery', message, organization.rootKey)
  expect(again.body.activity.id).toBe(body.activity.id)
  expect(await takeMails(server)).toHaveLength(1)
})

test('three recoveries and passcodes by mail may be started in three minutes, in any spelling of the address', async () => {
  const start = (email: string) => submit('init_user_email_recovery', request({ email }))
  for (const email of ['ada@example.com', 'ADA@example.com']) expect((await start(email)).status).toBe(200)
  await done('init_otp', { otpType: 'OTP_TYPE_EMAIL', contact: 'ada@example.com', appName: 'Acme' })
  await takeMails(server)
  expectRefused(await start('Ada@example.com'), 400, 'please wait and try again')
  expect(await takeMails(server)).toEqual([])
  await newUserAt('bob@example.com')
  expect((await start('bob@example.com')).status).toBe(200)
  clock.nowMs += 3 * minuteMs
  expect((await start('ada@example.com')).status).toBe(200)
  await takeMails(server)
})

describe('the mail', () => {
  const bundle = expect.stringMatching(/^https:\/\/app\.example\.com\/recover\?a=1&bundle=[1-9A-HJ-NP-Za-km-z]+#top$/)
  const magicLinkTemplate = 'https://app.example.com/recover?a=1&bundle=%s#top'

  test("has the app's link, with the credential in it and nowhere else", async () => {
    const logoUrl = 'https://app.example.com/logo.png?a=1&b=2'
    const emailCustomization = { appName: 'Acme', logoUrl, magicLinkTemplate }
    const { mail, recoveryKey } = await recover(organization, { email: 'ada@example.com', emailCustomization })
    const [, link = ''] = /\nRecover your account:?\n(\S+)\n/.exec(`\n${mail.text}`) ?? []
    expect(link).toEqual(bundle)
    expect(mail.html).toContain(`<a class="action" href="${link.replace('&', '&#38;')}">Recover your account</a>`)
    expect(mail.app).toEqual({ name: 'Acme', logoUrl: 'https://app.example.com/logo.png?a=1&b=2' })
    const [credential = ''] = /[1-9A-HJ-NP-Za-km-z]{100,}/.exec(link) ?? []
    expect(mail.text.split(credential)).toHaveLength(2)
    expect((await found('whoami', {}, { apiKey: recoveryKey })).userId).toBe(userId)
  })

  test('escapes the texts of the request', async () => {
    const appName = `<b onclick='x("&amp;")'>Zoë 😀</b>`
    const { mail } = await recover(organization, { email: 'ada@example.com', emailCustomization: { appName } })
    expect(mail.subject).toBe(`Recover your account at ${appName}`)
    expect(mail.text).toContain(appName)
    expect(mail.html).toContain('&#60;b onclick=&#39;x(&#34;&#38;amp;&#34;)&#39;&#62;Zoë 😀&#60;/b&#62;')
    expect(mail.html).not.toContain('<b ')
  })

  test('comes from the sender in the request', async () => {
    const email = 'ada@example.com'
    const sendFromEmailAddress = 'hello@acme.example'
    const replyToEmailAddress = 'help@acme.example'
    for (const [given, expected] of [
      [{ sendFromEmailAddress }, { from: { address: sendFromEmailAddress, name: 'Notifications' } }],
      [{ sendFromEmailSenderName: 'Acme' }, { from: { name: 'Acme' } }],
      [
        { sendFromEmailAddress, sendFromEmailSenderName: 'Acme', replyToEmailAddress },
        { from: { address: sendFromEmailAddress, name: 'Acme' }, replyTo: replyToEmailAddress },
      ],
    ] as const) {
      expect((await recover(organization, { email, ...given })).mail).toMatchObject(expected)
    }
  })

  test('says how long the credential is valid, and expires with it', async () => {
    for (const [expirationSeconds, text] of [
      ['1', '1 second'],
      ['90', '90 seconds'],
      ['60', '1 minute'],
      ['3600', '1 hour'],
      ['86400', '1 day'],
    ] as const) {
      clock.nowMs += 3 * minuteMs
      const { mail, recoveryKey } = await recover(organization, { email: 'ada@example.com', expirationSeconds })
      expect(mail.text).toContain(`within ${text}.`)
      expect((await query('whoami', {}, { apiKey: recoveryKey })).status).toBe(200)
    }
    await done('init_user_email_recovery', request({ expirationSeconds: '60' }))
    clock.nowMs += 60_000
    expect(await takeMails(server)).toEqual([])
  })

  test('may lead into an app', async () => {
    const emailCustomization = { appName: 'Acme', magicLinkTemplate: 'acme://recover/%s' }
    const { mail } = await recover(organization, { email: 'ada@example.com', emailCustomization })
    expect(mail.html).toContain('<a class="action" href="acme://recover/')
  })
})

describe('invalid requests are refused', () => {
  const custom = (given: object) => ({ emailCustomization: { appName: 'Acme', ...given } })
  const at = 'parameters.emailCustomization'
  for (const [claim, change, status, text] of [
    [
      'an address of nobody',
      { email: 'eve@example.com' },
      404,
      'parameters.email: no user of this organization has this',
    ],
    ['a malformed address', { email: 'ada' }, 400, 'parameters.email must be an e-mail address'],
    ['an invalid key', { targetPublicKey: '04' }, 400, 'parameters.targetPublicKey must be a public key of P-256'],
    ['0 seconds', { expirationSeconds: '0' }, 400, 'parameters.expirationSeconds must be a number of seconds'],
    ['more than a day', { expirationSeconds: '86401' }, 400, 'parameters.expirationSeconds must be at most 86400'],
    ['no app name', { emailCustomization: {} }, 400, `${at}.appName must be present`],
    [
      'an app name of two lines',
      custom({ appName: 'A\nBcc: eve@example.com' }),
      400,
      `${at}.appName must be a text of 1`,
    ],
    ['a template', custom({ templateId: absentId }), 400, `${at}.templateId must be left out: there are no stored`],
    ['variables', custom({ templateVariables: '{}' }), 400, `${at}.templateVariables must be left out`],
    ['a logo without a web address', custom({ logoUrl: 'data:image/png,x' }), 400, `${at}.logoUrl must be an http or`],
    ['an invalid sender', { sendFromEmailAddress: 'acme' }, 400, 'parameters.sendFromEmailAddress must be an'],
    ['a sender name of two lines', { sendFromEmailSenderName: 'A\r\nB' }, 400, 'sendFromEmailSenderName must be'],
    ['an encoded word in a sender name', { sendFromEmailSenderName: 'A =?utf-8?Q?=E2=80=AE?=' }, 400, 'without =?'],
    [
      'two addresses to reply to',
      { replyToEmailAddress: 'a@b.c,d@e.f' },
      400,
      'parameters.replyToEmailAddress must be',
    ],
    ...[
      'https://app.example.com/',
      'https://app.example.com/%s/%s',
      '%s',
      'app.example.com/%s',
      'https:// app.example.com/%s',
      'https://app.example.com/"onclick=%s',
      'javascript:alert(%s)',
      'JavaScript:%s',
      'data:text/html,%s',
    ].map(
      (magicLinkTemplate) =>
        [
          `the link ${magicLinkTemplate}`,
          custom({ magicLinkTemplate }),
          400,
          `${at}.magicLinkTemplate must be a link`,
        ] as const,
    ),
  ] as const) {
    test(claim, async () => {
      expectRefused(await submit('init_user_email_recovery', request(change)), status, text)
      expect(await takeMails(server)).toEqual([])
    })
  }

  test('an address of two users', async () => {
    const email = 'twins@example.com'
    for (const userEmail of [email, email.toUpperCase()]) await newUserAt(userEmail)
    const text = 'parameters.email: more than one user of this organization has this address'
    expectRefused(await submit('init_user_email_recovery', request({ email })), 400, text)
  })

  test('an address of a user of another organization, a parent or a sub-organization', async () => {
    const email = 'root@child.example'
    const { organizationId, apiKey } = await newSubOrganization(email)
    expectRefused(await submit('init_user_email_recovery', request({ email })), 404)
    expectRefused(await submit('init_user_email_recovery', request(), { organizationId, apiKey }), 404)
  })

  test('a request by a user outside of the root quorum, who does not learn who has an address', async () => {
    const { apiKey } = await anotherUser()
    const known = await submit('init_user_email_recovery', request(), { apiKey })
    const unknown = await submit('init_user_email_recovery', request({ email: 'eve@example.com' }), { apiKey })
    expectRefused(known, 403)
    expect(unknown).toEqual(known)
  })
})

test('a parent starts it for a user of its sub-organization, who then adds the passkey there', async () => {
  const email = 'child@example.com'
  const { organizationId, userId: rootId } = await newSubOrganization(email)
  const { userId, recoveryKey } = await recover(organization, { email }, { organizationId })
  expect(userId).toBe(rootId)
  const who = { organizationId, userId }
  expect(await found('whoami', {}, { organizationId, apiKey: recoveryKey })).toMatchObject(who)
  expect(await found('whoami', {}, { apiKey: recoveryKey })).toMatchObject(who)
})

test('a user outside of the parent’s root quorum may not start a recovery', async () => {
  const { organizationId } = await newSubOrganization('c@example.com')
  const { apiKey } = await anotherUser()
  const asked = await submit('init_user_email_recovery', request({ email: 'c@example.com' }), {
    organizationId,
    apiKey,
  })
  expectRefused(asked, 403)
})

test('an eleventh credential replaces the oldest', async () => {
  const email = 'often@example.com'
  const userId = await newUserAt(email)
  const started = []
  for (const _ of repeated(11, String)) started.push(await recoverLater({ email }))
  const [first, second] = started
  if (first === undefined || second === undefined) throw new Error('eleven were started')
  expectRefused(await query('whoami', {}, { apiKey: first.recoveryKey }), 401)
  expect((await found('whoami', {}, { apiKey: second.recoveryKey })).userId).toBe(userId)
})

test("recoveries by a parent do not remove the user's expiring keys, and a login does not remove a recovery", async () => {
  const email = 'kept@example.com'
  const { organizationId, userId, apiKey: rootKey } = await newSubOrganization(email)
  const apiKey = generateApiKey()
  const expiring = newApiKey({ publicKey: apiKey.publicKey, expirationSeconds: '86400' })
  await done('create_api_keys', { userId, apiKeys: [expiring] }, { organizationId, apiKey: rootKey })
  for (const _ of repeated(10, String)) await recoverLater({ email }, { organizationId })
  expect((await query('whoami', {}, { organizationId, apiKey })).status).toBe(200)

  const { recoveryKey } = await recoverLater({ email }, { organizationId })
  for (const _ of repeated(10, String)) {
    await done('stamp_login', { publicKey: generateApiKey().publicKey }, { organizationId, apiKey: rootKey })
  }
  expect((await query('whoami', {}, { organizationId, apiKey: recoveryKey })).status).toBe(200)
})

describe('the first type', () => {
  const type = 'ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY'

  test('may name an application', async () => {
    for (const [emailCustomization, subject] of [
      [undefined, 'Recover your account at Claviger'],
      [{ logoUrl: 'https://app.example.com/logo.png' }, 'Recover your account at Claviger'],
      [{ appName: 'Acme' }, 'Recover your account at Acme'],
    ] as const) {
      const { body } = await submit('init_user_email_recovery', request({ emailCustomization }), { type })
      expect(body.activity).toMatchObject({
        type,
        intent: { initUserEmailRecoveryIntent: { email: 'ada@example.com' } },
        result: { initUserEmailRecoveryResult: { userId } },
      })
      expect(await takeMails(server)).toMatchObject([{ subject }])
    }
  })
})
