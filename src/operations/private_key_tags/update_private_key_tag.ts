import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, Label, list, optional, privateKeysPerRequestMax, Uuid } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { each, lookup, privateKeyTag } from '../../contract/needs.ts'
import { explainTag } from '../user_tags/shared/tag_changes.ts'
import { renamedTag, requireApart } from '../user_tags/shared/tags.ts'

export default defineActivity({
  name: 'update_private_key_tag',
  summary: 'Renames a tag, puts it on private keys and takes it from private keys.',
  policy: { resource: 'PRIVATE_KEY', action: 'UPDATE' },
  parameters: fields({
    privateKeyTagId: Uuid,
    newPrivateKeyTagName: optional(Label),
    addPrivateKeyIds: list(Uuid, { itemsMax: privateKeysPerRequestMax }),
    removePrivateKeyIds: list(Uuid, { itemsMax: privateKeysPerRequestMax }),
  }),
  result: Type.Object({ privateKeyTagId: Type.String() }),
  check: ({ addPrivateKeyIds, removePrivateKeyIds }) =>
    requireApart(removePrivateKeyIds, addPrivateKeyIds, 'parameters.removePrivateKeyIds'),
  needs: ({ privateKeyTagId, newPrivateKeyTagName, addPrivateKeyIds, removePrivateKeyIds }) => [
    privateKeyTag(privateKeyTagId),
    ...(newPrivateKeyTagName === undefined ? [] : [lookup('tag_name', newPrivateKeyTagName)]),
    ...each('private_key', addPrivateKeyIds, 'parameters.addPrivateKeyIds'),
    ...each('private_key', removePrivateKeyIds, 'parameters.removePrivateKeyIds'),
  ],
  explain: ({ parameters, now }) => {
    const { privateKeyTagId: tagId, newPrivateKeyTagName: newName, addPrivateKeyIds, removePrivateKeyIds } = parameters
    const tagName = now.find('private_key_tag', tagId)?.tagName
    const moved = { addedIds: distinctIds(addPrivateKeyIds), removedIds: distinctIds(removePrivateKeyIds) }
    return explainTag({ code: 'update_private_key_tag', tagId, tagName, newName, ...moved }, now)
  },

  run({ organization, parameters }) {
    const { privateKeyTags, privateKeys } = organization
    const tag = privateKeyTags.get(parameters.privateKeyTagId)
    const { tagId } = tag
    const { newPrivateKeyTagName, addPrivateKeyIds, removePrivateKeyIds } = parameters
    if (newPrivateKeyTagName !== undefined) {
      const fieldPath = 'parameters.newPrivateKeyTagName'
      privateKeyTags.put(renamedTag(tag, newPrivateKeyTagName, { organization, fieldPath }))
    }
    for (const privateKey of distinctIds(addPrivateKeyIds).map((privateKeyId) => privateKeys.get(privateKeyId))) {
      if (privateKey.privateKeyTags.includes(tagId)) continue
      privateKeys.put({ ...privateKey, privateKeyTags: [...privateKey.privateKeyTags, tagId] })
    }
    for (const privateKey of distinctIds(removePrivateKeyIds).map((privateKeyId) => privateKeys.get(privateKeyId))) {
      if (!privateKey.privateKeyTags.includes(tagId)) continue
      privateKeys.put({ ...privateKey, privateKeyTags: privateKey.privateKeyTags.filter((id) => id !== tagId) })
    }
    return { privateKeyTagId: tagId }
  },
})
