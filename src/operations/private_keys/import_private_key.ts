import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import {
  AddressFormatName,
  addressFormatsPerKeyMax,
  CurveName,
  EncryptedBundle,
  fields,
  Label,
  list,
  Uuid,
} from '../../contract/fields/fields.ts'
import { unused } from '../../contract/needs.ts'
import { AddressView } from '../../contract/records/views.ts'
import { parseEncryptedBundle } from '../../protocol/bundles/bundles.ts'
import { isPrivateKey, privateKeyBytes } from '../../protocol/crypto/curves.ts'
import { fieldRefused } from '../../protocol/wire/failures.ts'
import { openImport, targetReads } from './shared/import_targets.ts'
import { addPrivateKey, checkFormats } from './shared/new_private_keys.ts'

export default defineActivity({
  name: 'import_private_key',
  summary: 'Imports a private key that a user encrypted to the target of an init_import_private_key.',
  policy: { resource: 'PRIVATE_KEY', action: 'IMPORT' },
  isEveryday: true,
  parameters: fields({
    userId: Uuid,
    privateKeyName: Label,
    encryptedBundle: EncryptedBundle,
    curve: CurveName,
    addressFormats: list(AddressFormatName, { itemsMax: addressFormatsPerKeyMax }),
  }),
  result: Type.Object({
    privateKeyId: Type.String(),
    addresses: Type.Array(AddressView),
  }),
  check: ({ encryptedBundle, curve, addressFormats }) => {
    parseEncryptedBundle(encryptedBundle, 'parameters.encryptedBundle')
    checkFormats({ curve, addressFormats }, 'parameters.addressFormats')
  },
  needs: ({ userId, privateKeyName }) => [
    ...targetReads({ userId, imports: 'private_key' }),
    unused('private_key_name', privateKeyName, 'parameters.privateKeyName'),
  ],

  run({ organization, parameters, keys, nowMs, newId }) {
    const { userId, privateKeyName, encryptedBundle, curve, addressFormats } = parameters
    const opened = openImport({ userId, imports: 'private_key', encryptedBundle }, { organization, keys, nowMs })
    if (opened.reveal().length !== privateKeyBytes || !isPrivateKey(curve, opened.reveal())) {
      opened[Symbol.dispose]()
      throw fieldRefused(
        'parameters.encryptedBundle',
        `its plaintext must be a private key of ${curve}, ${privateKeyBytes} bytes`,
      )
    }
    const given = { privateKeyName, curve, addressFormats, secret: opened, imported: true }
    return addPrivateKey(given, { organization, newId })
  },
})
