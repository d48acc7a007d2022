import Type, { type Static } from 'typebox'
import { oneOf, optional, Timestamp } from '../fields/fields.ts'
import { texts, view } from '../fields/named.ts'
import { ActivityStatusName } from './activity.ts'
import { UserView } from './views.ts'

export const AppProofView = view('AppProof', {
  scheme: oneOf(['SIGNATURE_SCHEME_EPHEMERAL_KEY_P256']),
  ...texts('publicKey', 'proofPayload', 'signature'),
})

/** A vote on the wire. The first one is the submission. */
export const VoteView = view('Vote', {
  id: Type.String(),
  userId: Type.String(),
  user: UserView,
  activityId: Type.String(),
  selection: oneOf(['VOTE_SELECTION_APPROVED', 'VOTE_SELECTION_REJECTED']),
  message: Type.String({ description: 'The body as it was stamped. An empty text for others where it holds a token.' }),
  ...texts('publicKey', 'signature', 'scheme'),
  createdAt: Timestamp,
})

const Time = Type.Union([Type.String(), Timestamp], {
  description: 'RFC 3339 text; {seconds, nanos} in the hosted dialect.',
})

export const ActivityView = view('Activity', {
  id: Type.String(),
  organizationId: Type.String(),
  status: ActivityStatusName,
  type: Type.String(),
  intent: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The parameters as they were sent, in a member that is named as the type, such as createWalletIntent.',
  }),
  result: Type.Record(Type.String(), Type.Unknown(), {
    description: 'In a member that is named as the type, such as createWalletResult. Empty until it has completed.',
  }),
  votes: Type.Array(VoteView),
  fingerprint: Type.String(),
  canApprove: Type.Boolean(),
  canReject: Type.Boolean(),
  createdAt: Time,
  updatedAt: Time,
  failure: optional(
    Type.Object(
      { code: Type.Integer(), message: Type.String(), details: Type.Array(Type.Unknown()) },
      { description: 'Why an activity that had waited could not run.' },
    ),
  ),
  appProofs: optional(Type.Array(AppProofView, { description: 'When `generateAppProofs` was true.' })),
})

export type ShownActivity = Static<typeof ActivityView>
