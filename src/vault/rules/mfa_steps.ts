import type { Activity, Vote } from '../../operations/records/activity.ts'
import type { MfaPolicy, User } from '../../operations/records/records.ts'
import type { Struct } from '../../policy/language/values.ts'
import { enforcedPolicy, type Progress, type Proof, progressOf, stepText } from '../../policy/mfa.ts'
import { compileCondition, truthOf } from '../../policy/policy_expressions.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { requireCredential } from '../caller/attestation_use.ts'
import type { Caller } from '../caller/caller.ts'
import { onceFor } from '../caller/once_for.ts'
import { type Electorate, heldApprovals, isSubmitter } from './voters.ts'

/** A user's MFA policy that applies to an activity, and how far the user has come with it. */
export type MfaState = Progress & { readonly policy: MfaPolicy }

type Stamped = { readonly method?: Vote['method'] | undefined; readonly publicKey: string }

/** Undefined: no MFA policy of the user applies. `stamps`: those that count, in order. */
export function mfaStateOf(
  user: User,
  stamps: readonly Stamped[],
  applies: ReturnType<typeof applyingTo>,
): MfaState | undefined {
  const policy = enforcedPolicy(user.mfaPolicies ?? [], applies)
  return policy && { policy, ...progressOf(policy.requiredAuthenticationMethods, stamps.flatMap(proofOf)) }
}

/** What MFA policies ask of those who submit an activity or approve it. */
export type Mfa = {
  of(userId: string, votes: readonly Vote[]): MfaState | undefined
  /** The approvals that the rules may count: of users who owe no step. An attested one counts as a step only. */
  counted(votes: readonly Vote[]): readonly Vote[]
  /** The users who have begun and owe a step. Whoever submitted has begun. */
  provingIds(votes: readonly Vote[]): readonly string[]
}

export function mfaFor(
  { organizationId }: Pick<Activity, 'organizationId'>,
  place: Electorate,
  facts: () => Struct,
): Mfa {
  const held = (votes: readonly Vote[]) => heldApprovals({ organizationId, votes }, place)
  const applies = applyingTo(facts)
  const of: Mfa['of'] = (userId, votes) => {
    const user = place.organization.listed('user', userId)
    const own = () => held(votes).filter((vote) => vote.userId === userId)
    return user && mfaStateOf(user, own(), applies)
  }
  return {
    of,
    counted: (votes) =>
      held(votes).filter(({ userId, attested }) => {
        const state = of(userId, votes)
        return state === undefined ? attested === undefined : state.due === undefined
      }),
    provingIds(votes) {
      const begun = new Set([...votes.slice(0, 1), ...held(votes)].map(({ userId }) => userId))
      return [...begun].filter((userId) => of(userId, votes)?.due !== undefined)
    },
  }
}

/**
 * Refuses an approval that is out of turn: before the one who submitted has taken all steps, or with something that the
 * step does not ask for which is due.
 */
export function requireDueStep(caller: Caller, { mfa, activity, vote }: MfaVote): void {
  const { votes } = activity
  const { userId } = caller.user
  const [submission] = votes
  if (!isSubmitter(activity, caller) && submission !== undefined && mfa.of(submission.userId, votes)?.due) {
    throw new Failure('FORBIDDEN', { reason: 'whoever submitted this has to satisfy an MFA policy before others vote' })
  }
  const own = mfa.of(userId, votes)
  if (own?.due === undefined) {
    requireCredential(caller)
    return
  }
  const taken = mfa.of(userId, [...votes, vote])?.satisfiedMethods.length ?? 0
  if (taken <= own.satisfiedMethods.length) throw stepDue(own)
}

type MfaVote = { readonly mfa: Mfa; readonly activity: Activity; readonly vote: Vote }

/** `where`: why the step cannot be taken now, if that is so. */
export function stepDue({ policy, due }: MfaState, where = ''): Failure {
  const step = due === undefined ? '' : stepText(due, policy.requiredAuthenticationMethods)
  return new Failure('FORBIDDEN', { reason: `your MFA policy ${policy.mfaPolicyId} asks for ${step}${where}` })
}

/** The same bytes again, such as by a client that lost the answer: they take no further step. */
export function isRepeated({ votes }: Activity, { userId, message, publicKey }: Vote): boolean {
  return votes.some((vote) => vote.userId === userId && vote.message === message && vote.publicKey === publicKey)
}

/** Each passcode is a proof of its own; anything else may be shown again. */
function proofOf({ method, publicKey }: Stamped): readonly Proof[] {
  if (method === undefined) return []
  switch (method.type) {
    case 'AUTHENTICATION_TYPE_EMAIL_OTP':
    case 'AUTHENTICATION_TYPE_SMS_OTP':
      return [{ method }]
    case 'AUTHENTICATION_TYPE_OAUTH':
      return [{ method, ...(method.id === undefined ? {} : { credential: method.id }) }]
    default:
      return [{ method, credential: publicKey }]
  }
}

const conditionOf = onceFor(({ condition }: MfaPolicy) => compileCondition(condition))

/** Which policies apply to what `facts` tell: each is asked once, however many votes its user has given. */
export function applyingTo(facts: () => Struct): (policy: MfaPolicy) => boolean {
  return onceFor((policy: MfaPolicy) => holds(policy, facts()))
}

/** A condition with an error in it does not apply. */
function holds(policy: MfaPolicy, facts: Struct): boolean {
  return truthOf(conditionOf(policy), { keywords: facts }) === true
}
