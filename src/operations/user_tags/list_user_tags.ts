import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { TagView, tagView } from '../../contract/records/views.ts'

export default defineQuery({
  name: 'list_user_tags',
  summary: 'Lists the user tags of the organization. Each user says which tags it has.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ userTags: Type.Array(TagView) }),
  needs: () => [all('user_tag')],

  run({ organization }) {
    return { userTags: organization.userTags.all().map((tag) => tagView(tag, 'user')) }
  },
})
