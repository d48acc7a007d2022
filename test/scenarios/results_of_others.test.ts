import { describe, expect, test } from 'vitest'
import { bearerParameters } from '../../src/contract/fields/bearer_token.ts'
import { operations } from '../../src/operations/catalogue.ts'
import { unverifiedClaims } from '../../src/protocol/tokens/jwt.ts'
import { loginsOf, passcodeFor } from '../support/logins.ts'
import { type Ask, newApiKey, newMfaPolicy, startOrganization, uuid } from '../support/organization.ts'
import { startOrganizationWithIssuer } from '../support/organization_with_issuer.ts'
import { generateApiKey } from '../support/stamping.ts'
import { prepareRequests } from '../support/valid_requests.ts'

/** Anybody who has a token from a result can use it, so only the submitter sees it. */

const organization = await startOrganization()
const { server, clock, rootUserId, rootKey, organizationId, submit, done, found, anotherUser } = organization

let count = 0
/** The parameters of a verify_otp that will succeed. */
async function passcodeTyped(ask: Ask = {}) {
  const logins = await loginsOf({ server, done: (name, given) => done(name, given, ask) })
  const flow = await logins.startFlow(`user${++count}@example.net`)
  const passcode = await passcodeFor(server, flow.contact)
  return { otpId: flow.otpId, encryptedOtpBundle: await logins.encrypted(flow, passcode, generateApiKey()) }
}

const tokenIn = ({ result }: { readonly result: { readonly verifyOtpResult?: { verificationToken: string } } }) =>
  result.verifyOtpResult?.verificationToken

/** The token that both ways of reading activities show. */
async function shownTo(activityId: string, ask: Ask): Promise<string | undefined> {
  const { activity } = await found('get_activity', { activityId }, ask)
  const { activities } = await found('list_activities', { paginationOptions: { limit: '1' } }, ask)
  expect(activities).toEqual([activity])
  return tokenIn(activity)
}

const jwt = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/)

test('a verification token is shown to who asked for it, and to no other user of the organization', async () => {
  const { apiKey } = await anotherUser()
  const { activity } = (await submit('verify_otp', await passcodeTyped())).body
  expect(tokenIn(activity)).toEqual(jwt)
  expect(await shownTo(activity.id, {})).toBe(tokenIn(activity))
  for (const dialect of ['spec', 'hosted'] as const) expect(await shownTo(activity.id, { apiKey, dialect })).toBe('')
})

test('nobody else sees the stamp of such a request: who sent its bytes with it again would be its submitter', async () => {
  const { apiKey } = await anotherUser()
  const { activity } = (await submit('verify_otp', { ...(await passcodeTyped()), generateAppProofs: true })).body
  const [own] = activity.votes
  expect(own.signature).toMatch(/^[0-9a-f]+$/)
  const { activity: shown } = await found('get_activity', { activityId: activity.id }, { apiKey })
  expect(shown.votes).toEqual([{ ...own, message: '', signature: '' }])
  expect(JSON.stringify(shown)).not.toContain(own.signature)
  const { appProofs } = await found('list_app_proofs', { activityId: activity.id }, { apiKey })
  expect(appProofs).toEqual([])
})

test('nobody else sees the stamp of a step that the submitter took later: it shows the token too', async () => {
  const [{ userId, apiKey }, reader] = [await anotherUser(), await anotherUser()]
  const policy = { effect: 'EFFECT_ALLOW', condition: "activity.kind == 'VERIFY_OTP'", notes: '' }
  const consensus = `approvers.any(user, user.id == '${userId}')`
  await done('create_policy', { policyName: `verify ${userId}`, ...policy, consensus })
  const second = generateApiKey()
  await done('create_api_keys', { userId, apiKeys: [newApiKey({ publicKey: second.publicKey })] })
  const steps = [1, 2].map(() => ({ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] }))
  const mfa = newMfaPolicy({ condition: policy.condition, requiredAuthenticationMethods: steps })
  await done('create_mfa_policy', { userId, ...mfa })
  const { fingerprint } = (await submit('verify_otp', await passcodeTyped(), { apiKey })).body.activity
  const { activity } = (await submit('approve_activity', { fingerprint }, { apiKey: second })).body
  expect(tokenIn(activity)).toEqual(jwt)
  const { activity: shown } = await found('get_activity', { activityId: activity.id }, reader)
  expect(shown.votes.map(({ signature }: { signature: string }) => signature)).toEqual(['', ''])
})

