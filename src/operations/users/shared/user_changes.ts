import type { Steps } from '../../../protocol/tools/steps.ts'
import { passcodeSwitches, type Switch } from '../../../protocol/wire/feature_names.ts'
import { changesContent, namedList, textChange } from '../../explanation/changes.ts'
import type { Now } from '../../explanation/explain_context.ts'
import type { Note } from '../../explanation/explanation.ts'
import type { Content } from '../../explanation/signing/signing_content.ts'
import { noteOf, row, text } from '../../explanation/values.ts'
import { distinctIds } from '../../fields/ids.ts'

type Given = {
  readonly userId: string
  readonly userName?: string
  readonly userEmail?: string
  readonly userPhoneNumber?: string
  readonly userTagIds?: readonly string[]
}

/** Explains a change of a user. An empty list of tags changes none. */
export function explainUser(code: string, given: Given, now: Now): Steps<Content> {
  const { userId, userName, userEmail, userPhoneNumber, userTagIds = [] } = given
  const user = now.find('user', userId)
  return changesContent(now, {
    code,
    subject: [now.named(userId)],
    warnings: contactWarnings(given, now),
    rows: [row('user', now.named(userId))],
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

/** Whether a passcode or a recovery by mail would go to the new contact, as far as the organization has these on. */
function contactWarnings({ userId, userEmail = '', userPhoneNumber = '' }: Given, now: Now): readonly Note[] {
  if (!now.isBefore) return []
  const user = now.find('user', userId)
  const isOn = (name: Switch) => now.find('feature', name)?.isOff !== true
  const isOfQuorum = now.rootQuorum.userIds.some((id) => id === userId)
  const canRecover =
    isOn('FEATURE_NAME_EMAIL_RECOVERY') && (!isOfQuorum || isOn('FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY'))
  const opensMail = isOn(passcodeSwitches.OTP_TYPE_EMAIL) || canRecover
  const contacts = [
    ...(userEmail !== (user?.userEmail ?? '') && opensMail ? [userEmail] : []),
    ...(userPhoneNumber !== (user?.userPhoneNumber ?? '') && isOn(passcodeSwitches.OTP_TYPE_SMS)
      ? [userPhoneNumber]
      : []),
  ]
  return contacts
    .filter((contact) => contact !== '')
    .map((contact) => noteOf('contactLogsIn', text(contact), now.named(userId)))
}
