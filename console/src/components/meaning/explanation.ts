import type { Explanation } from '../../../../src/contract/explanation/explanation.ts'
import type { Activity } from '../../api/activity.ts'
import { useAsk } from '../../state/queries.ts'

/**
 * Asks for the meaning of an activity, and again whenever the activity has changed. Until the new answer is there, the
 * old one is shown.
 */
export function useExplanation({ id, updatedAt }: Pick<Activity, 'id' | 'updatedAt'>) {
  const asked = useAsk('explain_activity', { activityId: id }, { version: updatedAt })
  // The type from the schema ends where a value holds values.
  return { ...asked, explanation: asked.data?.explanation as Explanation | undefined }
}
