import type { Denied } from '../../policy/decide.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { credentialNeeded } from '../caller/attestation_use.ts'
import type { Caller } from '../caller/caller.ts'
import type { Reading } from '../caller/request_context.ts'
import { mayRead } from '../caller/session_scope.ts'
import { type MfaState, stepDue } from '../rules/mfa_steps.ts'
import type { Ruling } from '../rules/rules.ts'
import type { Turn } from './decide/turn.ts'

type Submitted = { readonly caller: Caller; readonly ruling: Ruling; readonly mfa: MfaState | undefined }

/** Says why a submission is refused: a rule denies it, or it owes a step where nobody can vote. */
export async function refusalOfSubmission(context: Reading, { caller, ruling, mfa }: Submitted): Promise<Failure> {
  if (ruling.kind === 'deny') return denied(context, caller, ruling)
  if (mfa === undefined) throw new Error('a submission that no rule denies is refused for a step only')
  return stepDue(mfa, ', and nobody can vote on this here')
}

/** Names the rule that denied the request. A caller who may read the rules also gets each deciding clause. */
async function denied(context: Reading, caller: Caller, ruling: Ruling & Denied): Promise<Failure> {
  const { reason, evaluations } = ruling
  const isReader = mayRead(context, caller)
  const explanations = isReader ? await ruling.explanations() : []
  const explained = evaluations.map((evaluation, index) => ({
    ...evaluation,
    explanation: explanations[index]?.because,
    unseen: explanations[index]?.unseen,
  }))
  return new Failure('FORBIDDEN', { denied: { reason, evaluations: isReader ? explained : evaluations } })
}

/** Says why a vote is refused. `own` is the voter's MFA policy that applies. */
export function refusalOfVote(
  turn: Exclude<Turn, 'counts' | 'countsIfLast' | 'repeats'>,
  own: MfaState | undefined,
): Failure {
  switch (turn) {
    case 'notAsked':
      return notVoter()
    case 'outOfTurn':
      return new Failure(
        'FORBIDDEN',
        'no policy waits for your approval now: its times are closed, a limit is used up, or a rule has changed or cannot be asked; you may reject this activity',
      )
    case 'submitterFirst':
      return new Failure('FORBIDDEN', 'whoever submitted this has to satisfy an MFA policy before others vote')
    case 'stepDue':
      if (own === undefined) throw new Error('a step is due by an MFA policy only')
      return stepDue(own)
    case 'credentialNeeded':
      return credentialNeeded()
  }
}

export function notVoter(): Failure {
  return new Failure('FORBIDDEN', 'others decide about this activity, and you are not one of its voters')
}
