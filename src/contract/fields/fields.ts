import Type, { type TSchema } from 'typebox'
import { authenticationTypes } from '../../policy/authentication_methods.ts'
import { addressFormatNames } from '../../protocol/chains/address_formats.ts'
import { curves } from '../../protocol/crypto/curves.ts'
import {
  attestationObjectCharactersMax,
  authenticatorTransports,
  challengeCharactersMax,
  clientDataCharactersMax,
  credentialIdCharactersMax,
} from '../../protocol/stamps/webauthn.ts'
import { labelCharacter, labelCharactersMax, labelPattern, spelledLabel } from '../../protocol/wire/labels.ts'
import { mailAddressFault, mailAddressPattern } from '../../protocol/wire/mail_addresses.ts'
import { phoneNumberPattern } from '../../protocol/wire/outgoing_messages.ts'
import { faultBy, lowerCase, spelledBy } from './check_object.ts'
import { type Id, idField } from './ids.ts'
import { named, view } from './named.ts'
import { secret } from './secret_fields.ts'

/**
 * The fields that operations share. A refused caller is told `expected`. It stands in the schema so that the interface
 * page says the same.
 */

export const accountsPerRequestMax = 1_000
export const usersPerRequestMax = 100
export const privateKeysPerRequestMax = 100
export const walletsPerDeletionMax = 100
export const payloadsPerRequestMax = 100
export const rootQuorumUsersMax = 100
export const apiKeysPerUserRequestMax = 20
export const authenticatorsPerUserRequestMax = 20
export const tagsPerRequestMax = 100
export const policiesPerRequestMax = 100
export const addressFormatsPerKeyMax = 40
export const notesCharactersMax = 2_000
export const expressionCharactersMax = 5_000
export const featureValueCharactersMax = 10_000
export const smartContractInterfaceCharactersMax = 400_000
export const payloadCharactersMax = 1_048_576
export const pageItemsDefault = 10

/** An id of this form, in any case. It is read in lower case, as records have it. */
export function idText(form: { readonly expected: string; readonly pattern?: string; readonly maxLength?: number }) {
  return Type.Unsafe<Id>(Type.String({ minLength: 1, ...form, ...lowerCase, ...idField }))
}

export const Uuid = idText({
  pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
  expected: 'a UUID',
  ...named('Uuid'),
})

/** Has any form: clients do not promise that these ids are UUIDs. */
export const Oauth2CredentialId = idText({
  maxLength: 256,
  expected: 'the id of an OAuth 2.0 credential',
  ...named('Oauth2CredentialId'),
})

/** A name that people read: one line, with no blank or invisible character at either end. It is read in one spelling. */
export const Label = Type.String({
  ...spelledBy(spelledLabel),
  pattern: labelPattern,
  expected: `a text of 1 to ${labelCharactersMax} characters on one line, without blanks at its ends`,
  ...named('Label'),
})

/** A note for people; may be empty. */
export const Notes = Type.String({
  maxLength: notesCharactersMax,
  expected: `a text of at most ${notesCharactersMax} characters`,
  ...named('Notes'),
})

/** An expression of the policy language, as text. */
export const Expression = Type.String({
  minLength: 1,
  maxLength: expressionCharactersMax,
  expected: `an expression of 1 to ${expressionCharactersMax} characters`,
  ...named('Expression'),
})

/** An expression, or an empty text, which means that there is none. */
export const ExpressionOrNone = Type.String({
  maxLength: expressionCharactersMax,
  expected: `an expression of at most ${expressionCharactersMax} characters, or an empty text for none`,
  ...named('ExpressionOrNone'),
})

/** The public half of an API key: a compressed point, or 32 bytes for Ed25519. It is read in lower case. */
export const ApiPublicKey = Type.String({
  pattern: '^([0-9a-fA-F]{64}|[0-9a-fA-F]{66})$',
  expected: 'the public key of an API key: 32 or 33 bytes in hex',
  ...lowerCase,
  ...named('ApiPublicKey'),
})

/**
 * One line for a machine: blanks may stand anywhere and the text may be empty. Invisible characters are refused here
 * too.
 */
