import Type from 'typebox'
import { type ActivityOperation, defineActivity } from '../../../contract/define.ts'
import { Fingerprint, fields } from '../../../contract/fields/fields.ts'
import { readParameters } from '../../../contract/fields/parameters.ts'
import { lookup } from '../../../contract/needs.ts'
import type { Vote } from '../../../contract/records/activity.ts'
import type { JsonValue } from '../../../protocol/wire/json.ts'

type VoteDefinition = {
  readonly name: string
  readonly summary: string
  readonly type: string
  readonly selection: Vote['selection']
}

/** Defines a vote on the activity that a fingerprint names; the operation answers with that activity. */
export function defineVote({ name, summary, type, selection }: VoteDefinition): ActivityOperation {
  const parameters = fields({ fingerprint: Fingerprint })
  const vote = defineActivity({
    ...{ name, summary, type, parameters },
    resultKey: 'result',
    policy: 'rootQuorumOnly',
    result: Type.Object({}),
    needs: ({ fingerprint }) => [lookup('fingerprint', fingerprint)],
    run() {
      throw new Error('a vote is cast, not run')
    },
  })
  const fingerprintIn = (given: JsonValue) => readParameters(parameters, given, 'parameters').fingerprint
  return { ...vote, casts: { selection, fingerprintIn } }
}
