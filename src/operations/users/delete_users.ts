import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, list, Uuid, usersPerRequestMax } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { each } from '../../contract/needs.ts'
import { fieldRefused } from '../../protocol/wire/failures.ts'

export default defineActivity({
  name: 'delete_users',
  summary: 'Deletes users with all their credentials. Members of the root quorum must leave the quorum first.',
  policy: { resource: 'USER', action: 'DELETE' },
  parameters: fields({ userIds: list(Uuid, { itemsMin: 1, itemsMax: usersPerRequestMax }) }),
  result: Type.Object({ userIds: Type.Array(Type.String()) }),
  needs: ({ userIds }) => each('user', userIds, 'parameters.userIds'),

  run({ organization, parameters }) {
    parameters.userIds.forEach((userId, index) => {
      if (!organization.rootQuorum.userIds.includes(userId)) return
      throw fieldRefused(
        `parameters.userIds[${index}]`,
        'this user is in the root quorum: take them out of it with update_root_quorum first',
      )
    })
    const userIds = distinctIds(parameters.userIds)
    for (const userId of userIds) organization.users.remove(userId)
    return { userIds }
  },
})
