import Type, { type Static } from 'typebox'
import { defineActivity } from '../define.ts'
import {
  apiKeysPerUserRequestMax,
  Email,
  fields,
  Label,
  list,
  optional,
  Seconds,
  tagsPerRequestMax,
  Uuid,
  usersPerRequestMax,
} from '../fields.ts'
import { checkUserCount, checkUsers, type GivenUser, newUsers, tagsOfUsers, unusedKeysOfUsers } from '../new_users.ts'

const NewApiOnlyUser = fields({
  userName: Label,
  userEmail: optional(Email),
  userTags: list(Uuid, { itemsMax: tagsPerRequestMax }),
  apiKeys: list(
    fields({
      apiKeyName: Label,
      publicKey: Type.String({ maxLength: 132, expected: 'a public key in hex' }),
      expirationSeconds: optional(Seconds),
    }),
    { itemsMax: apiKeysPerUserRequestMax },
  ),
})

export default defineActivity({
  name: 'create_api_only_users',
  summary: 'Adds users who authenticate with P-256 API keys only.',
  type: 'ACTIVITY_TYPE_CREATE_API_ONLY_USERS',
  intentKey: 'createApiOnlyUsersIntent',
  resultKey: 'createApiOnlyUsersResult',
  policy: { resource: 'USER', action: 'CREATE' },
  parameters: fields({ apiOnlyUsers: list(NewApiOnlyUser, { itemsMin: 1, itemsMax: usersPerRequestMax }) }),
  result: Type.Object({ userIds: Type.Array(Type.String()) }),
  check: ({ apiOnlyUsers }) => checkUsers(apiOnlyUsers.map(withCurve), 'parameters.apiOnlyUsers'),
  reads: ({ apiOnlyUsers }) => [
    ...unusedKeysOfUsers(apiOnlyUsers.map(withCurve), 'parameters.apiOnlyUsers'),
    ...tagsOfUsers(apiOnlyUsers.map(withCurve), 'parameters.apiOnlyUsers'),
  ],

  run({ organization, parameters, nowMs, newId, limits }) {
    const users = newUsers(parameters.apiOnlyUsers.map(withCurve), { nowMs, newId, limits })
    for (const user of users) organization.users.add(user)
    checkUserCount(organization.users.count(), limits)
    return { userIds: users.map(({ userId }) => userId) }
  },
})

/** These keys name no curve: they are from the time when there was only one. */
function withCurve(user: Static<typeof NewApiOnlyUser>): GivenUser {
  return { ...user, apiKeys: user.apiKeys.map((apiKey) => ({ ...apiKey, curveType: 'API_KEY_CURVE_P256' })) }
}
