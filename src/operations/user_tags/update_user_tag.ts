import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, Label, list, optional, Uuid, usersPerRequestMax } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { each, lookup, userTag } from '../../contract/needs.ts'
import { explainTag } from './shared/tag_changes.ts'
import { renamedTag, requireApart } from './shared/tags.ts'

export default defineActivity({
  name: 'update_user_tag',
  summary: 'Renames a tag, puts it on users and takes it from users.',
  policy: { resource: 'USER', action: 'UPDATE' },
  parameters: fields({
    userTagId: Uuid,
    newUserTagName: optional(Label),
    addUserIds: list(Uuid, { itemsMax: usersPerRequestMax }),
    removeUserIds: list(Uuid, { itemsMax: usersPerRequestMax }),
  }),
  result: Type.Object({ userTagId: Type.String() }),
  check: ({ addUserIds, removeUserIds }) => requireApart(removeUserIds, addUserIds, 'parameters.removeUserIds'),
  needs: ({ userTagId, newUserTagName, addUserIds, removeUserIds }) => [
    userTag(userTagId),
    ...(newUserTagName === undefined ? [] : [lookup('tag_name', newUserTagName)]),
    ...each('user', addUserIds, 'parameters.addUserIds'),
    ...each('user', removeUserIds, 'parameters.removeUserIds'),
  ],
  explain: ({ parameters: { userTagId: tagId, newUserTagName: newName, addUserIds, removeUserIds }, now }) => {
    const tagName = now.find('user_tag', tagId)?.tagName
    const moved = { addedIds: distinctIds(addUserIds), removedIds: distinctIds(removeUserIds) }
    return explainTag({ code: 'update_user_tag', tagId, tagName, newName, ...moved }, now)
  },

  run({ organization, parameters }) {
    const { userTags, users } = organization
    const tag = userTags.get(parameters.userTagId)
    const { tagId } = tag
    const { newUserTagName, addUserIds, removeUserIds } = parameters
    if (newUserTagName !== undefined) {
      userTags.put(renamedTag(tag, newUserTagName, { organization, fieldPath: 'parameters.newUserTagName' }))
    }
    for (const user of distinctIds(addUserIds).map((userId) => users.get(userId))) {
      if (user.userTags.includes(tagId)) continue
      users.put({ ...user, userTags: [...user.userTags, tagId] })
    }
    for (const user of distinctIds(removeUserIds).map((userId) => users.get(userId))) {
      if (!user.userTags.includes(tagId)) continue
      users.put({ ...user, userTags: user.userTags.filter((id) => id !== tagId) })
    }
    return { userTagId: tagId }
  },
})
