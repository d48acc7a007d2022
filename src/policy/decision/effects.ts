/** The effect of a policy that applies. */
export const effects = ['EFFECT_ALLOW', 'EFFECT_DENY'] as const
export type Effect = (typeof effects)[number]

/** The possible outcomes of a policy for one request. */
export const outcomes = [
  'OUTCOME_ALLOW',
  'OUTCOME_DENY_EXPLICIT',
  'OUTCOME_DENY_IMPLICIT',
  'OUTCOME_REQUIRES_CONSENSUS',
  'OUTCOME_REJECTED',
  'OUTCOME_ERROR',
  'OUTCOME_REQUIRES_AUTHENTICATORS',
  'OUTCOME_TIME_INACTIVE',
] as const
export type Outcome = (typeof outcomes)[number]

export type PolicyEvaluation = { readonly policyId: string; readonly outcome: Outcome }
