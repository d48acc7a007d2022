import * as original from '../../../src/vault/activity/release.ts'
import { reached } from './points.ts'

export * from '../../../src/vault/activity/release.ts'

export function release(...given: Parameters<typeof original.release>): ReturnType<typeof original.release> {
  reached('sealed')
  return original.release(...given)
}
