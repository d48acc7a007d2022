import { expect, test } from 'vitest'
import { asId } from '../../../contract/fields/ids.ts'
import { policyEvaluationViews } from './policies.ts'

test('the outcomes of policies are shown for each vote that recorded them, in the order of the policies', () => {
  const vote = {
    userId: asId('user'),
    organizationId: 'organization',
    userName: 'Ada',
    selection: 'VOTE_SELECTION_APPROVED',
    message: '{}',
    publicKey: '',
    signature: '',
    scheme: '',
  } as const
  const activity = {
    activityId: asId('activity'),
    organizationId: 'organization',
    type: 'ACTIVITY_TYPE_CREATE_WALLET',
    status: 'ACTIVITY_STATUS_COMPLETED',
    fingerprint: '',
    result: {},
    votes: [
      { ...vote, voteId: 'first', createdAtMs: 1_000, policiesByOutcome: { OUTCOME_REQUIRES_CONSENSUS: ['2'] } },
      { ...vote, voteId: 'second', createdAtMs: 2_000 },
      {
        ...vote,
        voteId: 'third',
        createdAtMs: 3_500,
        policiesByOutcome: { OUTCOME_ALLOW: ['2'], OUTCOME_ERROR: ['1', '3'] },
      },
      { ...vote, voteId: 'fourth', createdAtMs: 4_000, policiesByOutcome: {} },
    ],
    createdAtMs: 1_000,
    updatedAtMs: 4_000,
  } as const
  const common = { activityId: 'activity', organizationId: 'organization' }
  expect(policyEvaluationViews(activity, activity)).toEqual([
    {
      ...common,
      id: 'first',
      voteId: 'first',
      policyEvaluations: [{ policyId: '2', outcome: 'OUTCOME_REQUIRES_CONSENSUS' }],
      createdAt: { seconds: '1', nanos: '0' },
    },
    {
      ...common,
      id: 'third',
      voteId: 'third',
      policyEvaluations: [
        { policyId: '1', outcome: 'OUTCOME_ERROR' },
        { policyId: '2', outcome: 'OUTCOME_ALLOW' },
        { policyId: '3', outcome: 'OUTCOME_ERROR' },
      ],
      createdAt: { seconds: '3', nanos: '500000000' },
    },
    { ...common, id: 'fourth', voteId: 'fourth', policyEvaluations: [], createdAt: { seconds: '4', nanos: '0' } },
  ])
})
