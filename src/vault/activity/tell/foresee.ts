import type { Making } from '../../caller/request_context.ts'
import type { Ballot } from '../ballot.ts'
import type { Weighed } from '../weigh.ts'
import { prepareOutcomeNotice } from './notices.ts'
import { subscribersOf } from './webhook_events.ts'

/**
 * Makes the reads of those who will be told, before anything runs. A decision that lacks a read is made again from the
 * start, and a read that is asked for later would reveal something of the result.
 */
export async function foresee(context: Making, { target }: Ballot, { move, voted }: Weighed): Promise<void> {
  subscribersOf(context, target)
  if (move !== 'waits') await prepareOutcomeNotice(context, { target, activity: voted })
}
