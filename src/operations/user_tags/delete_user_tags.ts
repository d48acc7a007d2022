import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, list, tagsPerRequestMax, Uuid } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { all, each } from '../../contract/needs.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { explainDeletedTags } from './shared/tag_changes.ts'

export default defineActivity({
  name: 'delete_user_tags',
  summary: 'Deletes user tags, takes them from all users who have them, and returns the ids of those users.',
  policy: { resource: 'USER', action: 'DELETE' },
  parameters: fields({ userTagIds: list(Uuid, { itemsMin: 1, itemsMax: tagsPerRequestMax }) }),
  result: Type.Object({ userTagIds: Type.Array(Type.String()), userIds: Type.Array(Type.String()) }),
  needs: ({ userTagIds }) => [...each('user_tag', userTagIds, 'parameters.userTagIds'), all('user')],
  explain: ({ parameters, request, now }) =>
    explainDeletedTags(
      {
        code: 'delete_user_tags',
        tagIds: distinctIds(parameters.userTagIds),
        tagged:
          request instanceof Failure
            ? []
            : request.organization.users.all().map(({ userId, userTags }) => ({ id: userId, tagIds: userTags })),
      },
      now,
    ),

  run({ organization, parameters }) {
    const userTagIds = distinctIds(parameters.userTagIds)
    for (const userTagId of userTagIds) organization.userTags.remove(userTagId)
    const tagged = organization.users.all().filter(({ userTags }) => userTags.some((id) => userTagIds.includes(id)))
    for (const user of tagged) {
      const userTags = user.userTags.filter((id) => !userTagIds.includes(id))
      organization.users.put({ ...user, userTags })
    }
    return { userTagIds, userIds: tagged.map(({ userId }) => userId) }
  },
})
