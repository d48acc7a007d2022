import { expect, test } from 'vitest'
import { limitsDefault } from '../../src/contract/limits.ts'
import { proxyOf, proxyOrigin } from '../support/auth_proxy.ts'
import { startInProcess } from '../support/in_process.ts'
import { messagesOf } from '../support/logins.ts'
import {
  expectRefused,
  organizationOf,
  type Parameters,
  repeated,
  startOrganization,
  type TestOrganization,
} from '../support/organization.ts'

/** How many mails and text messages an organization with its sub-organizations sends in a day. */

const limits = { mailsADayMax: 5, subOrganizationMailsADayMax: 2 }
const dayMs = 24 * 60 * 60 * 1_000
let count = 0
const toAnother = () => ({ otpType: 'OTP_TYPE_EMAIL', contact: `stranger${++count}@example.org`, appName: 'Acme' })
type Organization = Pick<TestOrganization, 'done' | 'submit' | 'server'>

const mail = ({ done }: Organization) => done('init_otp', toAnother())
const refused = async ({ submit, server }: Organization, text: string) => {
  const given = toAnother()
  expectRefused(await submit('init_otp', given), 429, text)
  expect((await messagesOf(server)).some(({ to }) => to === given.contact)).toBe(false)
}

test('users of a sub-organization mail few strangers, and those of all together only as many as a family may', async () => {
  const parent = await startOrganization({ limits })
  const children = []
  for (let index = 0; index < 3; index += 1) {
    children.push(organizationOf(parent, await parent.subOrganization()))
  }
  const [first, second, third] = children as [TestOrganization, TestOrganization, TestOrganization]
  for (const child of [first, first]) await mail(child)
  await refused(first, 'CLAVIGER_LIMIT_SUB_ORGANIZATION_MAILS_A_DAY')
  for (const child of [second, second, third]) await mail(child)
  await refused(third, 'CLAVIGER_LIMIT_MAILS_A_DAY')

  // The organization itself still sends, also to users of its sub-organizations.
  const ofParent = { ...first, submit: parent.submit, done: parent.done }
  for (let index = 0; index < 4; index += 1) await mail(parent)
  await parent.done('init_otp', toAnother(), { organizationId: first.organizationId })
  await refused(ofParent, 'CLAVIGER_LIMIT_MAILS_A_DAY')
  const { userId, ...other } = await parent.server.createOrganization()
  await mail(organizationOf(parent, { ...other, rootUserId: userId }))

  parent.clock.nowMs += dayMs
  for (const one of [first, parent]) await mail(one)
})

test('users of many sub-organizations ask for codes at once, though one record counts them all', async () => {
  const parent = await startOrganization()
  const children = await Promise.all(repeated(20, async () => organizationOf(parent, await parent.subOrganization())))
  const answers = await Promise.all(children.map(({ submit }) => submit('init_otp', toAnother())))
  expect(answers.map(({ status }) => status)).toEqual(children.map(() => 200))
})

test('strangers at the auth proxy use up no mails of anybody else', async () => {
  const organization = await startOrganization({ limits })
  await organization.done('enable_auth_proxy', {
    ...{ operations: ['otp_init_v2'], allowedOrigins: [proxyOrigin], appName: 'Acme' },
  })
  const { ask, asked } = proxyOf(organization)
  const asking = () => ({ otpType: 'OTP_TYPE_EMAIL', contact: toAnother().contact })
  for (let index = 0; index < 5; index += 1) await asked('otp_init_v2', asking())
  expectRefused(await ask('otp_init_v2', asking()), 429, 'CLAVIGER_LIMIT_MAILS_A_DAY')
  await mail(organization)
})

test('a stranger at one address uses up only a tenth of the codes of the auth proxy', async () => {
  const organization = await startOrganization({ limits: { ...limits, mailsADayMax: 110 } })
  await organization.done('enable_auth_proxy', {
    ...{ operations: ['otp_init_v2'], allowedOrigins: [proxyOrigin], appName: 'Acme' },
  })
  const { ask } = proxyOf(organization)
  const from = (sourceAddress: string) =>
    ask('otp_init_v2', { otpType: 'OTP_TYPE_EMAIL', contact: toAnother().contact }, { sourceAddress })
  for (const address of ['198.51.100.1', '2001:db8:7::1']) {
    for (let index = 0; index < 11; index += 1) expect((await from(address)).status).toBe(200)
    expectRefused(await from(address), 429, 'for one address')
  }
  // One customer may have a /48 of IPv6.
  expectRefused(await from('2001:db8:7:ffff::2'), 429, 'for one address')
  expect((await from('198.51.100.2')).status).toBe(200)
})

