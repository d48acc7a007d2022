import { type ActivityOperation, type BoundActivity, type Login, outlastsSession } from '../../contract/operation.ts'
import type { Vote } from '../../contract/records/activity.ts'
import { isEnabled, mayChangeCredentials } from '../../operations/auth_proxy/shared/auth_proxies.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import type { SeenOrganization } from '../organization/seen_organization.ts'
import { isLogOut } from './log_out.ts'
import { proxyOver } from './proxy_over.ts'
import type { SeenCaller } from './seen_caller.ts'

type SessionCaller = Pick<SeenCaller, 'isOfAuthProxy' | 'isUnstamped' | 'organization'> &
  Partial<Pick<SeenCaller, 'attested'>>

type SessionDeed = {
  readonly operation: ActivityOperation
  /** The request. It is read only if it may be a log-out. */
  readonly bound: () => BoundActivity
}

/**
 * Refuses what would outlast a session of the auth proxy, unless the settings of the proxy allow it. They count as they
 * are now. A proxy that was disabled allows nothing: a session must not gain by that. A session may always end itself.
 */
export function requireWithinSession(
  caller: SessionCaller & Parameters<typeof isLogOut>[0],
  { operation, bound }: SessionDeed,
): void {
  if (isLogin(caller, operation) || !outlastsSession(operation) || !isBound(caller)) return
  if (operation.removesKeys && isLogOut(caller, bound())) return
  const proxy = proxyOver(caller.organization)
  const because =
    proxy === undefined || !isEnabled(proxy)
      ? 'the auth proxy was disabled'
      : 'sessionsMayChangeCredentials is false in the settings of the auth proxy'
  const refused = `a login by a code or an identity may not do here what outlasts it: ${because}`
  throw new Failure('FORBIDDEN', `${refused}; log in with a passkey or an API key`)
}

/** Whether the caller is a session or token of the auth proxy that may do nothing that outlasts it. */
function isBound({ isOfAuthProxy, organization }: SessionCaller): boolean {
  if (isOfAuthProxy === undefined) return false
  const proxy = proxyOver(organization)
  return proxy === undefined || !mayChangeCredentials(proxy)
}

/** Whether the caller may do less than its user: a session with a profile, or one that the auth proxy binds. */
export function isLimited(caller: SessionCaller & Pick<SeenCaller, 'sessionProfileId'>): boolean {
  return caller.sessionProfileId !== undefined || isBound(caller)
}

/**
 * Refuses an activity that only now runs for a vote that may not count any more: its submission, or an approval.
 * `standing` are the approvals that hold.
 */
export function requireVotesWithinSession(
  {
    organization,
    votes,
    standing,
  }: Pick<SessionCaller, 'organization'> & Record<'votes' | 'standing', readonly Vote[]>,
  deed: SessionDeed,
): void {
  for (const vote of votes) {
    const user = organization.listed('user', vote.userId)
    if (!approvesOtherwise(vote, standing)) requireWithinSession({ ...vote, organization, user, stamp: vote }, deed)
  }
}

/** Whether the user has an approval that is not of the proxy. One that is of the proxy is then only a step of an MFA policy. */
export function approvesOtherwise({ userId }: Pick<Vote, 'userId'>, standing: readonly Vote[]): boolean {
  return standing.some((vote) => vote.userId === userId && vote.isOfAuthProxy === undefined)
}

/** Whether the request only opens the session. The proxy asks nothing else, and a token asks it by stamp_login. */
function isLogin({ isUnstamped, attested }: SessionCaller, { name }: ActivityOperation): boolean {
  return isUnstamped === true || (attested !== undefined && name === 'stamp_login')
}

/** The terms of a session that this submission opens, by a user of the organization. */
export function loginOf(organization: SeenOrganization, { isOfAuthProxy }: Pick<Vote, 'isOfAuthProxy'>): Login {
  if (isOfAuthProxy === undefined) return {}
  const proxy = proxyOver(organization)
  if (proxy === undefined || mayChangeCredentials(proxy)) return { isOfAuthProxy }
  return { isOfAuthProxy, secondsMax: Number(proxy.sessionExpirationSeconds) }
}
