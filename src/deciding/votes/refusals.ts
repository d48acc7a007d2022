import type { Explanation } from '../../policy/about_rules/explain.ts'
import type { Denied } from '../../policy/decision/decide.ts'
import { Failure } from '../../protocol/wire/failures.ts'
import { type MfaState, stepDue } from '../rules/mfa_steps.ts'
import type { Ruling } from '../rules/rules.ts'
import { notVoter } from '../rules/voters.ts'
import type { Admission } from './tables/admission.ts'

type RefusedSubmission = {
  readonly ruling: Ruling
  readonly state: MfaState | undefined
  /** Whether the caller may read the rules. */
  readonly isReader: () => boolean
}

/** Says why a submission is refused: a rule denies it, or it owes a step where nobody can vote. */
export async function refusalOfSubmission({ ruling, state, isReader }: RefusedSubmission): Promise<Failure> {
  if (ruling.kind === 'deny') return denied(ruling, isReader() ? await ruling.explanations() : undefined)
  if (state === undefined) throw new Error('a submission that no rule denies is refused for a step only')
  return stepDue(state, ', and nobody can vote on this here')
}

/** Names the rule that denied the request. A caller who may read the rules also gets each deciding clause. */
function denied({ reason, evaluations }: Ruling & Denied, explanations: readonly Explanation[] | undefined): Failure {
  const explained = evaluations.map((evaluation, index) => ({
    ...evaluation,
    explanation: explanations?.[index]?.because,
    unseen: explanations?.[index]?.unseen,
  }))
  return new Failure('FORBIDDEN', {
    denied: { reason, evaluations: explanations === undefined ? evaluations : explained },
  })
}

/** Says why a vote is refused. `state` is the voter's, if an MFA policy of the voter applies. */
export function refusalOfVote(
  admission: Exclude<Admission, 'counts' | 'countsIfAllowed' | 'repeats'>,
  state: MfaState | undefined,
): Failure {
  switch (admission) {
    case 'notAsked':
      return notVoter()
    case 'notNow':
      return new Failure(
        'FORBIDDEN',
        'no policy waits for your approval now: its times are closed, a limit is used up, or a rule has changed or cannot be asked; you may reject this activity',
      )
    case 'submitterFirst':
      return new Failure('FORBIDDEN', 'whoever submitted this has to satisfy an MFA policy before others vote')
    case 'stepDue':
      if (state === undefined) throw new Error('a step is due by an MFA policy only')
      return stepDue(state)
    case 'credentialNeeded':
      return credentialNeeded()
  }
}

/** Refuses an attested stamp. A vote counts as long as the credential of its stamp exists, and here there is none. */
export function credentialNeeded(): Failure {
  return new Failure(
    'FORBIDDEN',
    'an attested stamp logs in, or takes a step of your MFA policy where one is due; vote with a credential',
  )
}
