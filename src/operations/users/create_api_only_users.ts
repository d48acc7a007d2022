import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import {
  apiKeysPerUserRequestMax,
  Email,
  fields,
  Label,
  list,
  NewP256ApiKey,
  namedFields,
  optional,
  tagsPerRequestMax,
  Uuid,
  usersPerRequestMax,
} from '../../contract/fields/fields.ts'
import { checkUsers, claimedAt, newUsers, onP256, tagsOfUsers, unusedKeysOfUsers } from './shared/new_users.ts'

const NewApiOnlyUser = namedFields('ApiOnlyUserParams', {
  userName: Label,
  userEmail: optional(Email),
  userTags: list(Uuid, { itemsMax: tagsPerRequestMax }),
  apiKeys: list(NewP256ApiKey, { itemsMax: apiKeysPerUserRequestMax }),
})

const fieldPath = 'parameters.apiOnlyUsers'

export default defineActivity({
  name: 'create_api_only_users',
  summary: 'Adds users who authenticate with P-256 API keys only.',
  policy: { resource: 'USER', action: 'CREATE' },
  parameters: fields({ apiOnlyUsers: list(NewApiOnlyUser, { itemsMin: 1, itemsMax: usersPerRequestMax }) }),
  result: Type.Object({ userIds: Type.Array(Type.String()) }),
  parse: ({ apiOnlyUsers }) => ({ apiOnlyUsers: apiOnlyUsers.map(onP256) }),
  check: ({ apiOnlyUsers }, pause) => checkUsers(apiOnlyUsers, fieldPath, pause),
  needs: ({ apiOnlyUsers }) => [...unusedKeysOfUsers(apiOnlyUsers, fieldPath), ...tagsOfUsers(apiOnlyUsers, fieldPath)],

  run({ organization, parameters, caller, submitted, nowMs, newId, limits }) {
    const claimedAtMs = claimedAt({ organization, caller, submitted })
    const users = newUsers(parameters.apiOnlyUsers, { nowMs, newId, claimedAtMs, limits })
    for (const user of users) organization.users.add(user)
    return { userIds: users.map(({ userId }) => userId) }
  },
})
