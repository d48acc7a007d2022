import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import type { Content } from '../../contract/explanation/content.ts'
import { changedRow, type Now } from '../../contract/explanation/explain_context.ts'
import {
  listed,
  list as listValue,
  namedInTitle,
  noteOf,
  number,
  rowsOf,
  section,
} from '../../contract/explanation/shown_values.ts'
import { warned } from '../../contract/explanation/warnings.ts'
import { fields, list, rootQuorumUsersMax, Uuid } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { all } from '../../contract/needs.ts'
import type { Quorum } from '../../contract/readers.ts'
import { oneStep } from '../../protocol/tools/steps.ts'
import { type Failure, fieldInvalid, fieldRefused } from '../../protocol/wire/failures.ts'
import { hasWayIn } from '../users/shared/lockout.ts'

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
  needs: () => [all('user'), all('feature')],
  explain: ({ parameters: { threshold, userIds }, now }) => oneStep(() => explained({ threshold, userIds }, now)),

  run({ organization, parameters }) {
    const userIds = distinctIds(parameters.userIds)
    const users = new Map(organization.users.all().map((user) => [user.userId, user]))
    const features = organization.features.all()
    for (const userId of userIds) {
      const user = users.get(userId)
      if (user === undefined) throw memberRefused(`unable to find user ${userId}`)
      // A member without a way in could lock the organization out.
      if (!hasWayIn(user, features)) throw memberRefused(`user missing valid credential: ${userId}`)
    }
    organization.setRootQuorum({ threshold: parameters.threshold, userIds })
    return {}
  },
})

function checkQuorum({ threshold, userIds }: Quorum): void {
  if (threshold <= userIds.length) return
  const expected = `at most ${userIds.length}, the number of distinct members`
  throw fieldInvalid('parameters.threshold', expected)
}

function memberRefused(reason: string): Failure {
  return fieldRefused('parameters.userIds', reason)
}

function explained({ threshold, userIds }: Quorum, now: Now): Content {
  const { rootQuorum, named } = now
  const users = (ids: readonly string[]) => listValue(listed(ids, (id) => named(id)))
  const to: readonly string[] = distinctIds(userIds)
  const quorumRows = [
    ...changedRow(now, 'threshold', { from: number(rootQuorum.threshold), to: number(threshold) }),
    ...changedRow(now, 'members', { from: users(rootQuorum.userIds), to: users(to) }),
  ]
  const joining = to.filter((userId) => !rootQuorum.userIds.includes(userId))
  const leaving = rootQuorum.userIds.filter((userId) => !to.includes(userId))
  const moved = { added: users(joining), removed: users(leaving) }
  const inTitle = (ids: readonly string[]) => listValue(namedInTitle(ids.map((id) => named(id))))
  const mayLoseOne = rootQuorum.threshold < rootQuorum.userIds.length
  const warnings = [
    ...(threshold < rootQuorum.threshold
      ? [noteOf('fewerApprovals', number(threshold), number(rootQuorum.threshold))]
      : []),
    ...(joining.length > 0 ? [noteOf('joinsQuorum', inTitle(joining))] : []),
    ...(leaving.length > 0 ? [noteOf('leavesQuorum', inTitle(leaving))] : []),
    ...(mayLoseOne && threshold === to.length ? [noteOf('noneMayBeLost', number(to.length))] : []),
  ]
  return {
    title: warned(
      { code: 'changeRootQuorum', values: [number(threshold), number(to.length)] },
      now.isBefore ? warnings : [],
    ),
    sections: section('changes', [...quorumRows, ...(now.isBefore ? rowsOf(moved) : [])]),
  }
}
