import type { Vote } from '../../../contract/records/activity.ts'
import { apiKeyOf } from '../../../deciding/caller/credential_stamps.ts'
import type { Caller } from '../../caller/caller.ts'
import type { Asking } from '../../caller/request_context.ts'

/** The bytes of the request, as a vote keeps them. */
export function messageOf({ request }: Pick<Asking, 'request'>): string {
  return Buffer.from(request.body).toString('utf8')
}

/** Returns the request as a vote of the caller. */
export function voteOf(context: Asking, caller: Caller, selection: Vote['selection']): Vote {
  const { services, nowMs } = context
  return {
    voteId: services.newId(),
    userId: caller.user.userId,
    organizationId: caller.organization.head.organizationId,
    userName: caller.user.userName,
    selection,
    message: messageOf(context),
    ...caller.stamp,
    ...(caller.method === undefined ? {} : { method: caller.method }),
    ...(caller.openedBy === undefined ? {} : { openedBy: caller.openedBy }),
    ...(caller.attested === undefined ? {} : { attested: caller.attested }),
    ...(caller.uses !== undefined && 'isLink' in caller.uses ? operatorLinkOf(caller) : {}),
    ...(caller.isUnstamped === undefined ? {} : { isUnstamped: caller.isUnstamped }),
    ...(caller.isOfAuthProxy === undefined ? {} : { isOfAuthProxy: caller.isOfAuthProxy }),
    createdAtMs: nowMs,
  }
}

function operatorLinkOf(caller: Caller): Pick<Vote, 'operatorLink'> {
  const operatorLink = apiKeyOf(caller)
  return operatorLink === undefined ? {} : { operatorLink }
}
