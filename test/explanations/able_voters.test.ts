import { expect, test } from 'vitest'
import {
  type Ask,
  newApiKey,
  newAuthenticator,
  newMfaPolicy,
  newPolicy,
  newUser,
  startOrganization,
} from '../support/organization.ts'
import { newPasskey } from '../support/passkeys.ts'
import { generateApiKey } from '../support/stamping.ts'

/** The users whose one approval completes an activity, as the explanation names them. */

async function startWaiting() {
  const organization = await startOrganization()
  const { done, submit, found, anotherUser } = organization
  const asker = await anotherUser('asker')
  async function ask() {
    const { body } = await submit('create_wallet', { walletName: 'w', accounts: [] }, asker)
    const { id: activityId, fingerprint } = body.activity
    return {
      status: body.activity.status,
      approve: async (by: Ask) => (await submit('approve_activity', { fingerprint }, by)).body.activity?.status,
      /** The names of those who complete it, and of the others who may vote. */
      async voters() {
        const { explanation } = await found('explain_activity', { activityId })
        const { rows } = explanation.sections.find(({ kind }: { kind: string }) => kind === 'rule')
        const namesOf = (...labels: readonly string[]) =>
          rows.flatMap(({ label, value }: { label: string; value: { items: { name: string }[] } }) =>
            labels.includes(label) ? value.items.map(({ name }) => name) : [],
          )
        return { able: namesOf('canComplete'), others: namesOf('canAlsoApprove', 'canApprove') }
      },
    }
  }
  return {
    ...{ ...organization, asker, ask },
    async allowBy(...userIds: readonly string[]) {
      const { userTagId } = await done('create_user_tag', { userTagName: 'T', userIds })
      const consensus = `approvers.any(user, user.tags.contains('${userTagId}'))`
      const condition = "activity.kind == 'CREATE_WALLET'"
      await done('create_policy', newPolicy({ effect: 'EFFECT_ALLOW', condition, consensus }))
    },
  }
}

const [apiKeyStep, passkeyStep] = ['API_KEY', 'PASSKEY'].map((name) => ({
  any: [{ type: `AUTHENTICATION_TYPE_${name}` }],
}))

