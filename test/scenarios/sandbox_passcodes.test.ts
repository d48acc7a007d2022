import { describe, expect, test } from 'vitest'
import { loginsOf } from '../support/logins.ts'
import { expectRefused, newUser, startOrganization } from '../support/organization.ts'
import { generateApiKey } from '../support/stamping.ts'

/** The known passcode of the sandbox, with which clients test logins without reading mail. */
const sixDigits = { otpLength: 6, alphanumeric: false }
const email = { contact: 'user@example.com', otpType: 'OTP_TYPE_EMAIL' }
const sms = { contact: '+19999999999', otpType: 'OTP_TYPE_SMS' }

async function started(options: { readonly sandboxPasscodes?: boolean }) {
  const organization = await startOrganization(options)
  const { startFlow, encrypted } = await loginsOf(organization)
  const { done, submit } = organization
  await done('create_users', {
    users: [newUser({ userEmail: email.contact, userPhoneNumber: sms.contact })],
  })

  async function verify({ contact, ...given }: { readonly contact: string; readonly [name: string]: unknown }) {
    const flow = await startFlow(contact, given)
    const encryptedOtpBundle = await encrypted(flow, '000000', generateApiKey())
    return submit('verify_otp', { otpId: flow.otpId, encryptedOtpBundle })
  }
  return { verify }
}

describe('with sandbox passcodes', async () => {
  const { verify } = await started({ sandboxPasscodes: true })

  test.each([email, sms])('six digits for $contact are 000000', async (contact) => {
    expect((await verify({ ...contact, ...sixDigits })).status).toBe(200)
  })

  test.each([
    ['another contact', { ...email, ...sixDigits, contact: 'other@example.com' }],
    ['letters', { ...email, ...sixDigits, alphanumeric: true }],
    ['seven digits', { ...email, ...sixDigits, otpLength: 7 }],
  ])('the passcode is random for %s', async (_, given) => {
    expectRefused(await verify(given), 400, 'Invalid OTP code')
  })
})

test('without the setting the passcode of the sandbox opens nothing', async () => {
  const { verify } = await started({})
  expectRefused(await verify({ ...email, ...sixDigits }), 400, 'Invalid OTP code')
  expectRefused(await verify({ ...sms, ...sixDigits }), 400, 'Invalid OTP code')
})
