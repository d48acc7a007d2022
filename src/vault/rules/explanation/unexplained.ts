import { operationOfType } from '../../../operations/catalogue.ts'
import type { Explanation } from '../../../operations/explanation/explanation.ts'
import { note, warningsSection } from '../../../operations/explanation/values.ts'
import { warned } from '../../../operations/explanation/warnings.ts'
import type { Activity } from '../../../operations/records/activity.ts'
import { JournalUnavailable } from '../../books/journal/errors.ts'
import { IntegrityError, MovedError, ReadsNeeded } from '../../state/evidence.ts'
import { LateError } from '../../state/turns.ts'

/** These end a decision, whatever it was doing. */
const notBugs = [ReadsNeeded, MovedError, IntegrityError, JournalUnavailable, LateError]

/** Whether an error comes from the explanation itself. A refusal does too: nothing is refused to a reader here. */
export function isBug(error: unknown): boolean {
  return !notBugs.some((kind) => error instanceof kind)
}

/** What is known of a request that could not be explained: what it is called. */
export function unexplained({ activityId, organizationId, type, status }: Activity): Explanation {
  const code = operationOfType(type)?.operation.name ?? type
  const title = warned({ code, values: [{ kind: 'id', id: activityId, of: 'activity' }] }, [note('notExplained')])
  return { activityId, organizationId, type, status, title, sections: warningsSection(title) }
}

/** A bug for the log: where it is. Its message may quote the request, which may hold secrets. */
export function loggedBug(error: unknown, { activityId, organizationId, type }: Activity) {
  const at = error instanceof Error ? (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line)) : []
  return { organizationId, activityId, type, bug: error instanceof Error ? error.name : typeof error, at }
}
