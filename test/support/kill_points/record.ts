import * as original from '../../../src/vault/activity/record.ts'
import { reached } from './points.ts'

export * from '../../../src/vault/activity/record.ts'

export function record(...given: Parameters<typeof original.record>): ReturnType<typeof original.record> {
  reached('decided')
  return original.record(...given)
}
