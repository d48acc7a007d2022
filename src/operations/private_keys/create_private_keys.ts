import Type from 'typebox'
import { addressOf } from '../../protocol/address_formats.ts'
import { publicKeyOf } from '../../protocol/curves.ts'
import { Failure } from '../../protocol/failures.ts'
import { defineActivity } from '../define.ts'
import {
  AddressFormatName,
  addressFormatsPerKeyMax,
  CurveName,
  fields,
  Label,
  list,
  privateKeysPerRequestMax,
  tagsPerRequestMax,
  Uuid,
} from '../fields.ts'
import { distinctIds } from '../ids.ts'
import { each, unused } from '../needs.ts'
import { checkFormat } from '../new_accounts.ts'

const NewPrivateKey = fields({
  privateKeyName: Label,
  curve: CurveName,
  privateKeyTags: list(Uuid, { itemsMax: tagsPerRequestMax }),
  addressFormats: list(AddressFormatName, { itemsMax: addressFormatsPerKeyMax }),
})

export default defineActivity({
  name: 'create_private_keys',
  summary: 'Makes private keys that belong to no wallet.',
  type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2',
  intentKey: 'createPrivateKeysIntentV2',
  resultKey: 'createPrivateKeysResultV2',
  policy: { resource: 'PRIVATE_KEY', action: 'CREATE' },
  parameters: fields({ privateKeys: list(NewPrivateKey, { itemsMin: 1, itemsMax: privateKeysPerRequestMax }) }),
  result: Type.Object({
    privateKeys: Type.Array(
      Type.Object({
        privateKeyId: Type.String(),
        addresses: Type.Array(Type.Object({ format: AddressFormatName, address: Type.String() })),
      }),
    ),
  }),
  check: ({ privateKeys }) => {
    const names = new Set<string>()
    privateKeys.forEach(({ privateKeyName, curve, addressFormats }, index) => {
      const at = `parameters.privateKeys[${index}]`
      if (names.has(privateKeyName)) {
        throw new Failure('NAME_TAKEN', { fieldPath: `${at}.privateKeyName`, expected: 'used once' })
      }
      names.add(privateKeyName)
      addressFormats.forEach((addressFormat, formatIndex) => {
        checkFormat({ curve, addressFormat }, `${at}.addressFormats[${formatIndex}]`)
      })
      if (new Set(addressFormats).size < addressFormats.length) {
        throw new Failure('FIELD_INVALID', {
          fieldPath: `${at}.addressFormats`,
          expected: 'a list of different formats',
        })
      }
    })
  },
  reads: ({ privateKeys }) =>
    privateKeys.flatMap(({ privateKeyName, privateKeyTags }, index) => [
      unused('private_key_name', privateKeyName, `parameters.privateKeys[${index}].privateKeyName`),
      ...each('private_key_tag', privateKeyTags, `parameters.privateKeys[${index}].privateKeyTags`),
    ]),

  run({ organization, parameters, keys, limits, nowMs, newId }) {
    const privateKeys = parameters.privateKeys.map(({ privateKeyName, curve, privateKeyTags, addressFormats }) => {
      const secret = keys.newPrivateKey(curve)
      const publicKey = publicKeyOf(curve, secret.reveal())
      const privateKeyId = newId()
      const addresses = addressFormats.map((format) => ({ format, address: addressOf({ format, curve, publicKey }) }))
      organization.privateKeys.add(
        {
          privateKeyId,
          privateKeyName,
          curve,
          publicKey: Buffer.from(publicKey).toString('hex'),
          addresses,
          privateKeyTags: distinctIds(privateKeyTags),
          exported: false,
          imported: false,
          createdAtMs: nowMs,
          updatedAtMs: nowMs,
        },
        secret,
      )
      return { privateKeyId, addresses }
    })
    if (organization.privateKeys.count() > limits.privateKeysMax) {
      throw new Failure('LIMIT_REACHED', {
        reason: `an organization has at most ${limits.privateKeysMax} private keys`,
      })
    }
    return { privateKeys }
  },
})
