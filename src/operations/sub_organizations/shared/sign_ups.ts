import type { Static } from 'typebox'
import type { ActivityContext } from '../../../contract/define.ts'
import { signedUpSince } from '../../../contract/records/contact_times.ts'
import type { User, WithoutTimes } from '../../../contract/records/records.ts'
import { fieldInvalid } from '../../../protocol/wire/failures.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../protocol/wire/json.ts'
import { contactLookup, useTokenToSignUp, withVerifiedContact } from '../../sessions/shared/verification_tokens.ts'
import { type ClientSignature, readClientSignature } from './client_signatures.ts'

/** The fields of a root user that the key of a verification token signs at a sign-up. */
type GivenUser = {
  readonly userEmail?: string | undefined
  readonly userPhoneNumber?: string | undefined
  readonly apiKeys: readonly object[]
  readonly authenticators: readonly object[]
  readonly oauthProviders: readonly object[]
}

/** The proof that a contact belongs to the only root user of a new organization. */
type SignUp = {
  readonly rootUsers: readonly GivenUser[]
  readonly verificationToken?: string
  readonly clientSignature?: Static<typeof ClientSignature>
  /** Set by an older type, which accepts any token without a signature. */
  readonly mayBeUnsigned?: true
}

const signaturePath = 'parameters.clientSignature'
const tokenPath = 'parameters.verificationToken'

export function checkSignUp({ rootUsers, verificationToken, clientSignature, mayBeUnsigned }: SignUp): void {
  if (verificationToken === undefined) {
    if (clientSignature === undefined) return
    throw fieldInvalid(signaturePath, 'left out: there is no verification token')
  }
  if (rootUsers.length !== 1) {
    const expected = 'one user, where there is a verification token: it is about one contact'
    throw fieldInvalid('parameters.rootUsers', expected)
  }
  if (clientSignature === undefined && mayBeUnsigned === undefined) {
    throw fieldInvalid(signaturePath, "a signature by the token's key")
  }
}

/**
 * The only root user of a sign-up that `checkSignUp` has passed, with the token's contact verified. The token stays
 * valid for the login that the client sends next, which uses it up.
 */
export function signedUp(
  user: WithoutTimes<User>,
  { rootUsers, verificationToken, clientSignature, mayBeUnsigned }: SignUp,
  place: Pick<ActivityContext<unknown>, 'organization' | 'keys' | 'nowMs'>,
): WithoutTimes<User> {
  const [given] = rootUsers
  const { nowMs } = place
  if (verificationToken === undefined || given === undefined) return signedUpSince(user, { nowMs })
  const { id, publicKey, codeSentAtMs, ...contact } = useTokenToSignUp(verificationToken, place)
  if (publicKey === undefined && (clientSignature !== undefined || mayBeUnsigned === undefined)) {
    const expected = 'a token that names a key: the newest verify_otp gives one'
    throw fieldInvalid(tokenPath, expected)
  }
  if (publicKey !== undefined && clientSignature !== undefined) {
    const signed = readClientSignature(clientSignature, { id, publicKey, usage: 'USAGE_TYPE_SIGNUP' })
    requireSame(signed.signupV2 ?? null, given)
  }
  const verified = withVerifiedContact(user, contact)
  if (verified === user) {
    const expected = "one about the root user's e-mail address or phone number"
    throw fieldInvalid(tokenPath, expected)
  }
  return signedUpSince(verified, { proved: { contact: contactLookup(contact), codeSentAtMs }, nowMs })
}

type Path = readonly string[]

/** The members of each credential that identify it. */
const credentialPaths: Readonly<Record<'apiKeys' | 'authenticators' | 'oauthProviders', readonly Path[]>> = {
  apiKeys: [['publicKey'], ['curveType'], ['expirationSeconds']],
  authenticators: [
    ['challenge'],
    ['attestation', 'credentialId'],
    ['attestation', 'clientDataJson'],
    ['attestation', 'attestationObject'],
  ],
  oauthProviders: [['oidcToken'], ['oidcClaims', 'iss'], ['oidcClaims', 'sub'], ['oidcClaims', 'aud']],
}

/**
 * Requires the root user that the client signed: a party that relays the request can neither add a credential nor
 * change a contact.
 */
function requireSame(signed: JsonValue, given: GivenUser): void {
  const usage = isJsonObject(signed) ? signed : {}
  const pairs: readonly (readonly [string, string, string])[] = [
    ['email', textOf(usage.email), textOf(given.userEmail)],
    ['phoneNumber', textOf(usage.phoneNumber), textOf(given.userPhoneNumber)],
    ...(['apiKeys', 'authenticators', 'oauthProviders'] as const).map((name) => {
      const paths = credentialPaths[name]
      return [name, credentialsOf(usage[name], paths), credentialsOf(given[name] as JsonValue, paths)] as const
    }),
  ]
  const different = pairs.find(([, ours, theirs]) => ours !== theirs)
  if (different === undefined) return
  throw fieldInvalid(
    `${signaturePath}.message`,
    `JSON with the root user's ${different[0]} in signupV2, as in the request`,
  )
}

function textOf(value: JsonValue | undefined): string {
  return JSON.stringify(value ?? null)
}

/** The identifying members of credentials, as a text. An absent list is an empty one. */
function credentialsOf(list: JsonValue | undefined, paths: readonly Path[]): string {
  if (!Array.isArray(list)) return textOf(list ?? [])
  return textOf(list.map((one) => paths.map((path) => path.reduce<JsonValue>(memberOf, one))))
}

function memberOf(value: JsonValue, name: string): JsonValue {
  return isJsonObject(value) ? ((value as JsonObject)[name] ?? null) : null
}
