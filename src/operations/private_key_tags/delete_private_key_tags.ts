import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, list, tagsPerRequestMax, Uuid } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { all, each } from '../../contract/needs.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { explainDeletedTags } from '../user_tags/shared/tag_changes.ts'

export default defineActivity({
  name: 'delete_private_key_tags',
  summary: 'Deletes private key tags, takes them from all keys that have them, and returns the ids of those keys.',
  policy: { resource: 'PRIVATE_KEY', action: 'DELETE' },
  parameters: fields({ privateKeyTagIds: list(Uuid, { itemsMin: 1, itemsMax: tagsPerRequestMax }) }),
  result: Type.Object({ privateKeyTagIds: Type.Array(Type.String()), privateKeyIds: Type.Array(Type.String()) }),
  needs: ({ privateKeyTagIds }) => [
    ...each('private_key_tag', privateKeyTagIds, 'parameters.privateKeyTagIds'),
    all('private_key'),
  ],
  explain: ({ parameters, request, now }) =>
    explainDeletedTags(
      {
        code: 'delete_private_key_tags',
        tagIds: distinctIds(parameters.privateKeyTagIds),
        tagged:
          request instanceof Failure
            ? []
            : request.organization.privateKeys
                .all()
                .map(({ privateKeyId, privateKeyTags }) => ({ id: privateKeyId, tagIds: privateKeyTags })),
      },
      now,
    ),

  run({ organization, parameters }) {
    const privateKeyTagIds = distinctIds(parameters.privateKeyTagIds)
    for (const privateKeyTagId of privateKeyTagIds) organization.privateKeyTags.remove(privateKeyTagId)
    const tagged = organization.privateKeys
      .all()
      .filter(({ privateKeyTags }) => privateKeyTags.some((id) => privateKeyTagIds.includes(id)))
    for (const privateKey of tagged) {
      const privateKeyTags = privateKey.privateKeyTags.filter((id) => !privateKeyTagIds.includes(id))
      organization.privateKeys.put({ ...privateKey, privateKeyTags })
    }
    return { privateKeyTagIds, privateKeyIds: tagged.map(({ privateKeyId }) => privateKeyId) }
  },
})
