import { activityRequest, type Client, clientOf } from './client.ts'
import type { Server } from './in_process.ts'
import { passcodeFor } from './logins.ts'
import { generateApiKey } from './stamping.ts'
import { start } from './start.ts'
import { makeChild, resultOf } from './two_organizations.ts'

export const passcodeStart = {
  otpType: 'OTP_TYPE_EMAIL',
  contact: 'ada@example.org',
  appName: 'Test',
  otpLength: 6,
  alphanumeric: false,
} as const

/** Starts a server with an organization whose root user has asked for a passcode. */
export async function startWithPasscode() {
  const server = await start()
  const { organizationId, apiKey } = await server.createOrganization()
  return { server, apiKey, ...(await sendPasscode(server, clientOf(server, { organizationId, apiKey }))) }
}

/** The same in a sub-organization, because only a sub-organization has a parent to look up. */
export async function startWithPasscodeInChild() {
  const server = await start()
  const { organizationId: parentId, apiKey } = await server.createOrganization()
  const childKey = generateApiKey()
  const child = await makeChild(clientOf(server, { organizationId: parentId, apiKey }), 'child', childKey)
  const { organizationId, userId } = child
  const sent = await sendPasscode(server, clientOf(server, { organizationId, apiKey: childKey }))
  return { server, parentId, parentKey: apiKey, userId, apiKey: childKey, ...sent }
}

async function sendPasscode(server: Server, client: Client) {
  const { organizationId } = client
  const { activity } = await resultOf(client.activity('init_otp', passcodeStart))
  const otpId: string = activity.result.initOtpResultV2.otpId
  const passcode = await passcodeFor(server, passcodeStart.contact)
  return {
    organizationId,
    passcode,
    guess: (code: string, given = {}) => guessAt({ organizationId, otpId }, code, given),
  }
}

/** A `verify_otp` of the older type, which takes the passcode in clear text. */
function guessAt(
  { organizationId, otpId }: { readonly organizationId: string; readonly otpId: string },
  otpCode: string,
  given: Readonly<Record<string, unknown>>,
) {
  const parameters = { otpId, otpCode, ...given }
  const type = 'ACTIVITY_TYPE_VERIFY_OTP'
  return activityRequest('verify_otp', { organizationId, parameters, type, timestampMs: Date.now() })
}

/** Wrong passcodes of the right length. */
export function wrongPasscodes(passcode: string, count: number): readonly string[] {
  const { length } = passcode
  return Array.from({ length: count }, (_, index) =>
    String((Number(passcode) + 1 + index) % 10 ** length).padStart(length, '0'),
  )
}
