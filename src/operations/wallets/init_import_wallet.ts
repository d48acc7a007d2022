import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { newImportTarget, targetReads } from '../private_keys/shared/import_targets.ts'

export default defineActivity({
  name: 'init_import_wallet',
  summary: 'Creates a key to which a user can encrypt a wallet to import.',
  policy: { resource: 'WALLET', action: 'IMPORT' },
  isEveryday: true,
  parameters: fields({ userId: Uuid }),
  result: Type.Object({ importBundle: Type.String() }),
  needs: ({ userId }) => targetReads({ userId, imports: 'wallet' }),

  run({ organization, parameters: { userId }, keys, newId }) {
    return { importBundle: newImportTarget({ userId, imports: 'wallet' }, { organization, keys, newId }) }
  },
})
