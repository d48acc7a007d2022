import type { SeenCaller } from './seen_caller.ts'

/** The caller as operations see it. */
export function callerFactsOf({
  user,
  organization,
  isUnstamped,
}: Pick<SeenCaller, 'user' | 'organization' | 'isUnstamped'>) {
  const { organizationId, organizationName } = organization.head
  return { user, organizationId, organizationName, ...(isUnstamped === undefined ? {} : { isUnstamped }) }
}
