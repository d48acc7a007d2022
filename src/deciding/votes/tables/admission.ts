/** The facts about a vote on an activity that waits, which decide whether it may be cast. */
export type AdmissionFacts = {
  readonly isRejection: boolean
  /** Whether the root quorum, a rule or a step that is due asks for this user's vote now. */
  readonly isAsked: boolean
  /** Whether one of them asked for it when the activity was last written. */
  readonly wasAsked: boolean
  readonly isSubmitter: boolean
  /** Whether the same bytes were cast before, as when a client lost the answer. */
  readonly isRepeated: boolean
  /** Whether an approval of this user counts already. */
  readonly hasApproved: boolean
  /** Whether a policy that waits may ask for this credential beside those that the user has approved with. */
  readonly addsCredential: boolean
  /** Whether the stamp names no credential of the user's, but a token or an identity. */
  readonly isAttested: boolean
  /** Whether the submitter owes a step of an MFA policy, and whether this user does. */
  readonly submitterOwes: boolean
  readonly owes: boolean
  /** Whether the vote takes the step that this user owes. */
  readonly takesStep: boolean
}

/**
 * The vote counts, or changes nothing and shows the activity again, or is refused for one of the other reasons.
 * `countsIfAllowed`: it counts if the rules allow the activity with it, and else changes nothing.
 */
export type Admission =
  | 'counts'
  | 'countsIfAllowed'
  | 'repeats'
  | 'notAsked'
  | 'notNow'
  | 'submitterFirst'
  | 'stepDue'
  | 'credentialNeeded'

/** Says whether a vote on an activity that waits may be cast. */
export function admissionOf(facts: AdmissionFacts): Admission {
  if (!facts.isAsked && !facts.wasAsked) return 'notAsked'
  // A user who was asked may reject between two times of a policy too. Otherwise the activity could run when the policy
  // opens again, although this user wants to reject it.
  if (facts.isRejection) return facts.isAttested ? 'credentialNeeded' : 'counts'
  if (!facts.isAsked) return 'notNow'
  if (facts.isRepeated) return 'repeats'
  if (facts.submitterOwes && !facts.isSubmitter) return 'submitterFirst'
  if (facts.owes && !facts.takesStep) return 'stepDue'
  if (!facts.owes && facts.isAttested) return 'credentialNeeded'
  // The rules may have become weaker since.
  return facts.hasApproved && !facts.addsCredential ? 'countsIfAllowed' : 'counts'
}
