import Type, { type Static, type TSchema } from 'typebox'
import { EncryptedBundle, Flag, fields, oneOf, optional, Uuid } from '../../../contract/fields/fields.ts'
import { readParameters } from '../../../contract/fields/parameters.ts'
import type { AuthProxy } from '../../../contract/records/records.ts'
import type { ProxiedName } from '../../../protocol/wire/auth_proxy.ts'
import { fieldInvalid } from '../../../protocol/wire/failures.ts'
import type { JsonObject } from '../../../protocol/wire/json.ts'
import { mailboxOf } from '../../../protocol/wire/mail_addresses.ts'
import { IdToken } from '../../oauth_providers/shared/new_oauth_providers.ts'
import { VerificationToken } from '../../sessions/shared/verification_tokens.ts'
import { ClientSignature } from '../../sub_organizations/shared/client_signatures.ts'

/** The proof of whose account is meant. A public key and an id of a passkey are no secrets. */
export type AccountProof =
  | { readonly by: 'verificationToken'; readonly token: string; readonly contact?: string }
  | { readonly by: 'oidcToken'; readonly token: string }
  | { readonly by: 'credential' | 'authenticator'; readonly key: string }

/** The activity that the vault makes of an unstamped request. */
export type MadeActivity = {
  readonly type: string
  readonly parameters: JsonObject
  /** The organization of a login. Absent: that of the account. */
  readonly organizationId?: string | undefined
  /** Present for a login: whose account decides in which organization it is. */
  readonly account?: AccountProof
}

export type Proxied =
  | { readonly kind: 'activity'; readonly type: string; made(body: JsonObject, proxy: AuthProxy): MadeActivity }
  | { readonly kind: 'account'; proofIn(body: JsonObject): AccountProof }
  | { readonly kind: 'config' }
  /** Which test of a person a page should make. There is none. */
  | { readonly kind: 'clientParams' }

/** Reads a body by its schema, and makes an activity of this type of it. */
function activity<P extends TSchema>(
  type: string,
  schema: P,
  make: (given: Static<P>, proxy: AuthProxy) => Omit<MadeActivity, 'type'>,
): Proxied {
  return { kind: 'activity', type, made: (body, proxy) => ({ type, ...make(readParameters(schema, body, ''), proxy) }) }
}

const contact = {
  otpType: oneOf(['OTP_TYPE_EMAIL', 'OTP_TYPE_SMS']),
  contact: Type.String({ minLength: 1, maxLength: 256, expected: 'an e-mail address or a phone number' }),
}
const session = {
  publicKey: Type.String({ maxLength: 66, expected: 'a compressed public key of P-256 in hex' }),
  invalidateExisting: optional(Flag),
  organizationId: optional(Uuid),
}
const OtpId = Type.String({ minLength: 1, maxLength: 256, expected: 'the otpId of an otp_init' })

/** How the message looks is the organization's choice alone: a stranger could put a link into the mail. */
const passcodeOf = ({ appName, otpLength, otpAlphanumeric, otpExpirationSeconds }: AuthProxy) => ({
  appName,
  otpLength,
  alphanumeric: otpAlphanumeric,
  expirationSeconds: otpExpirationSeconds,
})

const otpInit = (type: string) =>
  activity(type, fields(contact), (given, proxy) => ({ parameters: { ...given, ...passcodeOf(proxy) } }))

/** A login in the organization of the account, for the time that the organization has chosen. */
function login<T extends TSchema>(
  schema: T,
  type: string,
  split: (given: Static<T>) => Pick<MadeActivity, 'parameters' | 'account' | 'organizationId'>,
): Proxied {
  return activity(type, schema, (given, { sessionExpirationSeconds: expirationSeconds }) => {
    const { parameters, ...whose } = split(given)
    return { parameters: { ...parameters, expirationSeconds }, ...whose }
  })
}

