import { changesContent, namedList } from '../../../contract/explanation/changes.ts'
import type { Content } from '../../../contract/explanation/content.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Value } from '../../../contract/explanation/explanation.ts'
import { noteOf, row, rowsOf } from '../../../contract/explanation/shown_values.ts'
import { withoutCredentialsAndSessions } from '../../../contract/records/factors.ts'
import type { Steps } from '../../../protocol/tools/steps.ts'
import { blockedSteps } from '../../mfa_policies/shared/mfa_policy_rows.ts'
import { credentialsLeft, type Removal } from './removed_credentials.ts'

type Removing = Removal & {
  /** The name of the operation. */
  readonly code: string
  readonly userId: string
  /** Shows one of them that is removed. */
  readonly shown?: (id: string) => Value
}

/** Explains a removal of credentials, with the sessions that end by it now. */
export function explainRemoval(removing: Removing, now: Now): Steps<Content> {
  const { code, userId, ids, shown = now.named } = removing
  const user = now.find('user', userId)
  const kept = user === undefined ? {} : credentialsLeft(user, removing)
  const after = user === undefined ? undefined : withoutCredentialsAndSessions(user, kept, now.submitterKey)
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
      ...ids.map((id) => row('deleted', shown(id))),
      ...rowsOf({ endedSessions: endedIds.length === 0 ? undefined : namedList(endedIds, now) }),
    ],
  })
}
