import { expect, test } from 'vitest'
import { policyEvaluationViews } from './policies.ts'

test('what policies came to is shown for each vote that recorded it', () => {
  const vote = {
    userId: 'user',
    organizationId: 'organization',
    userName: 'Ada',
    selection: 'VOTE_SELECTION_APPROVED',
    message: '{}',
    publicKey: '',
    signature: '',
    scheme: '',
  } as const
  const denied = [{ policyId: 'policy', outcome: 'OUTCOME_REQUIRES_CONSENSUS' }] as const
  const allowed = [{ policyId: 'policy', outcome: 'OUTCOME_ALLOW' }] as const
  const activity = {
    activityId: 'activity',
    organizationId: 'organization',
    type: 'ACTIVITY_TYPE_CREATE_WALLET',
    status: 'ACTIVITY_STATUS_COMPLETED',
    fingerprint: '',
    result: {},
    votes: [
      { ...vote, voteId: 'first', createdAtMs: 1_000, evaluations: denied },
      { ...vote, voteId: 'second', createdAtMs: 2_000 },
      { ...vote, voteId: 'third', createdAtMs: 3_500, evaluations: allowed },
      { ...vote, voteId: 'fourth', createdAtMs: 4_000, evaluations: [] },
    ],
    createdAtMs: 1_000,
    updatedAtMs: 4_000,
  } as const
  const common = { activityId: 'activity', organizationId: 'organization' }
  expect(policyEvaluationViews(activity)).toEqual([
    {
      ...common,
      id: 'first',
      voteId: 'first',
      policyEvaluations: denied,
      createdAt: { seconds: '1', nanos: '0' },
    },
    {
      ...common,
      id: 'third',
      voteId: 'third',
      policyEvaluations: allowed,
      createdAt: { seconds: '3', nanos: '500000000' },
    },
    { ...common, id: 'fourth', voteId: 'fourth', policyEvaluations: [], createdAt: { seconds: '4', nanos: '0' } },
  ])
})