test('a user who owes two steps of an MFA policy completes nothing before the first is taken', async () => {
  const { done, anotherUser, allowBy, ask } = await startWaiting()
  const [bob, passkey] = [await anotherUser('bob'), newPasskey('ES256')]
  await done('create_authenticators', { userId: bob.userId, authenticators: [newAuthenticator({ passkey })] })
  const requiredAuthenticationMethods = [apiKeyStep, passkeyStep]
  await done('create_mfa_policy', {
    userId: bob.userId,
    ...newMfaPolicy({ condition: 'true', requiredAuthenticationMethods }),
  })
  await allowBy(bob.userId)
  const { voters, approve } = await ask()
  expect(await voters()).toEqual({ able: ['root'], others: ['bob'] })
  expect(await approve(bob)).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
  expect((await voters()).able).toEqual(['root', 'bob'])
  expect(await approve({ passkey })).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('an MFA policy of one step is taken by the approval itself, if the user has the means', async () => {
  const { done, anotherUser, allowBy, ask } = await startWaiting()
  const [bob, carol] = [await anotherUser('bob'), await anotherUser('carol')]
  const oneStep = (step: object | undefined) =>
    newMfaPolicy({ condition: 'true', requiredAuthenticationMethods: [step] })
  await done('create_mfa_policy', { userId: bob.userId, ...oneStep(apiKeyStep) })
  await done('create_mfa_policy', { userId: carol.userId, ...oneStep(passkeyStep) })
  await allowBy(bob.userId, carol.userId)
  const { voters, approve } = await ask()
  expect(await voters()).toEqual({ able: ['root', 'bob'], others: ['carol'] })
  expect(await approve(bob)).toBe('ACTIVITY_STATUS_COMPLETED')
})

test.each([
  ['of exactly two approvals', () => 'approvers.count() == 2'],
  [
    'of two approvals, none of which is that of eve',
    (eve: string) =>
      `!approvers.any(user, user.id == '${eve}') && approvers.filter(user, user.id != '${eve}').count() >= 2`,
  ],
  ['that is an error of one approval', () => 'approvers.count() == 2 && approvers[1].id != approvers[0].id'],
])(
  'a member of the root quorum completes it by a policy that does not wait: a consensus %s',
  async (_, consensusOf) => {
    const { done, found, submit, anotherUser, rootUserId } = await startOrganization()
    const [bob, cy, eve] = [await anotherUser('bob'), await anotherUser('cy'), await anotherUser('eve')]
    const allowed = { effect: 'EFFECT_ALLOW', condition: "activity.kind == 'CREATE_WALLET'" }
    await done('create_policy', newPolicy({ ...allowed, consensus: consensusOf(eve.userId) }))
    await done('update_root_quorum', { threshold: 3, userIds: [rootUserId, bob.userId, cy.userId] })
    const { id: activityId, fingerprint } = (await submit('create_wallet', { walletName: 'w', accounts: [] })).body
      .activity
    const { explanation } = await found('explain_activity', { activityId }, bob)
    const { rows } = explanation.sections.find(({ kind }: { kind: string }) => kind === 'rule')
    const { value } = rows.find(({ label }: { label: string }) => label === 'canComplete')
    expect(value.items.map(({ name }: { name: string }) => name)).toEqual(['bob', 'cy'])
    expect((await submit('approve_activity', { fingerprint }, bob)).body.activity.status).toBe(
      'ACTIVITY_STATUS_COMPLETED',
    )
  },
)

test('nobody completes what waits for a step of its submitter, but the submitter', async () => {
  const { done, anotherUser, asker, allowBy, ask } = await startWaiting()
  const [bob, passkey] = [await anotherUser('bob'), newPasskey('ES256')]
  await done('create_authenticators', { userId: asker.userId, authenticators: [newAuthenticator({ passkey })] })
  const requiredAuthenticationMethods = [apiKeyStep, passkeyStep]
  await done('create_mfa_policy', {
    userId: asker.userId,
    ...newMfaPolicy({ condition: 'true', requiredAuthenticationMethods }),
  })
  await allowBy(asker.userId, bob.userId)
  const { status, voters, approve } = await ask()
  expect(status).toBe('ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
  expect(await voters()).toEqual({ able: ['asker'], others: [] })
  expect(await approve({ passkey })).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('the last step completes what users do to themselves, unless a policy denies it', async () => {
  const { done, submit, found, anotherUser } = await startWaiting()
  const [bob, passkey] = [await anotherUser('bob'), newPasskey('ES256')]
  await done('create_authenticators', { userId: bob.userId, authenticators: [newAuthenticator({ passkey })] })
  const condition = "activity.kind == 'CREATE_API_KEYS'"
  const requiredAuthenticationMethods = [apiKeyStep, passkeyStep]
  await done('create_mfa_policy', { userId: bob.userId, ...newMfaPolicy({ condition, requiredAuthenticationMethods }) })
  const apiKeys = [newApiKey({ publicKey: generateApiKey().publicKey })]
  const { body } = await submit('create_api_keys', { userId: bob.userId, apiKeys }, bob)
  const ableIn = async () => {
    const { explanation } = await found('explain_activity', { activityId: body.activity.id })
    const { rows } = explanation.sections.find(({ kind }: { kind: string }) => kind === 'rule')
    const row = rows.find(({ label }: { label: string }) => label === 'canComplete')
    return row?.value.items.map(({ name }: { name: string }) => name)
  }
  expect(await ableIn()).toEqual(['bob'])
  await done('create_policy', newPolicy({ condition }))
  expect(await ableIn()).toBeUndefined()
})

test('a key that has expired completes nothing, and its user may vote only after a login', async () => {
  const { done, clock, allowBy, ask } = await startWaiting()
  const users = ['gone', 'mailed'].map((userName) => {
    const apiKeys = [newApiKey({ publicKey: generateApiKey().publicKey, expirationSeconds: '60' })]
    return newUser({ userName, apiKeys, ...(userName === 'mailed' ? { userEmail: 'mailed@example.org' } : {}) })
  })
  const { userIds } = await done('create_users', { users })
  await allowBy(...userIds)
  const { voters } = await ask()
  expect(await voters()).toEqual({ able: ['root', 'gone', 'mailed'], others: [] })
  clock.nowMs += 60_000
  expect(await voters()).toEqual({ able: ['root'], others: ['mailed'] })
})
