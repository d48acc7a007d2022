import { p256 } from '@noble/curves/nist.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { hexToBytes } from '@noble/hashes/utils.js'
import { beforeAll, expect, test } from 'vitest'
import { clientOf } from '../../../../test/support/client.ts'
import {
  newApiKey,
  newAuthenticator,
  startOrganization,
  type TestOrganization,
} from '../../../../test/support/organization.ts'
import { newPasskey } from '../../../../test/support/passkeys.ts'
import { historyOf, type Told, verifiedHistory } from '../../../../test/support/recorded_history.ts'
import { generateApiKey } from '../../../../test/support/stamping.ts'

/** Alterations of a real history, which only a holder of the master seed can bind. */

const passkey = newPasskey('ES256')
const revoked = generateApiKey()
let organization: TestOrganization
let second: { readonly userId: string; readonly apiKey: typeof revoked }
let known: Promise<readonly Told[]> | undefined

beforeAll(async () => {
  organization = await startOrganization()
  const { done, submit, rootUserId, anotherUser } = organization
  second = await anotherUser('second')
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, second.userId] })
  await done('create_authenticators', { userId: rootUserId, authenticators: [newAuthenticator({ passkey })] })
  const apiKeys = [newApiKey({ publicKey: revoked.publicKey })]
  const { apiKeyIds } = await done('create_api_keys', { userId: rootUserId, apiKeys })
  const byPasskey = await submit('create_user_tag', { userTagName: 'tag', userIds: [] }, { passkey })
  await submit('approve_activity', { fingerprint: byPasskey.body.activity.fingerprint }, second)
  await done('delete_api_keys', { userId: rootUserId, apiKeyIds })
  const waiting = await submit('create_user_tag', { userTagName: 'third', userIds: [] })
  await submit('approve_activity', { fingerprint: waiting.body.activity.fingerprint }, second)
  await submit('create_user_tag', { userTagName: 'other', userIds: [] })
})

/** The organization, a user, the quorum, a passkey, a key, a tag and its approval, no key, the same again, and one that waits. */
const entriesCount = 11
const history = () =>
  (known ??= historyOf(
    organization.server,
    clientOf(organization.server, { organizationId: organization.organizationId, apiKey: organization.rootKey }),
    entriesCount,
  ))

async function altered(place: number, change: (told: Told) => Told) {
  const { chain, stamps } = await verifiedHistory(
    (await history()).map((told, at) => (at === place ? change(told) : told)),
  )
  expect(chain.findings).toEqual([])
  return stamps.findings
}
const withVote = (told: Told, given: object): Told =>
  ({ ...told, document: told.document && { ...told.document, vote: { ...told.document.vote, ...given } } }) as Told
const withContent = (told: Told, given: object): Told =>
  ({ ...told, content: told.content && { ...told.content, ...given } }) as Told
const named = (index: number, what: string | RegExp) => [
  { origin: expect.any(String), index, what: expect.stringMatching(what) },
]

test('every vote of an honest history is stamped by a key that its user had, and another library agrees', async () => {
  const told = await history()
  const { chain, stamps } = await verifiedHistory(told)
  expect([chain.findings, chain.unconfirmed.count]).toEqual([[], 0])
  expect(stamps).toEqual({ checked: entriesCount - 1, notChecked: {}, findings: [], findingsCount: 0 })
  for (const { document, content } of told) {
    if (document?.vote?.scheme !== 'SIGNATURE_SCHEME_TK_API_P256' || content === undefined) continue
    const { message, signature } = content
    const given = [hexToBytes(signature), sha256(Buffer.from(message)), hexToBytes(document.vote.publicKey)] as const
    expect(p256.verify(...given, { format: 'der', prehash: false, lowS: false })).toBe(true)
  }
})

test('a vote by a key that was revoked before is found', async () => {
  const told = await history()
  const last = entriesCount - 1
  const message = told[last]?.content?.message ?? ''
  const signature = Buffer.from(
    p256.sign(sha256(Buffer.from(message)), hexToBytes(revoked.privateKeyHex), { format: 'der', prehash: false }),
  ).toString('hex')
  const byRevoked = (each: Told) => withVote(withContent(each, { signature }), { publicKey: revoked.publicKey })
  expect(await altered(last, byRevoked)).toEqual(named(last, `had no key ${revoked.publicKey}`))
})

