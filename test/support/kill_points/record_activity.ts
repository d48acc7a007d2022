import * as original from '../../../src/vault/activity/record_activity.ts'
import { reached } from './points.ts'

export * from '../../../src/vault/activity/record_activity.ts'

export function commitActivity(
  ...given: Parameters<typeof original.commitActivity>
): ReturnType<typeof original.commitActivity> {
  const [{ request }] = given
  if (request.isTrial !== true) reached('decided')
  return original.commitActivity(...given)
}
