import type { Explanation } from '../../../contract/explanation/explanation.ts'
import { note, warningsSection } from '../../../contract/explanation/shown_values.ts'
import { warned } from '../../../contract/explanation/warnings.ts'
import type { Activity } from '../../../contract/records/activity.ts'
import { operationOfType } from '../../../operations/catalogue.ts'
import { Failure } from '../../../protocol/wire/failures.ts'

/**
 * Whether an error comes from the explanation itself. A refusal does too: nothing is refused to a reader here. Errors with
 * a class of ours, such as those that ask for more reads, end a decision, whatever it was doing.
 */
export function isBug(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  return error.constructor === Error || ofBugs.some((kind) => error instanceof kind)
}

const ofBugs = [Failure, TypeError, RangeError, ReferenceError, SyntaxError]

/** The explanation of a request that could not be explained: its name. */
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
