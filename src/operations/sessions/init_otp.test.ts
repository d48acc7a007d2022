import { describe, expect, test } from 'vitest'
import { loginsOf, messagesOf, passcodeFor } from '../../../test/support/logins.ts'
import { expectRefused, startOrganization } from '../../../test/support/organization.ts'

const organization = await startOrganization()
const { server, submit, clock, anotherUser } = organization
const { startFlow } = await loginsOf(organization)

const lastTo = async (contact: string) => (await messagesOf(server)).findLast(({ to }) => to === contact)

describe('a mail', () => {
  test('has the passcode, the requested look and a link', async () => {
    const contact = 'ada@example.org'
    const result = await startFlow(contact, {
      appName: 'A <b> & Co',
      otpLength: 6,
      alphanumeric: false,
      emailCustomization: { logoUrl: 'https://example.org/l.png', magicLinkTemplate: 'https://example.org/in?c=%s' },
      sendFromEmailAddress: 'app@example.org',
      sendFromEmailSenderName: 'App',
      replyToEmailAddress: 'help@example.org',
    })
    expect(result).toStrictEqual({ contact, otpId: expect.any(String), otpEncryptionTargetBundle: expect.any(String) })
    const passcode = await passcodeFor(server, contact)
    expect(passcode).toMatch(/^\d{6}$/)
    expect(await lastTo(contact)).toMatchObject({
      channel: 'mail',
      subject: 'Your passcode for A <b> & Co',
      text: expect.stringContaining(`https://example.org/in?c=${passcode}`),
      html: expect.stringMatching(/A &#60;b&#62; &#38; Co.*<strong[^>]*>\d{6}<\/strong>/s),
      from: { address: 'app@example.org', name: 'App' },
      replyTo: 'help@example.org',
    })
    expect(JSON.stringify(result)).not.toContain(passcode)
  })

  test('has a default sender name if only an address is given', async () => {
    const contact = 'nameless@example.org'
    await startFlow(contact, { sendFromEmailAddress: 'app@example.org' })
    const from = { address: 'app@example.org', name: 'Notifications' }
    expect(await lastTo(contact)).toMatchObject({ channel: 'mail', from })
  })

  test('has no link that runs its own content, and one place for the passcode', async () => {
    for (const magicLinkTemplate of ['javascript:alert(%s)', 'data:text/html,%s', 'not a link %s', 'https://a/%s%s']) {
      const emailCustomization = { magicLinkTemplate }
      const parameters = { otpType: 'OTP_TYPE_EMAIL', contact: 'a@example.org', appName: 'Test', emailCustomization }
      expectRefused(await submit('init_otp', parameters), 400, 'parameters.emailCustomization.magicLinkTemplate')
    }
  })

  test('has nine characters of Crockford base 32 by default', async () => {
    await startFlow('grace@example.org')
    expect(await passcodeFor(server, 'grace@example.org')).toMatch(/^[0-9A-HJKMNP-TV-Z]{9}$/)
  })
})

test('a text message follows its template', async () => {
  const contact = '+14155550199'
  const smsCustomization = { template: 'Use {{.OtpCode}} now' }
  await startFlow(contact, { otpType: 'OTP_TYPE_SMS', smsCustomization })
  expect((await lastTo(contact))?.text).toMatch(/^Use [0-9A-Z]{9} now$/)
})

test('a contact gets three passcodes in three minutes, then must wait', async () => {
  const contact = 'often@example.org'
  for (let time = 0; time < 3; time += 1) await startFlow(contact)
  const parameters = { otpType: 'OTP_TYPE_EMAIL', contact: contact.toUpperCase(), appName: 'Test' }
  const { status, body } = await submit('init_otp', parameters)
  expect(status).toBe(400)
  expect(body).toMatchObject({
    code: 3,
    message: 'Max number of OTPs have been initiated please wait and try again',
    turnkeyErrorCode: 'MAX_OTP_INITIATED',
  })
  // Another user identifier gives the caller no further guesses.
  expectRefused(await submit('init_otp', { ...parameters, userIdentifier: 'another' }), 400, 'Max number of OTPs')
  clock.nowMs += 3 * 60 * 1_000
  await startFlow(contact)
})

test('a user gets three passcodes in three minutes, over all contacts', async () => {
  const start = (contact: string) =>
    submit('init_otp', { otpType: 'OTP_TYPE_EMAIL', contact, appName: 'Test', userIdentifier: 'one user' })
  for (const contact of ['a@example.org', 'b@example.org', 'c@example.org']) {
    expect((await start(contact)).status).toBe(200)
  }
  expectRefused(await start('d@example.org'), 400, 'Max number of OTPs')
})

test('a hundred simultaneous requests send three passcodes', async () => {
  const parameters = { otpType: 'OTP_TYPE_EMAIL', contact: 'race@example.org', appName: 'Test' }
  const answers = await Promise.all(Array.from({ length: 30 }, () => submit('init_otp', parameters)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
  expect((await messagesOf(server)).filter(({ to }) => to === parameters.contact)).toHaveLength(3)
})

test('the older types answer with the id alone', async () => {
  const given = { otpType: 'OTP_TYPE_EMAIL', contact: 'older@example.org' }
  const first = await submit(
    'init_otp',
    { ...given, emailCustomization: { appName: 'Old' } },
    { type: 'ACTIVITY_TYPE_INIT_OTP' },
  )
  const second = await submit('init_otp', { ...given, appName: 'Old' }, { type: 'ACTIVITY_TYPE_INIT_OTP_V2' })
  for (const { body } of [first, second]) {
    expect(body.activity.result).toStrictEqual({ initOtpResult: { otpId: expect.any(String) } })
  }
  expect(await lastTo(given.contact)).toMatchObject({ subject: 'Your passcode for Old' })
})

test('a refused request sends nothing', async () => {
  const count = (await messagesOf(server)).length
  const given = { otpType: 'OTP_TYPE_EMAIL', contact: 'x@example.org', appName: 'Test' }
  for (const [wrong, text] of [
    [{ otpType: 'OTP_TYPE_WHATSAPP' }, 'parameters.otpType'],
    [{ contact: '+14155550123' }, 'parameters.contact must be an e-mail address'],
    [{ contact: 'a@b.c\r\nBcc: d@e.f' }, 'parameters.contact'],
    [{ otpType: 'OTP_TYPE_SMS' }, 'parameters.contact must be a phone number'],
    [{ otpLength: 5 }, 'parameters.otpLength'],
    [{ otpLength: 10 }, 'parameters.otpLength'],
    [{ expirationSeconds: '601' }, 'parameters.expirationSeconds'],
    [{ expirationSeconds: '0' }, 'parameters.expirationSeconds'],
    [{ appName: 'two\nlines' }, 'parameters.appName'],
    [{ emailCustomization: { templateId: 'mine' } }, 'parameters.emailCustomization.templateId'],
    [{ emailCustomization: { logoUrl: 'javascript:alert(1)' } }, 'parameters.emailCustomization.logoUrl'],
    [{ emailCustomization: { magicLinkTemplate: 'https://example.org' } }, 'magicLinkTemplate'],
    [{ smsCustomization: { template: 'no code' } }, 'parameters.smsCustomization.template'],
  ] as const) {
    expectRefused(await submit('init_otp', { ...given, ...wrong }), 400, text)
  }
  const { apiKey } = await anotherUser()
  expectRefused(await submit('init_otp', given, { apiKey }), 403)
  expect(await messagesOf(server)).toHaveLength(count)
})
