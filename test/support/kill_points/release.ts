import * as original from '../../../src/vault/activity/release.ts'
import { reached } from './points.ts'

export * from '../../../src/vault/activity/release.ts'

export async function release(...given: Parameters<typeof original.release>): ReturnType<typeof original.release> {
  reached('sealed')
  const answer = await original.release(...given)
  if (answer.kind === 'commit' && answer.outcome.of === 'answer') reached('entered')
  return answer
}
