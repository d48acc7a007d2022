import { together } from '../../../deciding/organization/reads_needed.ts'
import type { CountedVote } from '../../../deciding/votes/count_vote.ts'
import type { Reading } from '../../caller/request_context.ts'
import type { Ballot } from '../ballot.ts'
import type { Done } from '../carry_out/execute.ts'
import { answerToCaller } from './answer_to_caller.ts'
import { appProofs } from './app_proofs.ts'
import type { Listener, Told, ToldEffect } from './listener.ts'
import { notices } from './notices.ts'
import { webhookEvents } from './webhook_events.ts'

/**
 * Who is told what a vote does, in this order. Each listener sees the organization as it was before, the vote as it was
 * counted, and what was done. App proofs are a part of the activity that the others show, so they are made first. The
 * answer is last, because it is made of what is recorded. No listener rests on anything else that another one tells.
 */
const listeners: readonly Listener[] = [appProofs, webhookEvents, notices, answerToCaller]

/** Lets all listeners make their reads at once, to save a round for each. Returns the function that tells all of them. */
export async function prepareToTell(context: Reading, ballot: Ballot, counted: CountedVote) {
  const foreseen = await Promise.allSettled(listeners.map(async (listener) => listener(context, ballot, counted)))
  const tells = together(
    foreseen.map((each) => () => {
      if (each.status === 'rejected') throw each.reason
      return each.value
    }),
  )
  return async (done: Done): Promise<ToldEffect> => {
    let told = done
    let answer: Uint8Array | undefined
    for (const tell of tells) {
      const { body = answer, ...rest } = await tell(told)
      told = withTold(told, rest)
      answer = body
    }
    if (answer === undefined) throw new Error('no listener answers the caller')
    return { ...told, body: answer }
  }
}

function withTold(done: Done, { appProofs, outbox = [], additions = [] }: Omit<Told, 'body'>): Done {
  const { activity, changes } = done
  return {
    ...done,
    activity: appProofs === undefined ? activity : { ...activity, appProofs },
    changes: {
      ...changes,
      outbox: [...changes.outbox, ...outbox],
      additions: [...changes.additions, ...additions],
    },
  }
}
