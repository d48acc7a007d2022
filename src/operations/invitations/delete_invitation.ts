import Type from 'typebox'
import { defineActivity } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import { row } from '../../contract/explanation/shown_values.ts'
import { fields, Uuid } from '../../contract/fields/fields.ts'
import { invitation } from '../../contract/needs.ts'
import { fieldRefused } from '../../protocol/wire/failures.ts'
import { invitationValue } from './shared/invitation_changes.ts'
import { ended } from './shared/invitations.ts'

export default defineActivity({
  name: 'delete_invitation',
  summary: 'Revokes an invitation, so that its link makes nobody a user any more.',
  policy: { resource: 'INVITATION', action: 'DELETE' },
  parameters: fields({ invitationId: Uuid }),
  result: Type.Object({ invitationId: Type.String() }),
  needs: ({ invitationId }) => [invitation(invitationId)],
  explain: ({ parameters: { invitationId }, now }) => {
    const found = now.find('invitation', invitationId)
    return changesContent(now, {
      code: 'delete_invitation',
      subject: [now.named(invitationId)],
      rows: [
        row('deleted', now.named(invitationId)),
        ...(found === undefined ? [] : [row('invited', invitationValue(found, now))]),
      ],
    })
  },

  run({ organization, parameters: { invitationId } }) {
    const found = organization.invitations.get(invitationId)
    if (found.status !== 'INVITATION_STATUS_CREATED') {
      const reason = 'the invitation was accepted or deleted before; delete_users removes a user'
      throw fieldRefused('parameters.invitationId', reason)
    }
    organization.invitations.put(ended(found, 'INVITATION_STATUS_REVOKED'))
    return { invitationId }
  },
})
