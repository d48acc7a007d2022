import Type from 'typebox'
import { defineQuery } from '../define.ts'
import { fields, Uuid } from '../fields/fields.ts'
import { all } from '../needs.ts'
import { TagView, tagView } from '../records/views.ts'

export default defineQuery({
  name: 'list_user_tags',
  summary: 'All user tags of the organization; the users say which of them they have.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ userTags: Type.Array(TagView) }),
  needs: () => [all('user_tag')],

  run({ organization }) {
    return { userTags: organization.userTags.all().map((tag) => tagView(tag, 'user')) }
  },
})