export function lineOf({ charactersMax, charactersMin = 0 }: { charactersMax: number; charactersMin?: number }) {
  return Type.String({
    pattern: `^${labelCharacter}{${charactersMin},${charactersMax}}$`,
    expected: `a text of ${charactersMin} to ${charactersMax} characters on one line`,
  })
}

/** An address to which mail can be sent: exactly one, with no room for part of a header. */
export const Email = Type.String({
  pattern: mailAddressPattern,
  expected: 'an e-mail address',
  ...faultBy(mailAddressFault),
  ...named('Email'),
})
export const PhoneNumber = Type.String({
  pattern: phoneNumberPattern,
  expected: 'a phone number in the form of E.164, such as +14155550123',
  ...named('PhoneNumber'),
})

function orNone(expected: string | undefined): string | undefined {
  return expected === undefined ? undefined : `${expected}, or an empty text to remove it`
}

/** Clients remove a user's address or number with an empty text. */
export const EmailOrNone = Type.String({
  pattern: `^$|${mailAddressPattern}`,
  expected: 'an e-mail address, or an empty text to remove it',
  ...faultBy((text) => (text === '' ? undefined : orNone(mailAddressFault(text)))),
  ...named('EmailOrNone'),
})
export const PhoneNumberOrNone = Type.String({
  pattern: `^$|${phoneNumberPattern}`,
  expected: 'a phone number in the form of E.164, such as +14155550123, or an empty text to remove it',
  ...named('PhoneNumberOrNone'),
})

export const Fingerprint = Type.String({
  pattern: '^sha256:[0-9a-f]{64}$',
  expected: 'the fingerprint of an activity: sha256: and 64 lower-case hex digits',
  ...named('Fingerprint'),
})

/**
 * The whole numbers from 1 to `max` that requests have as text, as 64-bit integers are on this wire. `pattern` says the
 * same. The interface bounds pages and verification tokens; the other bounds are ours.
 */
export const numberForms = {
  PageLimit: { max: 100, of: '', pattern: '^([1-9][0-9]?|100)$' },
  /** Any lifetime: at most about 31 years. */
  Seconds: { max: 999_999_999, of: ' of seconds', pattern: '^[1-9][0-9]{0,8}$' },
  /** The lifetime of a passcode: ten minutes at most. */
  PasscodeSeconds: { max: 600, of: ' of seconds', pattern: '^([1-9][0-9]?|[1-5][0-9]{2}|600)$' },
  /** The lifetime of a verification token: a day at most. */
  TokenSeconds: {
    max: 86_400,
    of: ' of seconds',
    pattern: '^([1-9][0-9]{0,3}|[1-7][0-9]{4}|8[0-5][0-9]{3}|86[0-3][0-9]{2}|86400)$',
  },
  /** The lifetime of a session: a month of 30 days at most. */
  SessionSeconds: {
    max: 2_592_000,
    of: ' of seconds',
    pattern: '^([1-9][0-9]{0,5}|1[0-9]{6}|2[0-4][0-9]{5}|25[0-8][0-9]{4}|259[01][0-9]{3}|2592000)$',
  },
} as const

function numberField(name: keyof typeof numberForms) {
  const { max, of, pattern } = numberForms[name]
  return Type.String({ pattern, expected: `a number${of} from 1 to ${max}, as a string`, ...named(name) })
}

export const pageItemsMax = numberForms.PageLimit.max
export const PageLimit = numberField('PageLimit')
export const Seconds = numberField('Seconds')
export const SessionSeconds = numberField('SessionSeconds')
export const TokenSeconds = numberField('TokenSeconds')
export const PasscodeSeconds = numberField('PasscodeSeconds')

export const HttpsUrl = Type.String({
  pattern: '^https://[^\\s\u0000-\u001f]{1,2040}$',
  expected: 'an https:// address',
  ...named('HttpsUrl'),
})

/** `members`: those of `named`, if the list of values has a name. */
export function oneOf<const T extends readonly string[]>(values: T, members: object = {}) {
  const expected = `one of ${values.join(', ')}`
  return Type.Unsafe<T[number]>({ enum: [...values], type: 'string', expected, ...members })
}

