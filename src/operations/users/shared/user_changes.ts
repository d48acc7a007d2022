import type { Steps } from '../../../protocol/tools/steps.ts'
import { changesContent, namedList, textChange } from '../../explanation/changes.ts'
import type { Now } from '../../explanation/explain_context.ts'
import type { Content } from '../../explanation/signing/signing_content.ts'
import { row } from '../../explanation/values.ts'
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
