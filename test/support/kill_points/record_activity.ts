import * as original from '../../../src/vault/activity/tell/record_activity.ts'
import { reached } from './points.ts'

export * from '../../../src/vault/activity/tell/record_activity.ts'

export function recordStep(...given: Parameters<typeof original.recordStep>): ReturnType<typeof original.recordStep> {
  reached('decided')
  return original.recordStep(...given)
}
