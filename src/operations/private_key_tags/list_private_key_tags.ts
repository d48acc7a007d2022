import Type from 'typebox'
import { defineQuery } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { all } from '../../contract/needs.ts'
import { TagView, tagView } from '../../contract/records/views.ts'

export default defineQuery({
  name: 'list_private_key_tags',
  summary: 'Lists the private key tags of the organization. Each key says which tags it has.',
  parameters: fields({ organizationId: Uuid }),
  result: Type.Object({ privateKeyTags: Type.Array(TagView) }),
  needs: () => [all('private_key_tag')],

  run({ organization }) {
    return { privateKeyTags: organization.privateKeyTags.all().map((tag) => tagView(tag, 'private_key')) }
  },
})
