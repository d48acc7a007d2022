import Type from 'typebox'
import { type ActivityOperation, defineActivity } from '../../define.ts'
import { Fingerprint, fields } from '../../fields/fields.ts'
import type { Vote } from '../../records/activity.ts'

/** Defines a vote on the activity that a fingerprint names; the operation answers with that activity. */
export function defineVote({
  name,
  summary,
  type,
  intentKey,
  casts,
}: {
  readonly name: string
  readonly summary: string
  readonly type: string
  readonly intentKey: string
  readonly casts: Vote['selection']
}): ActivityOperation {
  const parameters = fields({ fingerprint: Fingerprint })
  const vote = defineActivity({
    ...{ name, summary, type, intentKey, parameters },
    resultKey: 'result',
    policy: 'rootQuorumOnly',
    result: Type.Object({}),
    run() {
      throw new Error('a vote is cast, not run')
    },
  })
  return { ...vote, casts }
}
