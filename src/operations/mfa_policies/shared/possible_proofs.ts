import { recordedKeyOf } from '../../../contract/records/factors.ts'
import { isExpired, type User } from '../../../contract/records/records.ts'
import {
  type AuthenticationMethod,
  type AuthenticationStep,
  defaultSessionProfileId,
} from '../../../policy/authentication_methods.ts'
import { type Proof, proofIn, type Stamped } from '../../../policy/mfa.ts'
import { oidcIdentityKey } from '../../../protocol/tokens/id_tokens.ts'
import { passcodeSwitches, type Switch } from '../../../protocol/wire/feature_names.ts'

/** A user at a time, and whether passcodes of a kind are on. */
export type Means = { readonly user: User; readonly nowMs: number; readonly isOn: (name: Switch) => boolean }

/** Returns a proof by each API key, passkey and identity of the user, of which an API key may have expired. */
export function proofsOfCredentials({ apiKeys, authenticators, oauthProviders }: User): readonly Proof[] {
  // The key of a session or of a recovery takes other steps.
  const own = apiKeys.filter(({ credentialType }) => credentialType === undefined)
  const stamps: readonly Stamped[] = [
    ...own.map(({ apiKeyId, publicKey }) => ({ method: methodOf('API_KEY', apiKeyId), publicKey })),
    ...authenticators.map((passkey) => ({
      method: methodOf('PASSKEY', passkey.authenticatorId),
      publicKey: recordedKeyOf(passkey),
    })),
    ...oauthProviders.map((provider) => ({
      method: methodOf('OAUTH', provider.providerId),
      attested: { key: oidcIdentityKey(provider) },
      publicKey: '',
    })),
  ]
  return stamps.flatMap(proofIn)
}

/**
 * Returns the proofs that the user can give for these steps: by a credential, by a passcode, and by a session that one of
 * them opens with a profile that the steps name, or without one.
 */
export function possibleProofs({ user, nowMs, isOn }: Means, steps: readonly AuthenticationStep[]): readonly Proof[] {
  const usable = { ...user, apiKeys: user.apiKeys.filter((key) => !isExpired(key, nowMs)) }
  const hasMail = user.userEmail !== undefined && isOn(passcodeSwitches.OTP_TYPE_EMAIL)
  const hasPhone = user.userPhoneNumber !== undefined && isOn(passcodeSwitches.OTP_TYPE_SMS)
  const means: readonly Proof[] = [
    ...proofsOfCredentials(usable),
    ...(hasMail ? [{ method: methodOf('EMAIL_OTP') }] : []),
    ...(hasPhone ? [{ method: methodOf('SMS_OTP') }] : []),
  ]
  const named = steps.flatMap(({ any }) => any).filter(({ type }) => type === 'AUTHENTICATION_TYPE_SESSION')
  const profileIds = new Set(named.map(({ id = defaultSessionProfileId }) => id))
  const sessions = [...profileIds].flatMap((id) =>
    means.map((proof): Proof => ({ ...proof, method: methodOf('SESSION', id) })),
  )
  return [...means, ...sessions]
}

type Name = AuthenticationMethod['type'] extends `AUTHENTICATION_TYPE_${infer N}` ? N : never

function methodOf(name: Name, id?: string): AuthenticationMethod {
  return { type: `AUTHENTICATION_TYPE_${name}`, ...(id === undefined ? {} : { id }) }
}
