import { namedList } from '../../../contract/explanation/changes.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Value } from '../../../contract/explanation/explanation.ts'
import { code, text, time, tree } from '../../../contract/explanation/shown_values.ts'
import type { Invitation } from '../../../contract/records/records.ts'

type Invited = Pick<Invitation, 'receiverUserName' | 'receiverEmail' | 'accessType' | 'senderUserId'> & {
  readonly receiverUserTags: readonly string[]
  /** Undefined: a week after the change. */
  readonly expiresAtMs?: number
}

/** Shows an invitation: the person, the tags that the person gets as a user, and the sender. */
export function invitationValue(invited: Invited, now: Pick<Now, 'named'>): Value {
  const { receiverUserName, receiverEmail, receiverUserTags, accessType, senderUserId, expiresAtMs } = invited
  return tree({
    name: text(receiverUserName),
    email: text(receiverEmail),
    userTags: namedList(receiverUserTags, now),
    accessType: code(accessType),
    sender: now.named(senderUserId),
    expiresAt: expiresAtMs === undefined ? undefined : time(expiresAtMs),
  })
}
