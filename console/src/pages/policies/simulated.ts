import type { Activity } from '../../api/activity.ts'
import type { Queries } from '../../api/operations.ts'

type Simulated = Queries['simulate']['result']
type Simulation = Simulated['simulations'][number]

/** A past activity, by the rules of today and with the draft. */
export type Compared = {
  readonly activityId: string
  readonly type: string
  readonly today: Simulation['decision']
  readonly withDraft: Simulation['decision']
  readonly isChanged: boolean
  /** The outcome of the draft itself. Its explanation names the clause that decides. */
  readonly outcome: Simulation['policies'][number]['outcome'] | undefined
  readonly explanation: string
  /** Undefined if the activity is none of the latest any more. */
  readonly createdAt: string | undefined
  readonly askedBy: string | undefined
}

/** The draft has this id among the policies of an answer. */
export const draftId = ''

/** The activities that both simulations know, newest first. */
export function compared(
  today: Simulated,
  withDraft: Simulated,
  latest: readonly Pick<Activity, 'id' | 'createdAt' | 'votes'>[],
): readonly Compared[] {
  const before = new Map(today.simulations.map((simulation) => [simulation.activityId, simulation]))
  const activities = new Map(latest.map((activity) => [activity.id, activity]))
  return withDraft.simulations.flatMap(({ activityId, type, decision, policies }) => {
    const old = before.get(activityId)
    if (activityId === undefined || old === undefined) return []
    const draft = policies.find(({ policyId }) => policyId === draftId)
    const activity = activities.get(activityId)
    return [
      {
        activityId,
        type,
        today: old.decision,
        withDraft: decision,
        isChanged: old.decision !== decision,
        outcome: draft?.outcome,
        explanation: draft?.explanation ?? '',
        createdAt: activity?.createdAt,
        askedBy: activity?.votes[0]?.user.userName,
      },
    ]
  })
}