test('nobody else sees the id of a passcode, by which they could use up the attempts at it', async () => {
  const { apiKey } = await anotherUser()
  const types = ['ACTIVITY_TYPE_INIT_OTP', 'ACTIVITY_TYPE_INIT_OTP_V2', 'ACTIVITY_TYPE_INIT_OTP_V3'] as const
  for (const type of types) {
    const given = { otpType: 'OTP_TYPE_EMAIL', contact: `user${++count}@example.net` }
    const named = type === 'ACTIVITY_TYPE_INIT_OTP' ? given : { ...given, appName: 'Acme' }
    const { activity } = (await submit('init_otp', named, { type })).body
    const [resultKey = ''] = Object.keys(activity.result)
    const { otpId } = activity.result[resultKey]
    expect(otpId).toEqual(uuid)
    const shown = await found('get_activity', { activityId: activity.id }, { apiKey })
    expect(shown.activity.result[resultKey].otpId).toBe('')
    const own = await found('get_activity', { activityId: activity.id })
    expect(own.activity.result).toEqual(activity.result)
  }
})

test('a session with a profile sees the tokens that it asked for itself, and not those for which its user asked', async () => {
  const scope = "activity.action == 'READ' || activity.kind == 'VERIFY_OTP'"
  const { sessionProfileId } = await done('create_session_profile', { sessionProfileName: 'reader', scope })
  const [session, another] = [generateApiKey(), generateApiKey()]
  for (const { publicKey } of [session, another]) await done('stamp_login', { publicKey, sessionProfileId })

  clock.nowMs += 1
  const type = 'ACTIVITY_TYPE_VERIFY_OTP_V2'
  const body = { type, timestampMs: String(clock.nowMs), organizationId, parameters: await passcodeTyped() }
  const send = async (apiKey: typeof rootKey) =>
    (await server.post('/public/v1/submit/verify_otp', body, apiKey)).body.activity
  const ofUser = await send(rootKey)
  expect(tokenIn(ofUser)).toEqual(jwt)
  expect(await shownTo(ofUser.id, { apiKey: session })).toBe('')
  const { activity: shown } = await found('get_activity', { activityId: ofUser.id }, { apiKey: session })
  expect(shown.votes).toMatchObject([{ message: '', signature: '' }])
  expect(await send(session)).toEqual(shown)

  const { activity } = (await submit('verify_otp', await passcodeTyped(), { apiKey: session })).body
  expect(await shownTo(activity.id, { apiKey: session })).toEqual(jwt)
  expect(await shownTo(activity.id, { apiKey: another })).toBe('')
  expect(await shownTo(activity.id, {})).toEqual(jwt)
})

test('a parent and its sub-organization each see only the tokens of their own requests', async () => {
  const sub = await organization.subOrganization()
  const asParent = { organizationId: sub.organizationId }
  for (const [submitter, other] of [
    [asParent, sub],
    [sub, asParent],
  ] as const) {
    const { activity } = (await submit('verify_otp', await passcodeTyped(submitter), submitter)).body
    expect(await shownTo(activity.id, submitter)).toEqual(jwt)
    expect(await shownTo(activity.id, other)).toBe('')
  }
})

describe('where votes are needed', async () => {
  const second = await anotherUser('second')
  const third = await anotherUser('third')

  test('the last voter sees no token, also by sending the same bytes; the submitter does', async () => {
    const parameters = await passcodeTyped()
    await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId, third.userId] })
    clock.nowMs += 1
    const body = { type: 'ACTIVITY_TYPE_VERIFY_OTP_V2', timestampMs: String(clock.nowMs), organizationId, parameters }
    const send = async (apiKey: typeof rootKey) => {
      const answer = await server.post('/public/v1/submit/verify_otp', body, apiKey)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      return answer.body.activity
    }
    expect((await send(rootKey)).result).toEqual({})
    const approved = await send(second.apiKey)
    expect([approved.status, tokenIn(approved)]).toEqual(['ACTIVITY_STATUS_COMPLETED', ''])
    expect(tokenIn(await send(third.apiKey))).toBe('')
    expect(tokenIn(await send(second.apiKey))).toBe('')
    expect(tokenIn(await send(rootKey))).toEqual(jwt)
  })
})

test('no other user is shown a token in the request or the result of any operation', { timeout: 120_000 }, async () => {
  const whole = await startOrganizationWithIssuer()
  const requests = await prepareRequests(whole)
  const { apiKey } = await whole.anotherUser()
  const activities = operations.flatMap(({ kind, name }) => (kind === 'activity' ? [name] : []))
  const [withToken, takingToken]: [string[], string[]] = [[], []]
  for (const name of requests.names.filter((one) => activities.includes(one))) {
    const given = requests.parametersOf(name)
    const { status, body } = await whole.submit(name, given, { apiKey: requests.signerOf(name) })
    expect(status, `${name}: ${JSON.stringify(body)}`).toBe(200)
    const { id: activityId, organizationId, result } = body.activity
    if (tokensIn(result).length > 0) withToken.push(name)
    if (tokensIn(given).length > 0) takingToken.push(name)
    if (organizationId !== whole.organizationId) continue
    const { activity } = await whole.found('get_activity', { activityId }, { apiKey })
    expect(tokensIn(activity), name).toEqual([])
    const { appProofs } = await whole.found('list_app_proofs', { activityId }, { apiKey })
    expect(tokensIn(appProofs), name).toEqual([])
    for (const text of bearersIn(given)) expect(JSON.stringify([activity, appProofs]), name).not.toContain(text)
  }
  const logins = ['oauth_login', 'otp_login', 'stamp_login']
  expect(new Set(withToken)).toEqual(new Set([...logins, 'oauth2_authenticate', 'verify_otp']))
  expect(takingToken).toEqual(expect.arrayContaining(['oauth_login', 'otp_login', 'update_user_email']))
})

