import Type, { type Static } from 'typebox'
import type { Readers } from '../../../contract/define.ts'
import { AuthenticationType, list, namedFields, optional, Uuid } from '../../../contract/fields/fields.ts'
import { maybe, type Need, ofParent } from '../../../contract/needs.ts'
import type { MfaPolicy, User } from '../../../contract/records/records.ts'
import {
  type AuthenticationMethod,
  type AuthenticationStep,
  defaultSessionProfileId,
} from '../../../policy/authentication_methods.ts'
import { Failure, fieldInvalid } from '../../../protocol/wire/failures.ts'

const stepsMax = 10
const methodsPerStepMax = 10

/** The steps in the order in which the user must take them. One method of a step is enough. */
export const AuthenticationSteps = list(
  namedFields('RequiredAuthenticationMethodParams', {
    any: list(namedFields('AuthenticationMethodParams', { type: AuthenticationType, id: optional(Uuid) }), {
      itemsMin: 1,
      itemsMax: methodsPerStepMax,
    }),
  }),
  { itemsMin: 1, itemsMax: stepsMax },
)
export type GivenSteps = Static<typeof AuthenticationSteps>

/** A whole number that JSON carries exactly. */
export const Order = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  expected: 'a whole number',
})

const stepsPath = 'parameters.requiredAuthenticationMethods'

/** A passcode goes to the user's own address or number, so there is no id to name. */
const withoutId = ['AUTHENTICATION_TYPE_EMAIL_OTP', 'AUTHENTICATION_TYPE_SMS_OTP']

export function checkSteps(given: GivenSteps): void {
  for (const { method, fieldPath } of methodsIn(given)) {
    if (method.id === undefined || !withoutId.includes(method.type)) continue
    throw fieldInvalid(`${fieldPath}.id`, `left out for ${method.type}`)
  }
}

/** The session profiles that the steps name, of the organization and of its parent. */
export function sessionProfilesOf(given: GivenSteps): readonly Need[] {
  const named = methodsIn(given).filter(({ method }) => method.type === 'AUTHENTICATION_TYPE_SESSION')
  const ids = new Set(named.flatMap(({ method }) => method.id ?? []))
  return [...ids]
    .filter((id) => id !== defaultSessionProfileId)
    .flatMap((id) => [maybe('session_profile', id), ofParent(maybe('session_profile', id))])
}

/** The user and the organization of the steps, with the profiles that `sessionProfilesOf` named. */
type Owner = {
  readonly user: User
  readonly organization: Pick<Readers, 'sessionProfiles'> & {
    readonly parent: Pick<Readers, 'sessionProfiles'> | undefined
  }
}

/**
 * The steps as records have them. Every id must name something that exists: nobody could take the step otherwise, and
 * nothing gets around an MFA policy.
 */
export function stepsOf(given: GivenSteps, owner: Owner): readonly AuthenticationStep[] {
  for (const { method, fieldPath } of methodsIn(given)) {
    const { type, id } = method
    if (id === undefined || credentialsOf[type].has(id, owner)) continue
    throw new Failure('NOT_FOUND', {
      fieldPath: `${fieldPath}.id`,
      reason: `there is no ${credentialsOf[type].name} ${id}`,
    })
  }
  return given
}

/** For each type of method: what its `id` names, and whether that exists. */
const credentialsOf: {
  readonly [T in AuthenticationMethod['type']]: {
    readonly name: string
    readonly has: (id: string, owner: Owner) => boolean
  }
} = {
  AUTHENTICATION_TYPE_EMAIL_OTP: { name: 'passcode', has: () => false },
  AUTHENTICATION_TYPE_SMS_OTP: { name: 'passcode', has: () => false },
  AUTHENTICATION_TYPE_PASSKEY: {
    name: 'authenticator of this user',
    has: (id, { user }) => user.authenticators.some(({ authenticatorId }) => authenticatorId === id),
  },
  AUTHENTICATION_TYPE_OAUTH: {
    name: 'OAuth provider of this user',
    has: (id, { user }) => user.oauthProviders.some(({ providerId }) => providerId === id),
  },
  AUTHENTICATION_TYPE_API_KEY: {
    name: 'api key of this user',
    has: (id, { user }) => user.apiKeys.some(({ apiKeyId }) => apiKeyId === id),
  },
  AUTHENTICATION_TYPE_SESSION: {
    name: 'session profile in this organization',
    has: (id, { organization }) =>
      id === defaultSessionProfileId ||
      organization.sessionProfiles.find(id) !== undefined ||
      organization.parent?.sessionProfiles.find(id) !== undefined,
  },
}

function methodsIn(given: GivenSteps) {
  return given.flatMap(({ any }, stepIndex) =>
    any.map((method, index) => ({ method, fieldPath: `${stepsPath}[${stepIndex}].any[${index}]` })),
  )
}

/** The user's MFA policy with this id. Throws NOT_FOUND, also for a policy of another user. */
export function mfaPolicyOf({ mfaPolicies = [] }: User, mfaPolicyId: string): MfaPolicy {
  const policy = mfaPolicies.find((candidate) => candidate.mfaPolicyId === mfaPolicyId)
  if (policy !== undefined) return policy
  throw new Failure('NOT_FOUND', `there is no mfa policy ${mfaPolicyId} of this user`)
}

/** Replaces the user's policy that has the same id, or adds the policy behind all others. */
export function withMfaPolicy(user: User, policy: MfaPolicy): User {
  const { mfaPolicies = [] } = user
  const isNew = mfaPolicies.every(({ mfaPolicyId }) => mfaPolicyId !== policy.mfaPolicyId)
  const next = isNew
    ? [...mfaPolicies, policy]
    : mfaPolicies.map((other) => (other.mfaPolicyId === policy.mfaPolicyId ? policy : other))
  return { ...user, mfaPolicies: next }
}
