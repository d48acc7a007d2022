import { sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { loginsOf } from '../support/logins.ts'
import { organizationOf, startOrganization, type TestOrganization } from '../support/organization.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** A token in an attested stamp serves one activity or vote of the organization that issued it, and shows no other. */

type Attesting = { readonly token: string; readonly key: ApiKeyPair }

async function attested({ server }: TestOrganization, name: string, message: string, { token, key }: Attesting) {
  const body = Buffer.from(message)
  const value = JSON.stringify({
    ...{ publicKeyAttestation: token, scheme: 'STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN' },
    ...{ publicKey: key.publicKey, signature: sign('sha256', body, key.privateKey).toString('hex') },
  })
  const stamps = [{ header: 'x-stamp-attested', value }] as const
  const answer = await server.submit({ path: `/public/v1/submit/${name}`, body, stamps, dialect: 'spec' })
  return { status: answer.status, body: JSON.parse(Buffer.from(answer.body).toString()) }
}

const userEmail = 'root@example.org'

async function withAddress() {
  const organization = await startOrganization()
  await organization.done('update_user_email', { userId: organization.rootUserId, userEmail })
  const passcode = { otpType: 'OTP_TYPE_EMAIL', contact: 'customer@example.org', appName: 'Acme' }
  const ask = async (): Promise<string> =>
    (await organization.submit('init_otp', passcode)).body.activity.votes[0].message
  const login = () => {
    organization.clock.nowMs += 1
    const { publicKey } = generateApiKey()
    return JSON.stringify({
      ...{ type: 'ACTIVITY_TYPE_STAMP_LOGIN', timestampMs: String(organization.clock.nowMs) },
      ...{ organizationId: organization.organizationId, parameters: { publicKey } },
    })
  }
  return { ...organization, ask, login }
}

test('a token of another organization is refused before anything is decided or shown by it', async () => {
  const organization = await withAddress()
  const { server, clock, ask, login } = organization
  const message = await ask()
  const made = await server.createOrganization()
  const member = { organizationId: made.organizationId, rootUserId: made.userId, apiKey: made.apiKey }
  const key = generateApiKey()
  const token = await (await loginsOf(organizationOf({ server, clock }, member))).tokenFor(userEmail, key)
  const denied = JSON.stringify({
    ...{ type: 'ACTIVITY_TYPE_CREATE_WALLET', timestampMs: String(clock.nowMs + 1) },
    ...{ organizationId: organization.organizationId, parameters: { walletName: 'w', accounts: [] } },
  })
  for (const [name, bytes] of [
    ['init_otp', message],
    ['create_wallet', denied],
    ['stamp_login', login()],
  ] as const) {
    const refused = await attested(organization, name, bytes, { token, key })
    expect(refused, name).toMatchObject({
      status: 401,
      body: { message: expect.stringContaining('another organization') },
    })
  }
})

test('a token that was used shows its own activity again, and no other bytes of its user', async () => {
  const organization = await withAddress()
  const key = generateApiKey()
  const token = await (await loginsOf(organization)).tokenFor(userEmail, key)
  const bytes = organization.login()
  for (const _ of ['once', 'again, because the answer was lost']) {
    expect(await attested(organization, 'stamp_login', bytes, { token, key })).toMatchObject({ status: 200 })
  }
  const refused = await attested(organization, 'init_otp', await organization.ask(), { token, key })
  expect(refused).toMatchObject({ status: 403 })
  expect(JSON.stringify(refused.body)).not.toContain('otpId')
})

test('a submitter by a token, whose approval does not count, cannot keep those of others and let the request go later', async () => {
  const organization = await withAddress()
  const { anotherUser, clock, done, organizationId, rootUserId, submit } = organization
  const second = await anotherUser('second')
  const key = generateApiKey()
  const token = await (await loginsOf(organization)).tokenFor(userEmail, key)
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
  clock.nowMs += 1
  const renaming = JSON.stringify({
    ...{ type: 'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME', timestampMs: String(clock.nowMs), organizationId },
    parameters: { organizationName: 'Renamed' },
  })
  const asked = await attested(organization, 'update_organization_name', renaming, { token, key })
  expect(asked).toMatchObject({ status: 200, body: { activity: { status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' } } })
  const { fingerprint } = asked.body.activity
  const statusAfter = async (ask = {}) => (await submit('approve_activity', { fingerprint }, ask)).body.activity.status
  expect(await statusAfter(second)).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  expect(await statusAfter()).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  expect(await statusAfter(second)).toBe('ACTIVITY_STATUS_COMPLETED')
})
