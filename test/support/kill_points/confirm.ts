import * as original from '../../../src/vault/activity/confirm.ts'
import { reached } from './points.ts'

export async function confirm(...given: Parameters<typeof original.confirm>): ReturnType<typeof original.confirm> {
  const answer = await original.confirm(...given)
  if (answer.kind === 'answer') reached('booked')
  return answer
}
