import { describe, expect, test } from 'vitest'
import { plainLines } from '../../src/contract/explanation/texts/plain_lines.ts'
import { newApiKey, newAuthenticator, newPolicy, startOrganization } from '../support/organization.ts'
import { newPasskey } from '../support/passkeys.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** Approvals of one user by several credentials, while a policy waits that names credentials. */

const needed = 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
const completed = 'ACTIVITY_STATUS_COMPLETED'

async function start() {
  const organization = await startOrganization()
  const { done, submit, found, anotherUser } = organization
  const [cy, bob, dan] = [await anotherUser('cy'), await anotherUser('bob'), await anotherUser('dan')]
  const passkey = newPasskey('ES256')
  await done('create_authenticators', { userId: cy.userId, authenticators: [newAuthenticator({ passkey })] })
  const policy = { effect: 'EFFECT_ALLOW', condition: "activity.kind == 'CREATE_WALLET'" } as const
  /** Bob asks for a wallet, which waits by this consensus. */
  async function asked(consensus: string) {
    await done('create_policy', newPolicy({ ...policy, policyName: 'by credentials', consensus }))
    const { body } = await submit('create_wallet', { walletName: 'shared', accounts: [] }, bob)
    const { id: activityId, fingerprint, status } = body.activity
    expect(status, JSON.stringify(body)).toBe(needed)
    const seenBy = async ({ apiKey }: { readonly apiKey: ApiKeyPair }) => {
      const { activity } = await found('get_activity', { activityId }, { apiKey })
      return [activity.votes.length, activity.canApprove]
    }
    const approve = async (by: Parameters<typeof submit>[2]) => {
      const { status: answered, body: answer } = await submit('approve_activity', { fingerprint }, by)
      expect(answered, JSON.stringify(answer)).toBe(200)
      return [answer.activity.status, answer.activity.votes.length]
    }
    const lines = async () =>
      plainLines((await found('explain_activity', { activityId })).explanation).map((line) => line.trim())
    return { approve, seenBy, lines }
  }
  return { ...organization, cy, bob, dan, passkey, asked }
}

const ofCy = ({ cy }: { readonly cy: { readonly userId: string } }) => `used.user_id == '${cy.userId}'`
const isPasskey = "used.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'"

test('a user whose credential the policy does not accept is shown that another one may approve', async () => {
  const started = await start()
  const { cy, bob, passkey, asked } = started
  const { approve, seenBy } = await asked(`credentials.any(used, ${ofCy(started)} && ${isPasskey})`)
  expect(await seenBy(cy)).toEqual([1, true])
  expect(await approve(cy)).toEqual([needed, 2])
  expect(await seenBy(cy)).toEqual([2, true])
  // Bob, who has one credential, is not asked.
  expect(await seenBy(bob)).toEqual([2, false])
  expect(await approve({ passkey })).toEqual([completed, 3])
})

test('three credentials of one user are enough where a policy asks for three', async () => {
  const started = await start()
  const { cy, done, passkey, asked } = started
  const further = generateApiKey()
  const apiKeys = [newApiKey({ publicKey: further.publicKey })]
  await done('create_api_keys', { userId: cy.userId, apiKeys })
  const { approve, seenBy, lines } = await asked(`credentials.filter(used, ${ofCy(started)}).count() >= 3`)
  const completes = async () =>
    (await lines()).some((line) => line.startsWith('whose approval completes it: ') && line.includes(cy.userId))
  const isAsked = async () => (await lines()).some((line) => line.startsWith('who') && line.includes(cy.userId))
  expect(await approve(cy)).toEqual([needed, 2])
  expect([await seenBy(cy), await isAsked(), await completes()]).toEqual([[2, true], true, false])
  // The same credential again is a repetition.
  expect(await approve(cy)).toEqual([needed, 2])
  expect(await approve({ passkey })).toEqual([needed, 3])
  expect([await seenBy(cy), await isAsked(), await completes()]).toEqual([[3, true], true, true])
  expect(await approve({ apiKey: further })).toEqual([completed, 4])
})

test('a second credential of one user and the approval of another are enough, in either order', async () => {
  for (const isOtherFirst of [true, false]) {
    const started = await start()
    const { cy, dan, passkey, asked } = started
    const byPasskey = `credentials.any(used, ${ofCy(started)} && ${isPasskey})`
    const { approve, seenBy } = await asked(`${byPasskey} && approvers.any(user, user.id == '${dan.userId}')`)
    expect(await approve(cy)).toEqual([needed, 2])
    const [first, last] = isOtherFirst ? [dan, { passkey }] : [{ passkey }, dan]
    expect(await approve(first)).toEqual([needed, 3])
    // Cy has no third credential.
    expect(await seenBy(cy)).toEqual([3, isOtherFirst])
    expect(await approve(last)).toEqual([completed, 4])
  }
})

describe('a second approval changes nothing', () => {
  test('where no policy that waits names credentials', async () => {
    const { cy, passkey, asked } = await start()
    const { approve, seenBy } = await asked('approvers.count() >= 3')
    expect(await approve(cy)).toEqual([needed, 2])
    expect(await seenBy(cy)).toEqual([2, false])
    expect(await approve({ passkey })).toEqual([needed, 2])
  })

  test('where the user has no other credential that is valid', async () => {
    const started = await start()
    const { bob, clock, asked, submit } = started
    const { approve, seenBy } = await asked('credentials.count() >= 3 && approvers.count() >= 3')
    const session = generateApiKey()
    expect(await seenBy(bob)).toEqual([1, false])
    const login = { publicKey: session.publicKey, expirationSeconds: '60' }
    expect((await submit('stamp_login', login, bob)).body.activity.status).toBe(completed)
    expect(await seenBy(bob)).toEqual([1, true])
    clock.nowMs += 61_000
    expect(await seenBy(bob)).toEqual([1, false])
    expect(await approve(bob)).toEqual([needed, 1])
  })

  test('after sixteen votes of the user, so that new sessions do not fill the activity', async () => {
    const { bob, asked, submit } = await start()
    const { approve, seenBy } = await asked('credentials.count() >= 2 && approvers.count() >= 2')
    const votes: unknown[] = []
    for (let index = 0; index < 20; index += 1) {
      const session = generateApiKey()
      const login = { publicKey: session.publicKey, expirationSeconds: '60' }
      expect((await submit('stamp_login', login, bob)).body.activity.status).toBe(completed)
      votes.push((await approve({ apiKey: session }))[1])
    }
    expect(votes).toEqual(Array.from({ length: 20 }, (_, index) => Math.min(index + 2, 16)))
    expect(await seenBy(bob)).toEqual([16, false])
  })
})
