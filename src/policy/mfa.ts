import type { AuthenticationMethod, AuthenticationStep } from './authentication_methods.ts'

/** One stamp as a proof. `credential` may take one step only. It is absent if one step uses up the proof anyway. */
export type Proof = { readonly method: AuthenticationMethod; readonly credential?: string }

/** The progress of a user: the methods that took the first steps, in order, and the step that is due. */
export type Progress = {
  readonly satisfiedMethods: readonly AuthenticationMethod[]
  /** Absent if all steps are taken. `number` counts from 1. */
  readonly due?: { readonly number: number; readonly step: AuthenticationStep }
}

/** Returns the only MFA policy of a user that is enforced: the first by `order` that applies, of equals the older. */
export function enforcedPolicy<P extends { readonly order: number }>(
  policies: readonly P[],
  applies: (policy: P) => boolean,
): P | undefined {
  return policies.toSorted((one, other) => one.order - other.order).find(applies)
}

/**
 * Returns the progress of a user. Steps are taken in order, each by one proof. A proof that comes too early does not
 * count. A credential that has taken a step takes another only if that step names the credential by its id.
 */
export function progressOf(steps: readonly AuthenticationStep[], proofs: readonly Proof[]): Progress {
  const taken: Proof[] = []
  for (const proof of proofs) {
    const due = steps[taken.length]
    if (due !== undefined && takes(due, proof, taken)) taken.push(proof)
  }
  const step = steps[taken.length]
  return {
    satisfiedMethods: taken.map(({ method }) => method),
    ...(step === undefined ? {} : { due: { number: taken.length + 1, step } }),
  }
}

function takes({ any }: AuthenticationStep, { method, credential }: Proof, taken: readonly Proof[]): boolean {
  const isUsed = credential !== undefined && taken.some((before) => before.credential === credential)
  return any.some(({ type, id }) => type === method.type && (id === undefined ? !isUsed : id === method.id))
}

/** `step 2 of 3, AUTHENTICATION_TYPE_PASSKEY or AUTHENTICATION_TYPE_API_KEY 0123…` */
export function stepText({ number, step }: NonNullable<Progress['due']>, steps: readonly AuthenticationStep[]): string {
  const methods = step.any.map(({ type, id }) => (id === undefined ? type : `${type} ${id}`))
  return `step ${number} of ${steps.length}, ${methods.join(' or ')}`
}

/** The progress of a user with the one policy that applies to an activity. `satisfiedMethods` took the first steps. */
export type MfaStatus = {
  readonly mfaPolicyId: string
  readonly userId: string
  readonly satisfied: boolean
  readonly satisfiedMethods: readonly AuthenticationMethod[]
  readonly requiredMethods: readonly AuthenticationStep[]
}
