import Type from 'typebox'
import { Failure, fieldInvalid } from '../../protocol/wire/failures.ts'
import { defineActivity } from '../define.ts'
import { fields, list, rootQuorumUsersMax, Uuid } from '../fields/fields.ts'
import { distinctIds } from '../fields/ids.ts'
import { all } from '../needs.ts'
import type { User } from '../records/records.ts'
import { canApprove } from '../users/shared/lockout.ts'

export default defineActivity({
  name: 'update_root_quorum',
  summary: 'Sets the root users and how many of them must approve. The current root quorum decides on the change.',
  policy: 'rootQuorumOnly',
  parameters: fields({
    threshold: Type.Integer({ minimum: 1, maximum: rootQuorumUsersMax, expected: 'the number of approvals needed' }),
    userIds: list(Uuid, { itemsMin: 1, itemsMax: rootQuorumUsersMax }),
  }),
  result: Type.Object({}),
  check: ({ threshold, userIds }) => checkQuorum({ threshold, userIds: distinctIds(userIds) }),
  needs: () => [all('user')],

  run({ organization, parameters }) {
    const userIds = distinctIds(parameters.userIds)
    const users = new Map(organization.users.all().map((user) => [user.userId, user]))
    for (const userId of userIds) requireVoter(users.get(userId), userId)
    organization.setRootQuorum({ threshold: parameters.threshold, userIds })
    return {}
  },
})

function checkQuorum({
  threshold,
  userIds,
}: {
  readonly threshold: number
  readonly userIds: readonly string[]
}): void {
  if (threshold <= userIds.length) return
  const expected = `at most ${userIds.length}, the number of distinct members`
  throw fieldInvalid('parameters.threshold', expected)
}

/** Refuses a member who cannot approve anything: such a member could lock the organization out. */
function requireVoter(user: User | undefined, userId: string): void {
  const fieldPath = 'parameters.userIds'
  if (user === undefined) throw new Failure('FIELD_INVALID', { fieldPath, reason: `unable to find user ${userId}` })
  if (!canApprove(user))
    throw new Failure('FIELD_INVALID', { fieldPath, reason: `user missing valid credential: ${userId}` })
}