const byToken = ({ verificationToken: token }: { readonly verificationToken: string }) =>
  ({ by: 'verificationToken', token }) as const

const AccountParameters = fields({
  filterType: oneOf(['EMAIL', 'PHONE_NUMBER', 'OIDC_TOKEN', 'PUBLIC_KEY', 'CREDENTIAL_ID']),
  filterValue: Type.String({ minLength: 1, maxLength: 16_384, expected: 'what the account is found by' }),
  verificationToken: optional(VerificationToken),
  oidcToken: optional(IdToken),
})

function accountProofIn({
  filterType,
  filterValue,
  verificationToken,
}: Static<typeof AccountParameters>): AccountProof {
  switch (filterType) {
    case 'OIDC_TOKEN':
      return { by: 'oidcToken', token: filterValue }
    case 'PUBLIC_KEY':
      return { by: 'credential', key: filterValue.toLowerCase() }
    case 'CREDENTIAL_ID':
      return { by: 'authenticator', key: filterValue }
    case 'EMAIL':
    case 'PHONE_NUMBER':
      // Without it anybody could ask which addresses have an account.
      if (verificationToken === undefined) {
        throw fieldInvalid('verificationToken', 'the token of an otp_verify for this contact')
      }
      return { by: 'verificationToken', token: verificationToken, contact: filterValue }
  }
}

/** Whether a token about `verified` answers a question about this contact. */
export function isSameContact(asked: string, verified: { readonly contact: string }): boolean {
  return mailboxOf(asked) === mailboxOf(verified.contact)
}

/** One row for each operation of the auth proxy. */
export const proxiedOperations: Readonly<Record<ProxiedName, Proxied>> = {
  account: { kind: 'account', proofIn: (body) => accountProofIn(readParameters(AccountParameters, body, '')) },
  wallet_kit_config: { kind: 'config' },
  wallet_kit_client_params: { kind: 'clientParams' },
  otp_init: otpInit('ACTIVITY_TYPE_INIT_OTP_V2'),
  otp_init_v2: otpInit('ACTIVITY_TYPE_INIT_OTP_V3'),
  otp_verify: activity(
    'ACTIVITY_TYPE_VERIFY_OTP',
    fields({
      otpId: OtpId,
      otpCode: Type.String({ minLength: 1, maxLength: 64, expected: 'the passcode' }),
      publicKey: optional(session.publicKey),
    }),
    (given) => ({ parameters: { ...given } }),
  ),
  otp_verify_v2: activity(
    'ACTIVITY_TYPE_VERIFY_OTP_V2',
    fields({ otpId: OtpId, encryptedOtpBundle: EncryptedBundle }),
    (given) => ({ parameters: { ...given } }),
  ),
  otp_login: login(
    fields({ ...session, verificationToken: VerificationToken, clientSignature: optional(ClientSignature) }),
    'ACTIVITY_TYPE_OTP_LOGIN',
    ({ organizationId, ...parameters }) => ({ parameters, organizationId, account: byToken(parameters) }),
  ),
  otp_login_v2: login(
    fields({ ...session, verificationToken: VerificationToken, clientSignature: ClientSignature }),
    'ACTIVITY_TYPE_OTP_LOGIN_V2',
    ({ organizationId, ...parameters }) => ({ parameters, organizationId, account: byToken(parameters) }),
  ),
  oauth_login: login(fields({ ...session, oidcToken: IdToken }), 'ACTIVITY_TYPE_OAUTH_LOGIN', (given) => {
    const { organizationId, ...parameters } = given
    return { parameters, organizationId, account: { by: 'oidcToken', token: given.oidcToken } }
  }),
}

/** Whether the proxy may ask for an activity of this type. A disabled proxy asks for nothing. */
export function mayAskFor({ operations }: Pick<AuthProxy, 'operations'>, type: string): boolean {
  return operations.some((name) => {
    const proxied = proxiedOperations[name]
    return proxied.kind === 'activity' && proxied.type === type
  })
}
