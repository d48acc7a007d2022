import { changesContent, namedList } from '../../../contract/explanation/changes.ts'
import type { Content } from '../../../contract/explanation/content.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Value } from '../../../contract/explanation/explanation.ts'
import { noteOf, row, rowsOf } from '../../../contract/explanation/values.ts'
import { withoutCredentialsAndSessions } from '../../../contract/records/factors.ts'
import type { User } from '../../../contract/records/records.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { blockedSteps } from '../../mfa_policies/shared/mfa_policy_rows.ts'

type Removing = {
  /** The name of the operation. */
  readonly code: string
  readonly userId: string
  readonly deleted: readonly Value[]
  /** The credentials that stay, of the kind that is removed. */
  left(user: User): Parameters<typeof withoutCredentialsAndSessions>[1]
}

/** Explains a removal of credentials, with the sessions that end by it now. */
export function explainRemoval({ code, userId, deleted, left }: Removing, now: Now): Steps<Content> {
  const user = now.find('user', userId)
  const kept = user === undefined ? {} : left(user)
  const after = user === undefined ? undefined : withoutCredentialsAndSessions(user, kept)
  const remaining = after?.apiKeys ?? []
  const isLast = after !== undefined && [after.apiKeys, after.authenticators, after.oauthProviders].flat().length === 0
  const ended = (kept.apiKeys ?? user?.apiKeys ?? []).filter((key) => !remaining.includes(key))
  const endedIds = ended.map(({ apiKeyId }) => apiKeyId)
  return changesContent(now, {
    code,
    subject: [now.named(userId)],
    warnings: [
      ...(isLast && now.isBefore ? [noteOf('losesWayIn', now.named(userId))] : []),
      ...blockedSteps({ user, after }, now),
    ],
    rows: [
      row('user', now.named(userId)),
      ...deleted.map((one) => row('deleted', one)),
      ...rowsOf({ endedSessions: endedIds.length === 0 ? undefined : namedList(endedIds, now) }),
    ],
  })
}
