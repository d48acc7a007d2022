import { generateP256KeyPair } from '@turnkey/crypto'
import type { TurnkeyClient } from '@turnkey/http'
import type { TurnkeyApiClient } from '@turnkey/sdk-server'
import { beforeAll, describe, expect, test } from 'vitest'
import { dialects, httpClient, serverClient } from '../support/clients.ts'
import { timestamp } from '../support/organization.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

/** MFA policies by the unmodified clients: of the one who sets them, and of the user whom they bind. */

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

/** What clients call the session that has no profile. */
const defaultSessionProfileId = '00000000-0000-0000-0000-000000000000'

describe.each(dialects)('against the dialect %s', (dialect) => {
  let root: TurnkeyApiClient
  beforeAll(() => {
    root = serverClient(server, dialect)
  })

  /** A user outside the root quorum, with an API key and an address. */
  async function newUser() {
    const { publicKey, privateKey } = generateP256KeyPair()
    const apiKeys = [{ apiKeyName: 'own', publicKey, curveType: 'API_KEY_CURVE_P256' as const }]
    const user = { userName: 'Ada', userEmail: 'ada@example.com', apiKeys, authenticators: [], oauthProviders: [] }
    const { userIds } = await root.createUsers({ users: [{ ...user, userTags: [] }] })
    const [userId = ''] = userIds
    const [apiKey] = (await root.getApiKeys({ userId })).apiKeys
    const own: TurnkeyClient = httpClient(server, dialect, { apiPublicKey: publicKey, apiPrivateKey: privateKey })
    return { userId, apiKeyId: apiKey?.apiKeyId ?? '', own }
  }

  function newPolicy(mfaPolicyName: string, order: number) {
    return {
      mfaPolicyName,
      condition: "activity.resource == 'WALLET' && activity.action == 'EXPORT'",
      requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_EMAIL_OTP' as const }] }],
      order,
    }
  }

  test('get_mfa_policy: a policy with every field is shown as it was made, to whoever sets it and to its user', async () => {
    const { organizationId } = server.credentials
    const { userId, apiKeyId, own } = await newUser()
    const given = {
      ...newPolicy('every field', 3),
      requiredAuthenticationMethods: [
        {
          any: [
            { type: 'AUTHENTICATION_TYPE_API_KEY' as const, id: apiKeyId },
            { type: 'AUTHENTICATION_TYPE_PASSKEY' as const },
            { type: 'AUTHENTICATION_TYPE_OAUTH' as const },
          ],
        },
        { any: [{ type: 'AUTHENTICATION_TYPE_SESSION' as const, id: defaultSessionProfileId }] },
        {
          any: [{ type: 'AUTHENTICATION_TYPE_EMAIL_OTP' as const }, { type: 'AUTHENTICATION_TYPE_SMS_OTP' as const }],
        },
      ],
      notes: 'for exports',
    }
    const { mfaPolicyId, activity } = await root.createMfaPolicy({ userId, ...given })
    expect(activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    const { mfaPolicy } = await root.getMfaPolicy({ userId, mfaPolicyId })
    expect(mfaPolicy).toStrictEqual({ ...given, mfaPolicyId, createdAt: timestamp, updatedAt: timestamp })

    expect(await own.getMfaPolicy({ organizationId, userId, mfaPolicyId })).toEqual({ mfaPolicy })
    expect((await own.getUser({ organizationId, userId })).user.mfaPolicies).toEqual([mfaPolicy])

    await root.updateMfaPolicy({ userId, mfaPolicyId, order: 0, notes: 'changed' })
    const changed = { ...mfaPolicy, order: 0, notes: 'changed', updatedAt: timestamp }
    expect((await own.getMfaPolicy({ organizationId, userId, mfaPolicyId })).mfaPolicy).toEqual(changed)
    const { userId: rootUserId } = server.credentials
    await expect(root.getMfaPolicy({ userId: rootUserId, mfaPolicyId })).rejects.toThrow('Turnkey error 5: not found')
  })

  test('delete_mfa_policy: the user cannot shake it off; once it is deleted only the other one is there', async () => {
    const { organizationId } = server.credentials
    const { userId, own } = await newUser()
    const { mfaPolicyId } = await root.createMfaPolicy({ userId, ...newPolicy('first', 0) })
    const { mfaPolicyId: keptId } = await root.createMfaPolicy({ userId, ...newPolicy('second', 1) })
    const shown = async () => (await own.getMfaPolicies({ organizationId, userId })).mfaPolicies
    const [first, second] = await shown()
    expect([first?.mfaPolicyId, second?.mfaPolicyId]).toEqual([mfaPolicyId, keptId])

    const request = {
      type: 'ACTIVITY_TYPE_DELETE_MFA_POLICY' as const,
      timestampMs: String(Date.now()),
      organizationId,
      parameters: { userId, mfaPolicyId },
    }
    await expect(own.deleteMfaPolicy(request)).rejects.toMatchObject({ name: 'TurnkeyRequestError', code: 7 })
    expect(await shown()).toEqual([first, second])

    const deleted = await root.deleteMfaPolicy({ userId, mfaPolicyId })
    expect(deleted.mfaPolicyId).toBe(mfaPolicyId)
    expect(deleted.activity.intent.deleteMfaPolicyIntent).toEqual({ userId, mfaPolicyId })
    expect(await shown()).toEqual([second])
    expect((await own.getUser({ organizationId, userId })).user.mfaPolicies).toEqual([second])
    const gone = `Turnkey error 5: not found: there is no mfa policy ${mfaPolicyId} of this user`
    await expect(own.getMfaPolicy({ organizationId, userId, mfaPolicyId })).rejects.toThrow(gone)
    await expect(root.getMfaPolicy({ userId, mfaPolicyId })).rejects.toThrow(gone)
    await expect(root.deleteMfaPolicy({ userId, mfaPolicyId })).rejects.toThrow(gone)
  })

  test('get_mfa_policy, delete_mfa_policy: both keys take their steps, then it is done; without the policy one key is enough', async () => {
    const { organizationId } = server.credentials
    const keys = [generateP256KeyPair(), generateP256KeyPair()]
    const apiKeys = keys.map(({ publicKey }, index) => {
      return { apiKeyName: `key ${index}`, publicKey, curveType: 'API_KEY_CURVE_P256' as const }
    })
    const user = { userName: 'Eve', apiKeys, authenticators: [], oauthProviders: [], userTags: [] }
    const [userId = ''] = (await root.createUsers({ users: [user] })).userIds
    const shown = (await root.getApiKeys({ userId })).apiKeys
    const [first, second] = keys.map(({ publicKey: apiPublicKey, privateKey: apiPrivateKey }) =>
      serverClient(server, dialect, { apiPublicKey, apiPrivateKey, organizationId }),
    ) as [TurnkeyApiClient, TurnkeyApiClient]
    const condition = "activity.kind == 'CREATE_WALLET'"
    const consensus = `approvers.any(user, user.id == '${userId}')`
    const policyName = `of ${userId}`
    await root.createPolicy({ policyName, effect: 'EFFECT_ALLOW', condition, consensus, notes: '' })
    const steps = keys.map(({ publicKey }) => {
      const id = shown.find(({ credential }) => credential.publicKey === publicKey)?.apiKeyId ?? ''
      return { any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' as const, id }] }
    })
    const policy = { mfaPolicyName: 'both keys', condition, requiredAuthenticationMethods: steps, order: 0 }
    const { mfaPolicyId } = await root.createMfaPolicy({ userId, ...policy })

    const shownPolicy = (await first.getMfaPolicy({ userId, mfaPolicyId })).mfaPolicy
    expect(shownPolicy.requiredAuthenticationMethods).toEqual(steps)
    const { activity } = await first.createWallet({ walletName: `of ${userId}`, accounts: [] })
    expect(activity).toMatchObject({ status: 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED', canApprove: true })
    const { mfaStatuses } = await first.getMfaStatus({ activityId: activity.id })
    const [satisfied] = steps.map(({ any }) => any)
    const status = { mfaPolicyId, userId, satisfied: false, satisfiedMethods: satisfied, requiredMethods: steps }
    expect(mfaStatuses).toEqual([status])
    const { fingerprint } = activity
    await expect(first.approveActivity({ fingerprint })).rejects.toThrow('step 2 of 2')
    const approved = await second.approveActivity({ fingerprint })
    expect(approved.activity).toMatchObject({ id: activity.id, status: 'ACTIVITY_STATUS_COMPLETED' })
    expect(approved.activity.result.createWalletResult?.walletId).toMatch(/^[0-9a-f-]{36}$/)
    expect((await second.getMfaStatus({ activityId: activity.id })).mfaStatuses).toEqual([])

    await root.deleteMfaPolicy({ userId, mfaPolicyId })
    const alone = await first.createWallet({ walletName: `without steps, of ${userId}`, accounts: [] })
    expect(alone.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  })
})
