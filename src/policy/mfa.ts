import { publicKeyName } from '../protocol/stamps/cose_keys.ts'
import { accountOfIdentity } from '../protocol/tokens/id_tokens.ts'
import { isUuid } from '../protocol/wire/identifiers.ts'
import type { AuthenticationMethod, AuthenticationStep } from './authentication_methods.ts'

/**
 * One stamp as a proof. `factor` may take one step only. It is absent if one step uses up the proof anyway. The factor of
 * a session is the one by which it was opened, because the holder of an API key can log in with it.
 */
export type Proof = { readonly method: AuthenticationMethod; readonly factor?: string }

/** A stamp as a vote records it. */
export type Stamped = {
  readonly method?: AuthenticationMethod | undefined
  /** The factor by which the session was opened, if a session stamped. */
  readonly openedBy?: string | undefined
  /** The lookup of the contact or identity that an attested stamp names. */
  readonly attested?: { readonly key: string } | undefined
  readonly publicKey: string
}

/** Returns what a stamp proves. A session of which nobody knows how it was opened proves nothing. */
export function proofIn(stamped: Stamped): readonly Proof[] {
  const { method } = stamped
  if (method === undefined) return []
  const factor = factorOf(stamped)
  if (factor === unknownFactor) return []
  return [{ method, ...(factor === undefined ? {} : { factor }) }]
}

/**
 * A session from before sessions kept their factor, and each session that was opened with such a one. Earlier sessions
 * kept the id of a provider, which does not tell whose account it was of once the provider is deleted.
 */
const unknownFactor = 'unknown'

/**
 * The factor that a stamp proves. A key is one factor in whatever form it is registered, also as a passkey and as an API
 * key. Undefined for a passcode: each is a factor of its own.
 */
export function factorOf({ method, openedBy, attested, publicKey }: Stamped): string | undefined {
  switch (method?.type) {
    case 'AUTHENTICATION_TYPE_EMAIL_OTP':
    case 'AUTHENTICATION_TYPE_SMS_OTP':
      return undefined
    case 'AUTHENTICATION_TYPE_OAUTH':
      return attested === undefined ? unknownFactor : accountOfIdentity(attested.key)
    case 'AUTHENTICATION_TYPE_SESSION':
      return openedBy === undefined || isUuid(openedBy) ? unknownFactor : publicKeyName(openedBy)
    default:
      return publicKeyName(publicKey)
  }
}

/** The progress of a user: the methods that took the first steps, in order, and the step that is due. */
export type Progress = {
  readonly satisfiedMethods: readonly AuthenticationMethod[]
  /** Absent if all steps are taken. `number` counts from 1. */
  readonly due?: { readonly number: number; readonly step: AuthenticationStep }
}

/** Whether an MFA policy applies. It does perhaps where its condition is true only because it guards. */
export type Applies = 'yes' | 'perhaps' | 'no'

/**
 * Returns the MFA policies of a user that are enforced together: the first by `order` that applies, of equals the older,
 * and those before it that apply perhaps.
 */
export function enforcedPolicies<P extends { readonly order: number }>(
  policies: readonly P[],
  applies: (policy: P) => Applies,
): readonly P[] {
  const enforced: P[] = []
  for (const policy of policies.toSorted((one, other) => one.order - other.order)) {
    const answer = applies(policy)
    if (answer !== 'no') enforced.push(policy)
    if (answer === 'yes') break
  }
  return enforced
}

/**
 * Returns the progress of a user. Steps are taken in order, each by one proof. A proof that comes too early does not
 * count. A factor that has taken a step takes another only if that step names the credential by its id, and neither of
 * them was a session's.
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

/** Whether a proof takes a step after those that were taken. */
export function takes({ any }: AuthenticationStep, { method, factor }: Proof, taken: readonly Proof[]): boolean {
  const uses = taken.filter((before) => factor !== undefined && before.factor === factor).map(({ method }) => method)
  const isSessions = [method, ...uses].some(({ type }) => type === 'AUTHENTICATION_TYPE_SESSION')
  return any.some((asked) => isOneOf(asked, method) && (uses.length === 0 || (asked.id !== undefined && !isSessions)))
}

/** Whether a method is one of those that another one asks for. */
export function isOneOf({ type, id }: AuthenticationMethod, method: AuthenticationMethod): boolean {
  return type === method.type && (id === undefined || id === method.id)
}

/** `step 2 of 3, AUTHENTICATION_TYPE_PASSKEY or AUTHENTICATION_TYPE_API_KEY 0123…` */
export function stepText({ number, step }: NonNullable<Progress['due']>, steps: readonly AuthenticationStep[]): string {
  const methods = step.any.map(({ type, id }) => (id === undefined ? type : `${type} ${id}`))
  return `step ${number} of ${steps.length}, ${methods.join(' or ')}`
}

/** The progress of a user with the policy of the step that is due, or of the last. `satisfiedMethods` took the first steps. */
export type MfaStatus = {
  readonly mfaPolicyId: string
  readonly userId: string
  readonly satisfied: boolean
  readonly satisfiedMethods: readonly AuthenticationMethod[]
  readonly requiredMethods: readonly AuthenticationStep[]
}
