import type { BoundActivity } from '../../../contract/define.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Note } from '../../../contract/explanation/explanation.ts'
import { noteOf } from '../../../contract/explanation/shown_values.ts'
import type { Activity } from '../../../contract/records/activity.ts'
import { submissionOf } from '../../../deciding/organization/submitted.ts'

/** Warns of a credential or a login for another user than the one who asks. Who asks may have the secret of it. */
export function warningsOfCredentials(
  { operation: { policy }, ownerOf }: Pick<BoundActivity, 'operation' | 'ownerOf'>,
  {
    activity,
    now,
    found,
  }: { readonly activity: Activity; readonly now: Pick<Now, 'named'>; readonly found: readonly string[] },
): readonly Note[] {
  const { userId, isUnstamped } = submissionOf(activity)
  const isCredential = typeof policy === 'object' && policy.resource === 'CREDENTIAL' && policy.action === 'CREATE'
  const ownerId = isCredential ? ownerOf(userId) : undefined
  return [...(ownerId === undefined ? [] : [ownerId]), ...found]
    .filter((id) => id !== userId || isUnstamped === true)
    .map((id) => noteOf('actsAs', now.named(id)))
}
