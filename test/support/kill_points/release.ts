import * as original from '../../../src/vault/activity/release.ts'
import { reached } from './points.ts'

export * from '../../../src/vault/activity/release.ts'

export function release(...given: Parameters<typeof original.release>): ReturnType<typeof original.release> {
  const [{ request }] = given
  if (request.isTrial !== true) reached('sealed')
  return original.release(...given)
}
