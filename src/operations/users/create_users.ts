import Type from 'typebox'
import { defineActivity } from '../define.ts'
import {
  apiKeysPerUserRequestMax,
  authenticatorsPerUserRequestMax,
  Email,
  EmptyList,
  fields,
  Label,
  list,
  NewApiKey,
  NewAuthenticator,
  optional,
  PhoneNumber,
  tagsPerRequestMax,
  Uuid,
  usersPerRequestMax,
} from '../fields.ts'
import { checkUserCount, checkUsers, newUsers, unusedKeysOfUsers } from '../new_users.ts'

const NewUser = fields({
  userName: Label,
  userEmail: optional(Email),
  userPhoneNumber: optional(PhoneNumber),
  apiKeys: list(NewApiKey, { itemsMax: apiKeysPerUserRequestMax }),
  authenticators: list(NewAuthenticator, { itemsMax: authenticatorsPerUserRequestMax }),
  oauthProviders: EmptyList,
  userTags: list(Uuid, { itemsMax: tagsPerRequestMax }),
})

export default defineActivity({
  name: 'create_users',
  summary: 'Adds users to the organization.',
  type: 'ACTIVITY_TYPE_CREATE_USERS_V4',
  intentKey: 'createUsersIntentV4',
  resultKey: 'createUsersResult',
  policy: { resource: 'USER', action: 'CREATE' },
  parameters: fields({ users: list(NewUser, { itemsMin: 1, itemsMax: usersPerRequestMax }) }),
  result: Type.Object({ userIds: Type.Array(Type.String()) }),
  check: ({ users }) => checkUsers(users, 'parameters.users'),
  reads: ({ users }) => unusedKeysOfUsers(users, 'parameters.users'),

  run({ organization, parameters, nowMs, newId, limits }) {
    const users = newUsers(parameters.users, { nowMs, newId, limits })
    for (const user of users) organization.users.add(user)
    checkUserCount(organization.users.count(), limits)
    return { userIds: users.map(({ userId }) => userId) }
  },
})