export const CurveName = oneOf(curves, named('Curve'))
export const AddressFormatName = oneOf(addressFormatNames, named('AddressFormat'))
export const PathFormat = oneOf(['PATH_FORMAT_BIP32'], named('PathFormat'))
export const ApiKeyCurveName = oneOf(
  ['API_KEY_CURVE_P256', 'API_KEY_CURVE_SECP256K1', 'API_KEY_CURVE_ED25519'],
  named('ApiKeyCurve'),
)
export const AuthenticatorTransport = oneOf(authenticatorTransports, named('AuthenticatorTransport'))
export const AuthenticationType = oneOf(authenticationTypes, named('AuthenticationType'))

export function fields<const T extends Record<string, TSchema>>(properties: T) {
  return Type.Object(properties, { additionalProperties: false, expected: 'an object' })
}

/** Fields that have a name in the document of the interface. */
export function namedFields<const T extends Record<string, TSchema>>(name: string, properties: T) {
  return Type.Object(properties, { ...named(name), additionalProperties: false, expected: 'an object' })
}

/** Every list has a maximum. */
export function list<T extends TSchema>(item: T, { itemsMax, itemsMin = 0 }: { itemsMax: number; itemsMin?: number }) {
  return Type.Array(item, {
    maxItems: itemsMax,
    minItems: itemsMin,
    expected: itemsMin === 0 ? `a list of at most ${itemsMax}` : `a list of ${itemsMin} to ${itemsMax}`,
  })
}

export const Flag = Type.Boolean({ expected: 'true or false' })

export const optional = Type.Optional

export const PaginationOptions = namedFields('Pagination', {
  limit: optional(PageLimit),
  before: optional(Uuid),
  after: optional(Uuid),
})

export const ActivityType = Type.String({
  pattern: '^ACTIVITY_TYPE_[A-Z0-9_]{1,100}$',
  expected: 'an activity type',
  ...named('ActivityType'),
})
export const ActivityTypes = list(ActivityType, { itemsMax: 100 })

/** A time of a record: `{seconds, nanos}`, both strings. */
export const Timestamp = view('Timestamp', { seconds: Type.String(), nanos: Type.String() })

export const NewAccount = namedFields('WalletAccountParams', {
  curve: CurveName,
  pathFormat: PathFormat,
  path: Type.String({ maxLength: 256, expected: "a derivation path such as m/44'/60'/0'/0/0" }),
  addressFormat: AddressFormatName,
  name: optional(Label),
})

export const NewApiKey = namedFields('ApiKeyParamsV2', {
  apiKeyName: Label,
  publicKey: Type.String({ maxLength: 132, expected: 'a public key in hex' }),
  curveType: ApiKeyCurveName,
  expirationSeconds: optional(Seconds),
})

function base64url(charactersMax: number) {
  return Type.String({ maxLength: charactersMax, expected: `base64url of at most ${charactersMax} characters` })
}

/** A passkey as `navigator.credentials.create` gave it to the client. */
export const NewAuthenticator = namedFields('AuthenticatorParamsV2', {
  authenticatorName: Label,
  challenge: secret(base64url(challengeCharactersMax)),
  attestation: secret(
    namedFields('Attestation', {
      credentialId: base64url(credentialIdCharactersMax),
      clientDataJson: base64url(clientDataCharactersMax),
      attestationObject: base64url(attestationObjectCharactersMax),
      transports: list(AuthenticatorTransport, { itemsMax: authenticatorTransports.length }),
    }),
  ),
})

export const TargetPublicKey = Type.String({
  maxLength: 130,
  expected: 'a public key of P-256 in hex, 65 bytes uncompressed',
  ...named('TargetPublicKey'),
})

export const EncryptedBundle = Type.String({
  maxLength: 16_384,
  expected: 'the JSON text {"encappedPublic", "ciphertext"} that a client makes',
  ...named('EncryptedBundle'),
})

/** An API key in older types. It names no curve, because P-256 was the only one. */
export const NewP256ApiKey = namedFields('ApiKeyParams', {
  apiKeyName: Label,
  publicKey: Type.String({ maxLength: 132, expected: 'a public key in hex' }),
  expirationSeconds: optional(Seconds),
})

export const MnemonicLength = Type.Integer({
  enum: [12, 15, 18, 21, 24],
  expected: 'one of 12, 15, 18, 21, 24',
  ...named('MnemonicLength'),
})
