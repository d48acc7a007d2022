import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, Label, Uuid } from '../../contract/fields/fields.ts'
import { user } from '../../contract/needs.ts'
import { explainUser } from './shared/user_changes.ts'

export default defineActivity({
  name: 'update_user_name',
  summary: 'Renames a user. Several users may have the same name.',
  policy: { resource: 'USER', action: 'UPDATE' },
  parameters: fields({ userId: Uuid, userName: Label }),
  result: Type.Object({ userId: Type.String() }),
  needs: ({ userId }) => [user(userId)],
  explain: ({ parameters, now }) => explainUser('update_user_name', parameters, now),

  run({ organization, parameters: { userId, userName } }) {
    const found = organization.users.get(userId)
    organization.users.put({ ...found, userName })
    return { userId: found.userId }
  },
})
