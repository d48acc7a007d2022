import type { ActivityContext } from '../../contract/define.ts'
import type { Vote } from '../../contract/records/activity.ts'
import type { LinkMaker } from '../../contract/records/records.ts'
import { factorOf } from '../../policy/mfa.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { callerFactsOf } from '../caller/caller_facts.ts'
import { apiKeyOf } from '../caller/credential_stamps.ts'
import { loginOf } from '../caller/proxy_sessions.ts'
import type { SeenCaller } from '../caller/seen_caller.ts'

/** The user for whom an operation runs. */
export type Submitter = Pick<SeenCaller, 'user' | 'organization' | 'isUnstamped'>

/** Returns who asked for an activity, as its operation sees it. `isThere`: whether a maker has still what it came by. */
export function askerOf(
  submission: Vote,
  submitter: Submitter,
  isThere: (maker: LinkMaker, madeAtMs: number) => boolean,
): Pick<ActivityContext<unknown>, 'caller' | 'submitted' | 'login'> {
  const maker = submitter.isUnstamped ? undefined : makerOf(submission)
  const isMakerThere = () => maker !== undefined && isThere(maker, submission.createdAtMs)
  return {
    caller: callerFactsOf(submitter),
    submitted: {
      atMs: submission.createdAtMs,
      factor: factorOf(submission),
      apiKey: apiKeyOf({ user: submitter.user, stamp: submission }),
      maker,
      isMakerThere,
      livingMakers() {
        if (maker === undefined) return []
        if (!isMakerThere()) throw new Failure('LINK_ENDED')
        return [maker]
      },
    },
    login: loginOf(submitter.organization, submission),
  }
}

function makerOf({ organizationId, userId, publicKey, attested }: Vote): LinkMaker {
  if (attested === undefined) return { organizationId, userId, publicKey }
  const { lookup, key } = attested
  return { organizationId, userId, attested: { lookup, key } }
}
