import { expect, test } from 'vitest'
import { claimsOf, loginsOf, passcodeFor } from '../../../test/support/logins.ts'
import { absentId, expectRefused, startOrganization } from '../../../test/support/organization.ts'
import { generateApiKey } from '../../../test/support/stamping.ts'

const organization = await startOrganization()
const { server, submit, done, clock, organizationId } = organization
const { startFlow, encrypted } = await loginsOf(organization)

const clientKey = generateApiKey()
let count = 0
const newFlow = () => startFlow(`contact${++count}@example.org`)

test('the right passcode gives a token with the verified contact', async () => {
  const flow = await newFlow()
  const sentAtMs = clock.nowMs
  clock.nowMs += 60_000
  const encryptedOtpBundle = await encrypted(flow, await passcodeFor(server, flow.contact), clientKey)
  const { verificationToken } = await done('verify_otp', { otpId: flow.otpId, encryptedOtpBundle })
  expect(claimsOf(verificationToken)).toStrictEqual({
    exp: Math.floor(clock.nowMs / 1_000) + 3_600,
    id: expect.any(String),
    organization_id: organizationId,
    verification_type: 'OTP_TYPE_EMAIL',
    contact: flow.contact,
    public_key: clientKey.publicKey,
    code_sent_at: sentAtMs,
  })
  // A passcode works only once.
  expectRefused(await submit('verify_otp', { otpId: flow.otpId, encryptedOtpBundle }), 400, 'Invalid OTP code')
})

test('a passcode from before codes by mail were switched off is refused, also when they are on again', async () => {
  const flow = await newFlow()
  const encryptedOtpBundle = await encrypted(flow, await passcodeFor(server, flow.contact), clientKey)
  await done('remove_organization_feature', { name: 'FEATURE_NAME_OTP_EMAIL_AUTH' })
  const verify = () => submit('verify_otp', { otpId: flow.otpId, encryptedOtpBundle })
  expectRefused(await verify(), 403, 'FEATURE_NAME_OTP_EMAIL_AUTH is switched off in this organization')
  clock.nowMs += 1
  await done('set_organization_feature', { name: 'FEATURE_NAME_OTP_EMAIL_AUTH', value: '' })
  expectRefused(await verify(), 403, 'FEATURE_NAME_OTP_EMAIL_AUTH was switched off after this was given out')
  const other = await newFlow()
  const right = await encrypted(other, await passcodeFor(server, other.contact), clientKey)
  await done('verify_otp', { otpId: other.otpId, encryptedOtpBundle: right })
})

test('case, and letters that look like digits, make no difference', async () => {
  const flow = await newFlow()
  const typed = (await passcodeFor(server, flow.contact)).toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l')
  const encryptedOtpBundle = await encrypted(flow, typed, clientKey)
  await done('verify_otp', { otpId: flow.otpId, encryptedOtpBundle })
})

test('after three wrong passcodes the right one is refused too', async () => {
  const flow = await newFlow()
  const passcode = await passcodeFor(server, flow.contact)
  const wrong = await encrypted(flow, 'WRONGCODE', clientKey)
  for (let time = 0; time < 3; time += 1) {
    expectRefused(await submit('verify_otp', { otpId: flow.otpId, encryptedOtpBundle: wrong }), 400, 'Invalid OTP code')
  }
  const right = await encrypted(flow, passcode, clientKey)
  expectRefused(await submit('verify_otp', { otpId: flow.otpId, encryptedOtpBundle: right }), 400, 'Invalid OTP code')
})

test('a hundred simultaneous wrong passcodes count as three, and the right one among them is refused', async () => {
  const flow = await newFlow()
  const passcode = await passcodeFor(server, flow.contact)
  const wrong = await encrypted(flow, 'WRONGCODE', clientKey)
  const attempts = Array.from({ length: 100 }, () =>
    submit('verify_otp', { otpId: flow.otpId, encryptedOtpBundle: wrong }),
  )
  const statuses = (await Promise.all(attempts)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([400]))
  const { version } = (
    await server.store.find([{ read: 'record', organizationId, kind: 'passcode_flow', recordId: flow.otpId }])
  ).map((found) => (found.read === 'record' ? found.row : undefined))[0] ?? { version: 0 }
  expect(version).toBe(4)
  const right = await encrypted(flow, passcode, clientKey)
  expectRefused(await submit('verify_otp', { otpId: flow.otpId, encryptedOtpBundle: right }), 400, 'Invalid OTP code')
})

test('one of two simultaneous right passcodes gets a token', async () => {
  const flow = await newFlow()
  const encryptedOtpBundle = await encrypted(flow, await passcodeFor(server, flow.contact), clientKey)
  const answers = await Promise.all([1, 2].map(() => submit('verify_otp', { otpId: flow.otpId, encryptedOtpBundle })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
})

test('a passcode expires', async () => {
  const flow = await newFlow()
  const encryptedOtpBundle = await encrypted(flow, await passcodeFor(server, flow.contact), clientKey)
  clock.nowMs += 300_000
  expectRefused(await submit('verify_otp', { otpId: flow.otpId, encryptedOtpBundle }), 400, 'Invalid OTP code')
})

test('the first type sends the passcode as it is, with or without a key', async () => {
  for (const publicKey of [undefined, clientKey.publicKey]) {
    const flow = await newFlow()
    const otpCode = await passcodeFor(server, flow.contact)
    const parameters = { otpId: flow.otpId, otpCode, ...(publicKey === undefined ? {} : { publicKey }) }
    const { body } = await submit('verify_otp', parameters, { type: 'ACTIVITY_TYPE_VERIFY_OTP' })
    expect(claimsOf(body.activity.result.verifyOtpResult.verificationToken).public_key).toBe(publicKey)
  }
})

test('a malformed attempt is refused and not counted', async () => {
  const flow = await newFlow()
  const other = await newFlow()
  const passcode = await passcodeFor(server, flow.contact)
  const right = await encrypted(flow, passcode, clientKey)
  const misdirected = await encrypted(other, passcode, clientKey)
  for (const [parameters, status, text] of [
    [{ otpId: absentId, encryptedOtpBundle: right }, 404, 'parameters.otpId'],
    [{ otpId: 'any text', encryptedOtpBundle: right }, 404, 'parameters.otpId'],
    [{ otpId: flow.otpId, encryptedOtpBundle: misdirected }, 400, 'parameters.encryptedOtpBundle'],
    [{ otpId: flow.otpId, encryptedOtpBundle: '{}' }, 400, 'parameters.encryptedOtpBundle'],
    [{ otpId: flow.otpId, encryptedOtpBundle: right, expirationSeconds: '86401' }, 400, 'parameters.expirationSeconds'],
    [{ otpId: '', encryptedOtpBundle: right }, 400, 'parameters.otpId'],
  ] as const) {
    for (let time = 0; time < 2; time += 1) expectRefused(await submit('verify_otp', parameters), status, text)
  }
  await done('verify_otp', { otpId: flow.otpId, encryptedOtpBundle: right })
})
