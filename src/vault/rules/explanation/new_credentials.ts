import type { BoundActivity } from '../../../contract/define.ts'
import type { Now } from '../../../contract/explanation/explain_context.ts'
import type { Note } from '../../../contract/explanation/explanation.ts'
import { noteOf } from '../../../contract/explanation/values.ts'
import type { Activity } from '../../../contract/records/activity.ts'
import { submissionOf } from '../../state/sealed_activity.ts'

/** Warns of a credential for another user than the one who asks. Who asks may have the secret of it. */
export function warningsOfCredentials(
  { operation: { policy }, ownerOf }: Pick<BoundActivity, 'operation' | 'ownerOf'>,
  { activity, now }: { readonly activity: Activity; readonly now: Pick<Now, 'named'> },
): readonly Note[] {
  if (typeof policy !== 'object' || policy.resource !== 'CREDENTIAL' || policy.action !== 'CREATE') return []
  const { userId, isUnstamped } = submissionOf(activity)
  const ownerId = ownerOf(userId)
  return ownerId === undefined || (ownerId === userId && isUnstamped !== true)
    ? []
    : [noteOf('actsAs', now.named(ownerId))]
}
