import type { Mail } from '../../src/protocol/wire/outgoing_messages.ts'
import type { Ask, Parameters, TestOrganization } from './organization.ts'
import { takeMails } from './recovery.ts'
import { type ApiKeyPair, apiKeyOf } from './stamping.ts'

export function newInvitation(senderUserId: string, given: Parameters = {}): Parameters {
  return {
    ...{ receiverUserName: 'Ada', receiverUserEmail: 'ada@example.com', receiverUserTags: [] },
    ...{ accessType: 'ACCESS_TYPE_WEB', senderUserId },
    ...given,
  }
}

/** The parts of the link in a mail: `https://keys.example/#/invitation/<organization>/<invitation>/<private key>`. */
export function linkIn({ text }: Pick<Mail, 'text'>) {
  const [link = '', organizationId = '', invitationId = '', privateKey = ''] =
    /^http\S+\/#\/invitation\/([^/\s]+)\/([^/\s]+)\/([0-9a-f]{64})$/m.exec(text) ?? []
  return { link, organizationId, invitationId, linkKey: apiKeyOf(privateKey) }
}

export type Invited = {
  readonly invitationId: string
  /** The id that the invited person will have. */
  readonly userId: string
  readonly linkKey: ApiKeyPair
  readonly mail: Mail
}

let invitedCount = 0

/** Invites a person by the root user, each at an address of its own, takes the mail and asks with its link whom it invites. */
export async function invite(
  { server, done, found, rootUserId }: Pick<TestOrganization, 'server' | 'done' | 'found' | 'rootUserId'>,
  given: Parameters = {},
  ask: Ask = {},
): Promise<Invited> {
  await takeMails(server)
  invitedCount += 1
  const receiver = { receiverUserEmail: `ada.${invitedCount}@example.com` }
  await done('create_invitations', { invitations: [newInvitation(rootUserId, { ...receiver, ...given })] }, ask)
  const [mail] = await takeMails(server)
  if (mail === undefined) throw new Error('an invitation sends a mail')
  const { organizationId, invitationId, linkKey } = linkIn(mail)
  const { userId } = await found('whoami', {}, { organizationId, apiKey: linkKey })
  return { invitationId, userId, linkKey, mail }
}
