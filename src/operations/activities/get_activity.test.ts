import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { absentId, expectRefused, startOrganization, timestamp, uuid } from '../../../test/support/organization.ts'

const { organizationId, rootUserId, rootKey, clock, submit, query, found } = await startOrganization()

test('an activity is shown as its answer was, with every field', async () => {
  const parameters = { walletName: 'wallet', accounts: [], mnemonicLength: null, generateAppProofs: true }
  const answer = await submit('create_wallet', parameters)
  const { activity } = answer.body
  expect(answer.body).toStrictEqual({ activity })

  const message = JSON.stringify({
    type: 'ACTIVITY_TYPE_CREATE_WALLET',
    timestampMs: String(clock.nowMs),
    organizationId,
    parameters,
  })
  const { user } = await found('get_user', { userId: rootUserId })
  expect(activity).toStrictEqual({
    id: uuid,
    organizationId,
    status: 'ACTIVITY_STATUS_COMPLETED',
    type: 'ACTIVITY_TYPE_CREATE_WALLET',
    intent: { createWalletIntent: { walletName: 'wallet', accounts: [] } },
    result: { createWalletResult: { walletId: uuid, addresses: [] } },
    votes: [
      {
        id: uuid,
        userId: rootUserId,
        user,
        activityId: activity.id,
        selection: 'VOTE_SELECTION_APPROVED',
        message,
        publicKey: rootKey.publicKey,
        signature: expect.stringMatching(/^[0-9a-f]+$/),
        scheme: 'SIGNATURE_SCHEME_TK_API_P256',
        createdAt: timestamp,
      },
    ],
    fingerprint: `sha256:${createHash('sha256').update(message).digest('hex')}`,
    canApprove: false,
    canReject: false,
    createdAt: new Date(clock.nowMs).toISOString(),
    updatedAt: new Date(clock.nowMs).toISOString(),
    appProofs: [
      {
        scheme: 'SIGNATURE_SCHEME_EPHEMERAL_KEY_P256',
        publicKey: expect.stringMatching(/^[0-9a-f]{260}$/),
        proofPayload: expect.stringMatching(/^\{"type":"APP_PROOF_TYPE_POLICY_OUTCOME"/),
        signature: expect.stringMatching(/^[0-9a-f]{128}$/),
      },
    ],
  })
  expect(await found('get_activity', { activityId: activity.id })).toStrictEqual({ activity })
  expect(await found('get_activity', { activityId: activity.id.toUpperCase() })).toStrictEqual({ activity })
})

test('an unknown id is 404', async () => {
  expectRefused(
    await query('get_activity', { activityId: absentId }),
    404,
    `there is no activity ${absentId} in this organization`,
  )
})
