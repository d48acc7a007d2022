import Type from 'typebox'
import { type ActivityContext, defineActivity } from '../../contract/define.ts'
import { changesContent } from '../../contract/explanation/changes.ts'
import { namedInTitle, number, row, text } from '../../contract/explanation/shown_values.ts'
import { Email, fields, Label, list, namedFields, tagsPerRequestMax, Uuid } from '../../contract/fields/fields.ts'
import { distinctIds, type Id } from '../../contract/fields/ids.ts'
import { all, each } from '../../contract/needs.ts'
import { startsMax, startsWindowMs } from '../../contract/records/counted_kinds.ts'
import { factorsOf } from '../../contract/records/factors.ts'
import type { LinkMaker, User } from '../../contract/records/records.ts'
import { AccessTypeName } from '../../contract/records/views.ts'
import { Failure, fieldInvalid } from '../../protocol/wire/failures.ts'
import { mailboxOf } from '../../protocol/wire/mail_addresses.ts'
import { mailChoiceNeeds, requireMailedLinks } from '../sessions/shared/mail_choices.ts'
import { countStart, startReads } from '../sessions/shared/message_starts.ts'
import { invitationValue } from './shared/invitation_changes.ts'
import { invitationDays, invitationMail, invitationMs, isOpen } from './shared/invitations.ts'

const invitationsPerRequestMax = 100
const fieldPath = 'parameters.invitations'
const InvitationParams = namedFields('InvitationParams', {
  receiverUserName: Label,
  receiverUserEmail: Email,
  receiverUserTags: list(Uuid, { itemsMax: tagsPerRequestMax }),
  accessType: AccessTypeName,
  senderUserId: Uuid,
})

export default defineActivity({
  name: 'create_invitations',
  summary: 'Mails people a link with which each registers a passkey and becomes a user.',
  policy: { resource: 'INVITATION', action: 'CREATE' },
  parameters: fields({
    invitations: list(InvitationParams, { itemsMin: 1, itemsMax: invitationsPerRequestMax }),
  }),
  result: Type.Object({ invitationIds: Type.Array(Type.String()) }),
  check({ invitations }) {
    const sameMailbox = new Map<string, number>()
    invitations.forEach(({ accessType, receiverUserEmail }, index) => {
      const mailbox = mailboxOf(receiverUserEmail)
      const count = (sameMailbox.get(mailbox) ?? 0) + 1
      sameMailbox.set(mailbox, count)
      // The limit of an address would keep such a request waiting for ever, with all votes.
      if (count > startsMax) {
        throw fieldInvalid(
          `${fieldPath}[${index}].receiverUserEmail`,
          `one of at most ${startsMax} to the same address`,
        )
      }
      if (accessType !== 'ACCESS_TYPE_API') return
      const expected =
        'ACCESS_TYPE_WEB or ACCESS_TYPE_ALL: an invitation is accepted with a passkey; create_api_only_users makes users with API keys'
      throw fieldInvalid(`${fieldPath}[${index}].accessType`, expected)
    })
  },
  needs: ({ invitations }) => [
    all('invitation'),
    ...mailChoiceNeeds,
    ...[...new Set(invitations.map(({ receiverUserEmail }) => mailboxOf(receiverUserEmail)))].flatMap((mailbox) =>
      startReads(startOf(mailbox)),
    ),
    ...invitations.flatMap(({ senderUserId, receiverUserTags }, index) => [
      ...each('user', [senderUserId], `${fieldPath}[${index}].senderUserId`),
      ...each('user_tag', receiverUserTags, `${fieldPath}[${index}].receiverUserTags`),
    ]),
  ],
  explain: ({ parameters: { invitations }, now }) =>
    changesContent(now, {
      code: 'create_invitations',
      subject: namedInTitle(invitations.map(({ receiverUserName }) => text(receiverUserName))),
      rows: [
        ...invitations.map((given) => {
          const receiverUserTags = distinctIds(given.receiverUserTags)
          return row(
            'invited',
            invitationValue({ ...given, receiverEmail: given.receiverUserEmail, receiverUserTags }, now),
          )
        }),
        row('daysToAccept', number(invitationDays)),
      ],
    }),

  run({ organization, parameters, caller, submitted, consoleUrl, mailDecider, keys, limits, nowMs, newId, send }) {
    if (consoleUrl === undefined) throw new Failure('LINKS_UNCONFIGURED')
    requireMailedLinks({ organization, caller, mailDecider }, { isVerified: false })
    const { organizationId, organizationName, invitations } = organization
    // Invitations that can no longer be accepted make room, the oldest first.
    const over = invitations.count() + parameters.invitations.length - limits.invitationsMax
    const ended = invitations.all().filter((one) => !isOpen(one, nowMs))
    for (const { invitationId } of ended.slice(0, Math.max(0, over))) invitations.remove(invitationId)

    const invitationIds = parameters.invitations.map((given, index) => {
      const { receiverUserName, receiverUserEmail: receiverEmail, accessType, senderUserId } = given
      const makers = makersOf(submitted, { organizationId, senderUserId, inviter: caller.user })
      countStart(startOf(receiverEmail), { organization, nowMs }, tooMany(index))
      const { publicKey, privateKey } = keys.newLinkKey()
      const expiresAtMs = nowMs + invitationMs
      const { invitationId } = invitations.add({
        ...{ invitationId: newId(), userId: newId(), receiverUserName, receiverEmail, accessType, senderUserId },
        ...{ receiverUserTags: distinctIds(given.receiverUserTags), publicKey, expiresAtMs },
        restsOn: { makers },
        status: 'INVITATION_STATUS_CREATED',
      })
      // Browsers do not send what stands after the #.
      const link = `${consoleUrl}/#/invitation/${organizationId}/${invitationId}/${privateKey}`
      // Not the name of `senderUserId`, who may know nothing of this.
      const mail = invitationMail({
        organizationName,
        ...{ sender: caller.user.userName, receiver: receiverUserName },
        ...{ receiverEmail, link },
      })
      send({ ...mail, expiresAtMs })
      return invitationId
    })
    return { invitationIds }
  },
})

type Named = { readonly organizationId: string; readonly senderUserId: Id; readonly inviter: User }

/**
 * An invitation lasts for a week, so it does not end with a session, but with the API key, the passkey or the identity
 * that opened it. Behind the session of a passcode is none of these, so it ends with that session. It also ends with the
 * user in whose name it is.
 */
function makersOf(
  { maker, livingMakers, factor }: ActivityContext<unknown>['submitted'],
  { organizationId, senderUserId, inviter }: Named,
): readonly LinkMaker[] {
  const sender = { organizationId, userId: senderUserId }
  if (maker === undefined) return [sender]
  const hasFactor = maker.attested === undefined && factor !== undefined && factorsOf(inviter).includes(factor)
  if (hasFactor) return [{ organizationId: maker.organizationId, userId: maker.userId, factor }, sender]
  return [...livingMakers(), sender]
}

/** Counted apart from passcodes: no inviter keeps a user from logging in by mail. */
function startOf(email: string) {
  return { otpType: 'OTP_TYPE_EMAIL', contact: `invitation ${mailboxOf(email)}` } as const
}

/** The mailbox may be that of somebody who wants none of these mails. */
function tooMany(index: number): Failure {
  const reason = `${fieldPath}[${index}].receiverUserEmail: at most ${startsMax} invitations to one address within ${startsWindowMs / 60_000} minutes`
  return new Failure('LIMIT_REACHED_FOR_NOW', reason)
}
