import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, list, Uuid } from '../../contract/fields/fields.ts'
import { distinctIds } from '../../contract/fields/ids.ts'
import { all, user } from '../../contract/needs.ts'
import { requireApprovers } from '../users/shared/lockout.ts'
import { explainRemoval } from '../users/shared/removal_changes.ts'
import { withoutCredentials } from '../users/shared/removed_credentials.ts'

const authenticatorsPerDeletionMax = 100

export default defineActivity({
  name: 'delete_authenticators',
  summary:
    'Removes passkeys from a user, and ends the sessions that they opened. A passkey never stamps again after its removal was acknowledged.',
  policy: { resource: 'CREDENTIAL', action: 'DELETE' },
  parameters: fields({
    userId: Uuid,
    authenticatorIds: list(Uuid, { itemsMin: 1, itemsMax: authenticatorsPerDeletionMax }),
  }),
  result: Type.Object({ authenticatorIds: Type.Array(Type.String()) }),
  ownerOf: ({ userId }) => userId,
  needs: ({ userId }) => [user(userId), all('user'), all('feature')],
  explain: ({ parameters: { userId, authenticatorIds }, now }) =>
    explainRemoval(
      { code: 'delete_authenticators', userId, list: 'authenticators', ids: distinctIds(authenticatorIds) },
      now,
    ),

  run({ organization: { rootQuorum, users, features }, parameters: { userId, authenticatorIds } }) {
    const ids = distinctIds(authenticatorIds)
    const changed = withoutCredentials(users.get(userId), { list: 'authenticators', ids })
    const place = { rootQuorum, users: users.all(), features: features.all() }
    requireApprovers(changed, { ...place, fieldPath: 'parameters.authenticatorIds' })
    users.put(changed)
    return { authenticatorIds: ids }
  },
})
