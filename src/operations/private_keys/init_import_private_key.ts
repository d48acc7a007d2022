import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { newImportTarget, targetReads } from './shared/import_targets.ts'

export default defineActivity({
  name: 'init_import_private_key',
  summary: 'Creates a key to which a user can encrypt a private key to import.',
  policy: { resource: 'PRIVATE_KEY', action: 'IMPORT' },
  isEveryday: true,
  parameters: fields({ userId: Uuid }),
  result: Type.Object({ importBundle: Type.String() }),
  needs: ({ userId }) => targetReads({ userId, imports: 'private_key' }),

  run({ organization, parameters: { userId }, keys, newId }) {
    return { importBundle: newImportTarget({ userId, imports: 'private_key' }, { organization, keys, newId }) }
  },
})
