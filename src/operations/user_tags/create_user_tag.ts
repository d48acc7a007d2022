import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent, namedList } from '../../contract/explanation/changes.ts'
import { row, rowsOf, text } from '../../contract/explanation/shown_values.ts'
import { fields, Label, list, Uuid, usersPerRequestMax } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { each, unused } from '../../contract/needs.ts'
import { newTag } from './shared/tags.ts'

export default defineActivity({
  name: 'create_user_tag',
  summary: 'Creates a tag and puts it on users.',
  policy: { resource: 'USER', action: 'CREATE' },
  parameters: fields({ userTagName: Label, userIds: list(Uuid, { itemsMax: usersPerRequestMax }) }),
  result: Type.Object({ userTagId: Type.String(), userIds: Type.Array(Type.String()) }),
  needs: ({ userTagName, userIds }) => [
    unused('tag_name', userTagName, 'parameters.userTagName'),
    ...each('user', userIds, 'parameters.userIds'),
  ],
  explain: ({ parameters: { userTagName, userIds }, now }) =>
    changesContent(now, {
      code: 'create_user_tag',
      subject: [text(userTagName)],
      rows: [row('name', text(userTagName)), ...rowsOf({ added: namedList(distinctIds(userIds), now) })],
    }),

  run({ organization, parameters, limits, newId }) {
    const tag = newTag(parameters.userTagName, { organization, limits, newId })
    organization.userTags.add(tag)
    const userIds = distinctIds(parameters.userIds)
    for (const userId of userIds) {
      const user = organization.users.get(userId)
      organization.users.put({ ...user, userTags: [...user.userTags, tag.tagId] })
    }
    return { userTagId: tag.tagId, userIds }
  },
})
