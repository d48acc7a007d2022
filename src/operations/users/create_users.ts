import Type, { type Static, type TSchema } from 'typebox'
import { defineActivity, olderType } from '../../contract/define.ts'
import {
  apiKeysPerUserRequestMax,
  authenticatorsPerUserRequestMax,
  Email,
  fields,
  Label,
  list,
  NewApiKey,
  NewAuthenticator,
  NewP256ApiKey,
  namedFields,
  optional,
  PhoneNumber,
  tagsPerRequestMax,
  Uuid,
  usersPerRequestMax,
} from '../../contract/fields/fields.ts'
import { AccessTypeName } from '../../contract/records/views.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { FirstNewAuthenticator, upgradeFirst } from '../authenticators/shared/first_authenticators.ts'
import {
  checkOauthProvidersOfUsers,
  FirstNewOauthProvider,
  identityReadsOfUsers,
  NewOauthProvider,
  oauthProvidersPerUserRequestMax,
  oidcTokensOfUsers,
  withOauthProvidersOfUsers,
} from '../oauth_providers/shared/new_oauth_providers.ts'
import {
  checkUsers,
  claimedAt,
  newUsers,
  onP256,
  parsedUsers,
  tagsOfUsers,
  unusedKeysOfUsers,
} from './shared/new_users.ts'

const NewUser = namedFields('UserParamsV4', {
  userName: Label,
  userEmail: optional(Email),
  userPhoneNumber: optional(PhoneNumber),
  apiKeys: list(NewApiKey, { itemsMax: apiKeysPerUserRequestMax }),
  authenticators: list(NewAuthenticator, { itemsMax: authenticatorsPerUserRequestMax }),
  oauthProviders: list(NewOauthProvider, { itemsMax: oauthProvidersPerUserRequestMax }),
  userTags: list(Uuid, { itemsMax: tagsPerRequestMax }),
})

const ThirdUser = namedFields('UserParamsV3', {
  ...NewUser.properties,
  oauthProviders: list(FirstNewOauthProvider, { itemsMax: oauthProvidersPerUserRequestMax }),
})

/** The fields of a user in the first two versions. */
const firstFields = {
  userName: Label,
  userEmail: optional(Email),
  apiKeys: list(NewP256ApiKey, { itemsMax: apiKeysPerUserRequestMax }),
  authenticators: list(NewAuthenticator, { itemsMax: authenticatorsPerUserRequestMax }),
  userTags: list(Uuid, { itemsMax: tagsPerRequestMax }),
}
const FirstUser = namedFields('UserParamsV2', firstFields)
const FirstUserWithAccess = namedFields('UserParams', {
  ...firstFields,
  // These passkeys name a user, whose id is ignored: the new user has no id yet.
  authenticators: list(FirstNewAuthenticator, { itemsMax: authenticatorsPerUserRequestMax }),
  accessType: AccessTypeName,
})

const fieldPath = 'parameters.users'
const parametersOf = <U extends TSchema>(user: U) =>
  fields({ users: list(user, { itemsMin: 1, itemsMax: usersPerRequestMax }) })

export default defineActivity({
  name: 'create_users',
  summary: 'Adds users to the organization.',
  type: 'ACTIVITY_TYPE_CREATE_USERS_V4',
  resultKey: 'createUsersResult',
  policy: { resource: 'USER', action: 'CREATE' },
  parameters: parametersOf(NewUser),
  result: Type.Object({ userIds: Type.Array(Type.String()) }),
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_USERS_V3',
      resultKey: 'createUsersResult',
      parameters: parametersOf(ThirdUser),
      upgrade: (given) => given,
    }),
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_USERS_V2',
      resultKey: 'createUsersResult',
      parameters: parametersOf(FirstUser),
      upgrade: ({ users }) => ({ users: users.map(asNewest) }),
    }),
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_USERS',
      parameters: parametersOf(FirstUserWithAccess),
      upgrade: ({ users }) => ({ users: users.map(withFittingAccess).map(asNewest) }),
    }),
  ],
  parse: ({ users }) => ({ users: parsedUsers(users, fieldPath) }),
  async check({ users }, pause) {
    await checkUsers(users, fieldPath, pause)
    checkOauthProvidersOfUsers(users, fieldPath)
  },
  needs: ({ users }) => [
    ...unusedKeysOfUsers(users, fieldPath),
    ...tagsOfUsers(users, fieldPath),
    ...identityReadsOfUsers(users),
  ],
  oidcTokens: ({ users }) => oidcTokensOfUsers(users, fieldPath),

  run({ organization, parameters, caller, submitted, oidcIdentity, oidcAudiences, nowMs, newId, limits }) {
    const claimedAtMs = claimedAt({ organization, caller, submitted })
    const circumstances = { fieldPath, organization, oidcIdentity, oidcAudiences, nowMs, newId, claimedAtMs, limits }
    const users = withOauthProvidersOfUsers(newUsers(parameters.users, circumstances), parameters.users, circumstances)
    for (const user of users) organization.users.add(user)
    return { userIds: users.map(({ userId }) => userId) }
  },
})

function asNewest(user: Static<typeof FirstUser>) {
  return { ...onP256(user), oauthProviders: [] }
}

/** Refuses an access type that contradicts the user's credentials, which alone decide how the user gets in. */
function withFittingAccess({ accessType, ...user }: Static<typeof FirstUserWithAccess>, index: number) {
  const isWrong =
    (accessType === 'ACCESS_TYPE_WEB' && user.apiKeys.length > 0) ||
    (accessType === 'ACCESS_TYPE_API' && user.authenticators.length > 0)
  const fieldPath = `parameters.users[${index}]`
  if (isWrong) {
    throw fieldInvalid(`${fieldPath}.accessType`, 'ACCESS_TYPE_ALL, or the one that fits the credentials of this user')
  }
  const authenticators = user.authenticators.map((one, at) => upgradeFirst(one, `${fieldPath}.authenticators[${at}]`))
  return { ...user, authenticators }
}
