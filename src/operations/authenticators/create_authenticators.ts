import Type from 'typebox'
import { defineActivity, olderType } from '../../contract/define.ts'
import { authenticatorsPerUserRequestMax, fields, list, NewAuthenticator, Uuid } from '../../contract/fields/fields.ts'
import { user } from '../../contract/needs.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import { FirstNewAuthenticator, upgradeFirst } from './shared/first_authenticators.ts'
import {
  checkAuthenticators,
  newAuthenticator,
  parsedAuthenticators,
  unusedAuthenticator,
  withAuthenticators,
} from './shared/new_authenticators.ts'

const fieldPath = 'parameters.authenticators'
const requested = { itemsMin: 1, itemsMax: authenticatorsPerUserRequestMax }

export default defineActivity({
  name: 'create_authenticators',
  summary: 'Adds passkeys to a user.',
  type: 'ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2',
  resultKey: 'createAuthenticatorsResult',
  policy: { resource: 'CREDENTIAL', action: 'CREATE' },
  parameters: fields({ authenticators: list(NewAuthenticator, requested), userId: Uuid }),
  result: Type.Object({ authenticatorIds: Type.Array(Type.String()) }),
  versions: [
    olderType({
      type: 'ACTIVITY_TYPE_CREATE_AUTHENTICATORS',
      parameters: fields({ authenticators: list(FirstNewAuthenticator, requested), userId: Uuid }),
      upgrade: ({ authenticators, userId }) => ({
        authenticators: authenticators.map((given, index) => {
          const at = `${fieldPath}[${index}]`
          if (given.userId === userId) return upgradeFirst(given, at)
          throw fieldInvalid(`${at}.userId`, 'the one in parameters.userId')
        }),
        userId,
      }),
    }),
  ],
  parse: ({ authenticators, userId }) => ({ authenticators: parsedAuthenticators(authenticators, fieldPath), userId }),
  check: ({ authenticators }) => checkAuthenticators(authenticators),
  ownerOf: ({ userId }) => userId,
  needs: ({ userId, authenticators }) => [user(userId), ...authenticators.flatMap(unusedAuthenticator)],

  run({ organization, parameters, nowMs, newId, limits }) {
    const added = parameters.authenticators.map((given) => newAuthenticator(given, { nowMs, newId }))
    organization.users.put(withAuthenticators(organization.users.get(parameters.userId), added, limits))
    return { authenticatorIds: added.map(({ authenticatorId }) => authenticatorId) }
  },
})
