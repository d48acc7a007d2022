import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent, namedList } from '../../contract/explanation/changes.ts'
import { row, rowsOf, text } from '../../contract/explanation/shown_values.ts'
import { fields, Label, list, privateKeysPerRequestMax, Uuid } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { each, unused } from '../../contract/needs.ts'
import { newTag } from '../user_tags/shared/tags.ts'

export default defineActivity({
  name: 'create_private_key_tag',
  summary: 'Creates a tag and puts it on private keys.',
  policy: { resource: 'PRIVATE_KEY', action: 'CREATE' },
  parameters: fields({ privateKeyTagName: Label, privateKeyIds: list(Uuid, { itemsMax: privateKeysPerRequestMax }) }),
  result: Type.Object({ privateKeyTagId: Type.String(), privateKeyIds: Type.Array(Type.String()) }),
  needs: ({ privateKeyTagName, privateKeyIds }) => [
    unused('tag_name', privateKeyTagName, 'parameters.privateKeyTagName'),
    ...each('private_key', privateKeyIds, 'parameters.privateKeyIds'),
  ],
  explain: ({ parameters: { privateKeyTagName, privateKeyIds }, now }) =>
    changesContent(now, {
      code: 'create_private_key_tag',
      subject: [text(privateKeyTagName)],
      rows: [row('name', text(privateKeyTagName)), ...rowsOf({ added: namedList(distinctIds(privateKeyIds), now) })],
    }),

  run({ organization, parameters, limits, newId }) {
    const tag = newTag(parameters.privateKeyTagName, { organization, limits, newId })
    organization.privateKeyTags.add(tag)
    const privateKeyIds = distinctIds(parameters.privateKeyIds)
    for (const privateKeyId of privateKeyIds) {
      const privateKey = organization.privateKeys.get(privateKeyId)
      organization.privateKeys.put({ ...privateKey, privateKeyTags: [...privateKey.privateKeyTags, tag.tagId] })
    }
    return { privateKeyTagId: tag.tagId, privateKeyIds }
  },
})