test('text messages count, each mail of a request does, and a restart forgets none', async () => {
  const clock = { nowMs: Date.UTC(2026, 0, 1) }
  const options = {
    nowMs: () => clock.nowMs,
    limits: { ...limitsDefault, ...limits },
    ownIssuer: 'https://keys.example',
  }
  const before = await startInProcess(options)
  const { userId: rootUserId, ...made } = await before.createOrganization()
  const { done } = organizationOf({ server: before, clock }, { ...made, rootUserId })
  await done('init_otp', { otpType: 'OTP_TYPE_SMS', contact: '+14155550123', appName: 'Acme' })
  const invited = (name: string) => ({
    ...{ receiverUserName: name, receiverUserEmail: `${name}@example.org`, receiverUserTags: [] },
    ...{ accessType: 'ACCESS_TYPE_WEB', senderUserId: rootUserId },
  })
  await done('create_invitations', { invitations: ['a', 'b', 'c'].map(invited) })
  await before.close()

  const server = await startInProcess({ ...options, folder: before.folder })
  const after = organizationOf({ server, clock }, { ...made, rootUserId })
  expectRefused(
    await after.submit('create_invitations', { invitations: ['d', 'e'].map(invited) }),
    429,
    'CLAVIGER_LIMIT_MAILS_A_DAY',
  )
  await after.done('create_invitations', { invitations: [invited('f')] })
  await refused({ ...after, server }, 'CLAVIGER_LIMIT_MAILS_A_DAY')
  await server.close()
})

/** An organization whose root quorum is two users, which has sent as many codes to one address as it may for now. */
async function startQuorum(more: Partial<typeof limits> = {}) {
  const organization = await startOrganization({ limits: { ...limits, ...more } })
  const { anotherUser, done, found, rootUserId, submit } = organization
  const given = { ...toAnother(), contact: 'ada@example.org' }
  for (let index = 0; index < 3; index += 1) await done('init_otp', given)
  const { userId, apiKey } = await anotherUser()
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] })
  const waiting = async (name: string, parameters: Parameters) => {
    const { status, body } = await submit(name, parameters)
    expect(status, JSON.stringify(body)).toBe(200)
    const { id: activityId, fingerprint } = body.activity
    return {
      approve: () => submit('approve_activity', { fingerprint }, { apiKey }),
      now: async () => (await found('get_activity', { activityId })).activity,
    }
  }
  return { ...organization, given, waiting }
}

const needsConsensus = { status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED', votes: [expect.anything()] }

test('an activity goes on waiting while the budget is used up at its last approval', async () => {
  const { clock, waiting } = await startQuorum({ mailsADayMax: 3 })
  const freeMs = clock.nowMs + dayMs
  clock.nowMs += dayMs / 2
  const { approve, now } = await waiting('init_otp', toAnother())
  expectRefused(
    await approve(),
    ...([429, 'CLAVIGER_LIMIT_MAILS_A_DAY', `try again after ${new Date(freeMs).toISOString().slice(0, 13)}`] as const),
  )
  expect(await now()).toMatchObject(needsConsensus)
  clock.nowMs = freeMs + 1_000
  expect((await approve()).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('and so it does while its address has had as many codes or invitations as it may for now', async () => {
  const { clock, given, rootUserId, waiting } = await startQuorum({ mailsADayMax: 100 })
  const invitation = {
    ...{ receiverUserName: 'Ada', receiverUserEmail: 'ada@example.org', receiverUserTags: [] },
    ...{ accessType: 'ACCESS_TYPE_WEB', senderUserId: rootUserId },
  }
  for (let index = 0; index < 3; index += 1) {
    const { approve } = await waiting('create_invitations', { invitations: [{ ...invitation }] })
    expect((await approve()).status).toBe(200)
  }
  const code = await waiting('init_otp', given)
  const invited = await waiting('create_invitations', { invitations: [invitation] })
  expectRefused(await code.approve(), 400, 'please wait and try again')
  expectRefused(await invited.approve(), 429, 'within 3 minutes')
  for (const { now } of [code, invited]) expect(await now()).toMatchObject(needsConsensus)
  clock.nowMs += 180_000
  for (const { approve } of [code, invited]) {
    expect((await approve()).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  }
})

test('one that sends more than the whole budget fails: no time brings room for it', async () => {
  const { rootUserId, waiting } = await startQuorum({ mailsADayMax: 3 })
  const invitations = ['a', 'b', 'c', 'd'].map((name) => ({
    ...{ receiverUserName: name, receiverUserEmail: `${name}@example.org`, receiverUserTags: [] },
    ...{ accessType: 'ACCESS_TYPE_WEB', senderUserId: rootUserId },
  }))
  const { approve } = await waiting('create_invitations', { invitations })
  expect((await approve()).body.activity).toMatchObject({
    ...{
      status: 'ACTIVITY_STATUS_FAILED',
      failure: { message: expect.stringContaining('CLAVIGER_LIMIT_MAILS_A_DAY') },
    },
  })
})
