import { changesContent, namedList, textChange } from '../../../contract/explanation/changes.ts'
import type { Content } from '../../../contract/explanation/content.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Note, Value } from '../../../contract/explanation/explanation.ts'
import { noteOf, row, rowsOf, text } from '../../../contract/explanation/shown_values.ts'
import { distinctIds } from '../../../contract/fields/ids.ts'
import type { User } from '../../../contract/records/records.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { passcodeSwitches, type Switch } from '../../../protocol/wire/feature_names.ts'
import { mailboxOf } from '../../../protocol/wire/mail_addresses.ts'
import { blockedSteps } from '../../mfa_policies/shared/mfa_policy_rows.ts'
import { keysLeft } from './contact_changes.ts'

type UserChange = {
  readonly userId: string
  readonly userName?: string
  readonly userEmail?: string
  readonly userPhoneNumber?: string
  readonly userTagIds?: readonly string[]
}

/** Explains a change of a user. An empty list of tags changes none. */
export function explainUser(code: string, given: UserChange, now: Now): Steps<Content> {
  const { userId, userName, userEmail, userPhoneNumber, userTagIds = [] } = given
  const user = now.find('user', userId)
  const after = user && withContacts(user, given)
  return changesContent(now, {
    code,
    subject: [now.named(userId)],
    warnings: [...contactWarnings(given, now), ...blockedSteps({ user, after }, now)],
    rows: [row('user', now.named(userId)), ...rowsOf({ endedSessions: endedSessions(user, after, now) })],
    changes: {
      userName: textChange(user?.userName, userName),
      userEmail: textChange(user?.userEmail, userEmail),
      userPhoneNumber: textChange(user?.userPhoneNumber, userPhoneNumber),
      userTags: {
        from: namedList(user?.userTags, now),
        to: userTagIds.length === 0 ? undefined : namedList(distinctIds(userTagIds), now),
      },
    },
  })
}

/** The sessions that a code to a former contact opened. One that asks for the change itself may stay. */
function endedSessions(user: User | undefined, after: User | undefined, now: Now): Value | undefined {
  if (user === undefined || after === undefined) return undefined
  const changedBy = user.apiKeys.find(({ publicKey }) => publicKey === now.submitterKey)
  const left = new Set(keysLeft(user, after, changedBy).map(({ apiKeyId }) => apiKeyId))
  const ended = user.apiKeys.map(({ apiKeyId }) => apiKeyId).filter((id) => !left.has(id))
  return ended.length === 0 ? undefined : namedList(ended, now)
}

/** An empty contact is none. */
function withContacts({ userEmail, userPhoneNumber, ...user }: User, given: UserChange): User {
  const [email, phoneNumber] = [given.userEmail ?? userEmail, given.userPhoneNumber ?? userPhoneNumber]
  return {
    ...user,
    ...(email === undefined || email === '' ? {} : { userEmail: email }),
    ...(phoneNumber === undefined || phoneNumber === '' ? {} : { userPhoneNumber: phoneNumber }),
  }
}

/** The reader of a new contact gets passcodes or a recovery by mail there, as far as the organization has these on. */
function contactWarnings({ userId, userEmail = '', userPhoneNumber = '' }: UserChange, now: Now): readonly Note[] {
  if (!now.isBefore) return []
  const user = now.find('user', userId)
  const isOn = (name: Switch) => now.find('feature', name)?.isOff !== true
  const canRecover =
    isOn('FEATURE_NAME_EMAIL_RECOVERY') &&
    (!now.rootQuorum.userIds.includes(userId) || isOn('FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY'))
  const contacts = [
    { to: userEmail, before: user?.userEmail, opens: isOn(passcodeSwitches.OTP_TYPE_EMAIL) || canRecover },
    { to: userPhoneNumber, before: user?.userPhoneNumber, opens: isOn(passcodeSwitches.OTP_TYPE_SMS) },
  ]
  return contacts
    .filter(({ to, before, opens }) => to !== '' && mailboxOf(to) !== mailboxOf(before ?? '') && opens)
    .map(({ to }) => noteOf('contactLogsIn', text(to), now.named(userId)))
}
