import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, NewAuthenticator, Uuid } from '../../contract/fields/fields.ts'
import { all, user } from '../../contract/needs.ts'
import { requireRecovery } from '../../contract/records/features.ts'
import { recoveryCredentialType } from '../../contract/records/records.ts'
import {
  checkAuthenticators,
  newAuthenticator,
  parsedAuthenticator,
  unusedAuthenticator,
  withAuthenticators,
} from '../authenticators/shared/new_authenticators.ts'

const fieldPath = 'parameters.authenticator'

export default defineActivity({
  name: 'recover_user',
  summary: 'Adds a passkey to the user whose recovery credential or link stamps the request, and uses that up.',
  policy: 'recoveryOnly',
  logsIn: true,
  parameters: fields({ authenticator: NewAuthenticator, userId: Uuid }),
  result: Type.Object({ authenticatorId: Type.Array(Type.String()) }),
  parse: (given) => ({ ...given, authenticator: parsedAuthenticator(given.authenticator, fieldPath) }),
  check: ({ authenticator }) => checkAuthenticators([authenticator]),
  ownerOf: ({ userId }) => userId,
  needs: ({ userId, authenticator }) => [user(userId), all('feature'), ...unusedAuthenticator(authenticator)],

  run({ organization, parameters, submitted, nowMs, newId, limits }) {
    const found = organization.users.get(parameters.userId)
    const { isLink, createdAtMs = 0 } = submitted.apiKey ?? {}
    if (isLink !== true) requireRecovery(found, organization, createdAtMs)
    const authenticator = newAuthenticator(parameters.authenticator, { nowMs, newId })
    // Every other recovery credential goes too: it may still be in the mailbox.
    const apiKeys = found.apiKeys.filter(({ credentialType }) => credentialType !== recoveryCredentialType)
    organization.users.put(withAuthenticators({ ...found, apiKeys }, [authenticator], limits))
    return { authenticatorId: [authenticator.authenticatorId] }
  },
})