/** A request with a token that waits for the vote of a second user. */
async function waitingWithToken() {
  const voting = await startOrganization()
  const second = await voting.anotherUser('second')
  const userEmail = 'user@example.net'
  const verificationToken = await (await loginsOf(voting)).tokenFor(userEmail, generateApiKey())
  await voting.done('update_root_quorum', { threshold: 2, userIds: [voting.rootUserId, second.userId] })
  const given = { userId: second.userId, userEmail, verificationToken }
  const { activity } = (await voting.submit('update_user_email', given)).body
  return { ...voting, second, given, activity }
}

test('the tokens of a request that waits are hidden from those who vote on it, and they vote all the same', async () => {
  const { activity, given, second, ...voting } = await waitingWithToken()
  const { userEmail, verificationToken } = given
  expect(activity).toMatchObject({
    status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED',
    votes: [{ message: expect.anything() }],
  })
  expect(activity.intent).toEqual({ updateUserEmailIntent: given })
  expect(activity.votes[0].message).toContain(verificationToken)
  const shown = (await voting.found('get_activity', { activityId: activity.id }, second)).activity
  expect(shown.intent).toEqual({ updateUserEmailIntent: { ...given, verificationToken: '' } })
  expect(shown.votes).toMatchObject([{ message: '', signature: '' }])
  const { fingerprint } = shown
  const voted = (await voting.submit('approve_activity', { fingerprint }, second)).body.activity
  expect([voted.status, tokensIn(voted)]).toEqual(['ACTIVITY_STATUS_COMPLETED', []])
  const { users } = await voting.found('list_users')
  expect(users.find(({ userId }: { userId: string }) => userId === second.userId).userEmail).toBe(userEmail)
})

test('nobody else sees a stamp by which the submitter votes on a request with a token: sent again, it shows the token', async () => {
  const { activity, second, ...voting } = await waitingWithToken()
  const { id: activityId, fingerprint } = activity
  const taken = (await voting.submit('reject_activity', { fingerprint })).body.activity
  expect(taken.votes[1].signature).toMatch(/^[0-9a-f]+$/)
  const shown = (await voting.found('get_activity', { activityId }, second)).activity
  expect(shown.votes.map(({ signature }: { signature: string }) => signature)).toEqual(['', ''])
  expect(JSON.stringify(shown)).not.toContain(taken.votes[1].signature)
})

test('a passcode in a request is hidden from others, also after the request was rejected', async () => {
  const voting = await startOrganization()
  const second = await voting.anotherUser('second')
  const flow = await (await loginsOf(voting)).startFlow('user@example.net')
  await voting.done('update_root_quorum', { threshold: 2, userIds: [voting.rootUserId, second.userId] })
  const otpCode = await passcodeFor(voting.server, flow.contact)
  const type = 'ACTIVITY_TYPE_VERIFY_OTP'
  const { activity } = (await voting.submit('verify_otp', { otpId: flow.otpId, otpCode }, { type })).body
  expect(activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED')
  const { fingerprint, id: activityId } = activity
  expect((await voting.submit('reject_activity', { fingerprint }, second)).status).toBe(200)
  const shown = await voting.found('get_activity', { activityId }, second)
  const explained = await voting.found('explain_activity', { activityId }, second)
  expect(JSON.stringify(activity)).toContain(otpCode)
  expect(JSON.stringify([shown, explained])).not.toContain(otpCode)
  // With the rest of the body, the fingerprint would tell the digits of the code.
  expect(JSON.stringify([shown, explained])).not.toContain(flow.otpId)
})

/** The values of members that are good for whoever has them, wherever they stand. */
function bearersIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    return bearerParameters.has(name) && typeof member === 'string' ? [member] : bearersIn(member)
  })
}

/** The tokens in it, wherever they stand, also in the text of a signed request. */
function tokensIn(value: unknown): readonly string[] {
  const like = (JSON.stringify(value) ?? '').match(/[\w-]+\.[\w-]+\.[\w-]+/g) ?? []
  return like.filter((text) => unverifiedClaims(text) !== undefined)
}