test('a stamp over other bytes, a rewritten stamp and a vote of another user are found', async () => {
  const other = (each: Told) => withContent(each, { message: each.content?.message.replace('"other"', '"lies!"') })
  expect(await altered(10, other)).toEqual(named(10, 'is not over the body'))
  const stamp = (await history())[3]?.content?.signature
  expect(await altered(10, (each) => withContent(each, { signature: stamp }))).toEqual(
    named(10, 'is not over the body'),
  )
  expect(await altered(10, (each) => withContent(each, { signature: 'ff' }))).toEqual(named(10, 'cannot be read'))
  const listed = { scheme: ['SIGNATURE_SCHEME_TK_API_P256'] }
  expect(await altered(10, (each) => withVote(each, listed))).toEqual(named(10, 'cannot be read'))
  expect(await altered(10, (each) => withVote(each, { userId: second.userId }))).toEqual(named(10, 'had no key'))
  const stranger = '01234567-89ab-7cde-8f01-23456789abcd'
  expect(await altered(10, (each) => withVote(each, { userId: stranger }))).toEqual(named(10, 'there was no user'))
})

test('an approval of another activity, and a rejection that counts as an approval, are found', async () => {
  const told = await history()
  const approval = told[9]?.content
  expect(await altered(6, (each) => withContent(each, { ...approval }))).toEqual(named(6, 'votes on another activity'))
  expect(await altered(6, (each) => withVote(each, { selection: 'VOTE_SELECTION_REJECTED' }))).toEqual(
    named(6, 'counts as VOTE_SELECTION_REJECTED'),
  )
  const request = told[3]?.content
  expect(await altered(10, (each) => withContent(each, { ...request }))).toEqual(named(10, 'asks for'))
})

test('content that is withheld although it holds no token is found', async () => {
  const withheld = (await history()).map((each, at) => (at === 10 ? { ...each, content: undefined } : each))
  const { chain, stamps, rules } = await verifiedHistory(withheld)
  expect(chain.findings).toEqual(named(10, 'is withheld, though no token'))
  expect([stamps.findings, rules.findings]).toEqual([[], []])
  expect(stamps.notChecked).toEqual({ 'stamps that are withheld without a reason': 1 })
})

test('a stamp of a passkey is verified', async () => {
  const place = 5
  const told = await history()
  expect(told[place]?.document?.vote?.scheme).toBe('SIGNATURE_SCHEME_TK_WEBAUTHN')
  const other = (each: Told) => withContent(each, { message: each.content?.message.replace('"tag"', '"lie"') })
  expect(await altered(place, other)).toEqual([
    ...named(place, 'is not over the body'),
    ...named(place + 1, 'votes on another activity'),
  ])
})

test('stamps by keys from before the log began are told, and are no fault', async () => {
  const told = await history()
  const { stamps } = await verifiedHistory(told.slice(3))
  expect(stamps).toMatchObject({ findings: [], checked: expect.any(Number) })
  expect(stamps.notChecked['stamps by keys that may be from what was before the log began']).toBeGreaterThan(0)
})

test('a request without a stamp, a document without a vote and a voter of a strange organization are found', async () => {
  const unstamped = (each: Told) => withVote(each, { isUnstamped: true })
  expect(await altered(10, unstamped)).toEqual(named(10, 'nothing that the auth proxy asks for'))
  const withoutVote = (each: Told) =>
    ({ ...each, document: each.document && { ...each.document, vote: undefined }, content: undefined }) as Told
  expect(await altered(1, withoutVote)).toContainEqual(named(1, 'has no vote')[0])
  const stranger = '01234567-89ab-7cde-8f01-23456789abcd'
  expect(await altered(10, (each) => withVote(each, { organizationId: stranger }))).toEqual(
    named(10, `of ${stranger}, which is not the parent`),
  )
})

test('a vote on a request from before the log began is told, and is not counted as right', async () => {
  const { chain, stamps } = await verifiedHistory((await history()).slice(6))
  expect([chain.findings, stamps.findings]).toEqual([[], []])
  expect(stamps.notChecked).toMatchObject({ 'votes on requests that are not in the file': 1 })
})

