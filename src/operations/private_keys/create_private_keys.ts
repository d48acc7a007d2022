import Type, { type Static } from 'typebox'
import { defineActivity, olderType } from '../../contract/define.ts'
import {
  AddressFormatName,
  addressFormatsPerKeyMax,
  CurveName,
  fields,
  Label,
  list,
  namedFields,
  privateKeysPerRequestMax,
  tagsPerRequestMax,
  Uuid,
} from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { each, unused } from '../../contract/needs.ts'
import { AddressView } from '../../contract/records/views.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { addPrivateKey, checkFormats } from './shared/new_private_keys.ts'

const NewPrivateKey = namedFields('PrivateKeyParams', {
  privateKeyName: Label,
  curve: CurveName,
  privateKeyTags: list(Uuid, { itemsMax: tagsPerRequestMax }),
  addressFormats: list(AddressFormatName, { itemsMax: addressFormatsPerKeyMax }),
})

const parameters = fields({
  privateKeys: list(NewPrivateKey, { itemsMin: 1, itemsMax: privateKeysPerRequestMax }),
})
const result = Type.Object({
  privateKeys: Type.Array(
    Type.Object({
      privateKeyId: Type.String(),
      addresses: Type.Array(AddressView),
    }),
  ),
})

export default defineActivity({
  name: 'create_private_keys',
  summary: 'Creates private keys that belong to no wallet.',
  type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2',
  policy: { resource: 'PRIVATE_KEY', action: 'CREATE' },
  isEveryday: true,
  parameters,
  result,
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS',
      parameters,
      upgrade: (given) => given,
      ownResult: {
        result: Type.Object({ privateKeyIds: Type.Array(Type.String()) }),
        downgrade: ({ privateKeys }: Static<typeof result>) => ({
          privateKeyIds: privateKeys.map(({ privateKeyId }) => privateKeyId),
        }),
      },
    }),
  ],
  check: ({ privateKeys }) => {
    const names = new Set<string>()
    privateKeys.forEach(({ privateKeyName, curve, addressFormats }, index) => {
      const at = `parameters.privateKeys[${index}]`
      if (names.has(privateKeyName)) {
        throw new Failure('NAME_TAKEN', { fieldPath: `${at}.privateKeyName`, expected: 'used once' })
      }
      names.add(privateKeyName)
      checkFormats({ curve, addressFormats }, `${at}.addressFormats`)
    })
  },
  needs: ({ privateKeys }) =>
    privateKeys.flatMap(({ privateKeyName, privateKeyTags }, index) => [
      unused('private_key_name', privateKeyName, `parameters.privateKeys[${index}].privateKeyName`),
      ...each('private_key_tag', privateKeyTags, `parameters.privateKeys[${index}].privateKeyTags`),
    ]),

  async run({ organization, parameters, keys, newId }) {
    const privateKeys: ReturnType<typeof addPrivateKey>[] = []
    for (const { privateKeyName, curve, privateKeyTags, addressFormats } of parameters.privateKeys) {
      const given = {
        privateKeyName,
        curve,
        addressFormats,
        secret: await keys.newPrivateKey(curve),
        imported: false,
        tagIds: distinctIds(privateKeyTags),
      }
      privateKeys.push(addPrivateKey(given, { organization, newId }))
    }
    return { privateKeys }
  },
})
