import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { fields, NewAuthenticator, Uuid } from '../../contract/fields/fields.ts'
import { all, invitation } from '../../contract/needs.ts'
import { fieldInvalid } from '../../protocol/wire/failures.ts'
import {
  checkAuthenticators,
  newAuthenticator,
  parsedAuthenticator,
  unusedAuthenticator,
} from '../authenticators/shared/new_authenticators.ts'
import { ended, isOpen } from './shared/invitations.ts'

const fieldPath = 'parameters.authenticator'

export default defineActivity({
  name: 'accept_invitation',
  isOwn: true,
  summary: 'Makes the person whose invitation stamps the request a user with a passkey, and uses the invitation up.',
  type: 'ACTIVITY_TYPE_ACCEPT_INVITATION_V2',
  resultKey: 'acceptInvitationResult',
  policy: 'invitationOnly',
  parameters: fields({ invitationId: Uuid, userId: Uuid, authenticator: NewAuthenticator }),
  result: Type.Object({ invitationId: Type.String(), userId: Type.String() }),
  parse: (given) => ({ ...given, authenticator: parsedAuthenticator(given.authenticator, fieldPath) }),
  check: ({ authenticator }) => checkAuthenticators([authenticator]),
  ownerOf: ({ userId }) => userId,
  needs: ({ invitationId, authenticator }) => [
    invitation(invitationId),
    ...unusedAuthenticator(authenticator),
    all('user_tag'),
  ],

  run({ organization, parameters, caller, nowMs, newId }) {
    const { invitationId } = parameters
    const found = organization.invitations.get(invitationId)
    if (found.userId !== caller.user.userId || !isOpen(found, nowMs)) {
      throw fieldInvalid('parameters.invitationId', 'the invitation whose link stamps the request')
    }
    organization.invitations.put(ended(found, 'INVITATION_STATUS_ACCEPTED'))
    const isThere = new Set(organization.userTags.all().map(({ tagId }) => tagId))
    const { userId } = organization.users.add({
      userId: found.userId,
      userName: found.receiverUserName,
      userEmail: found.receiverEmail,
      apiKeys: [],
      authenticators: [newAuthenticator(parameters.authenticator, { nowMs, newId })],
      oauthProviders: [],
      // A tag that was deleted since is deleted from the invitation too.
      userTags: found.receiverUserTags.filter((tagId) => isThere.has(tagId)),
    })
    return { invitationId, userId }
  },
})