test('an approval by the same bytes is no fault, nor is an id in capitals', async () => {
  const { server, organizationId, rootKey, rootUserId, done, anotherUser, clock } = await startOrganization()
  const { userId, apiKey } = await anotherUser('other')
  await done('update_root_quorum', { threshold: 2, userIds: [rootUserId, userId] })
  const body = JSON.stringify({
    ...{ type: 'ACTIVITY_TYPE_CREATE_USER_TAG', timestampMs: String(clock.nowMs) },
    ...{ organizationId: organizationId.toUpperCase(), parameters: { userTagName: 'same', userIds: [] } },
  })
  for (const by of [rootKey, apiKey]) await server.post('/public/v1/submit/create_user_tag', body, by)
  const told = await historyOf(server, clientOf(server, { organizationId, apiKey: rootKey }), 5)
  expect(told.at(-1)?.entry.activity?.status).toBe('ACTIVITY_STATUS_COMPLETED')
  expect((await verifiedHistory(told)).stamps).toMatchObject({ checked: 4, notChecked: {}, findings: [] })
  const rejects = told.map((each, at) => (at === 4 ? withVote(each, { selection: 'VOTE_SELECTION_REJECTED' }) : each))
  expect((await verifiedHistory(rejects)).stamps.findings).toEqual(named(4, 'counts as VOTE_SELECTION_REJECTED'))
  const other = (each: Told) => withContent(each, { message: each.content?.message.replace('"same"', '"lies"') })
  const copied = told.map((each, at) => (at === 4 ? other(each) : each))
  expect((await verifiedHistory(copied)).stamps.findings).toEqual(named(4, 'is neither a vote nor the request itself'))
})

test('a stamp by a token is over its body, by a key of a contact that its user has', async () => {
  const token = generateApiKey()
  const own = 'second@example.com'
  const told = (await history()).map((each, at) =>
    at === 1
      ? {
          ...each,
          document: JSON.parse(JSON.stringify(each.document).replace('"apiKeys":', `"userEmail":"${own}",$&`)),
        }
      : each,
  )
  /** The approval of the second user as a stamp by a token of the contact. */
  const found = async (key: string, change = '') => {
    const altered = told.map((each, at) => {
      if (at !== 9) return each
      const digest = sha256(Buffer.from(`${each.content?.message}${change}`))
      const der = p256.sign(digest, hexToBytes(token.privateKeyHex), { format: 'der', prehash: false })
      const attested = { lookup: 'user_email', key, tooOldAtMs: 0 }
      const vote = { publicKey: token.publicKey, attested, scheme: 'SIGNATURE_SCHEME_TK_ATTESTED_P256' }
      return withVote(withContent(each, { signature: Buffer.from(der).toString('hex') }), vote)
    })
    return (await verifiedHistory(altered)).stamps
  }
  expect((await found(own, ' ')).findings).toEqual(named(9, 'is not over the body'))
  expect((await found('eve@example.com')).findings).toEqual(named(9, 'did not go by eve@example.com'))
  const notChecked = { 'tokens of stamps: no document has them': 1 }
  expect(await found(own)).toMatchObject({ findings: [], notChecked })
})

test('a late vote by a key that its user never had, and one over other bytes, are found all the same', async () => {
  const late = (each: Told): Told => ({ ...each, entry: { ...each.entry, isLate: true } })
  const stranger = generateApiKey()
  const byStranger = (each: Told) => withVote(late(each), { publicKey: stranger.publicKey })
  expect(await altered(10, byStranger)).toEqual(named(10, 'had no key'))
  const other = (each: Told) =>
    withContent(late(each), { message: each.content?.message.replace('"other"', '"lies!"') })
  expect(await altered(10, other)).toEqual(named(10, 'is not over the body'))
  const unknown = '01234567-89ab-7cde-8f01-23456789abcd'
  expect(await altered(10, (each) => withVote(late(each), { userId: unknown }))).toEqual(named(10, 'there was no user'))
})

test('a vote that claims another method than its key proves is found', async () => {
  const method = { type: 'AUTHENTICATION_TYPE_PASSKEY', id: '01234567-89ab-7cde-8f01-23456789abcd' }
  expect(await altered(10, (each) => withVote(each, { method }))).toEqual(named(10, 'claims another method'))
  expect(await altered(10, (each) => withVote(each, { openedBy: 'a' }))).toEqual(named(10, 'claims another method'))
})
