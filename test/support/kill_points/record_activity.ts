import * as original from '../../../src/vault/activity/record_activity.ts'
import { reached } from './points.ts'

export * from '../../../src/vault/activity/record_activity.ts'

export function recordActivity(
  ...given: Parameters<typeof original.recordActivity>
): ReturnType<typeof original.recordActivity> {
  reached('decided')
  return original.recordActivity(...given)
}
