import Type from 'typebox'
import { effects, outcomes } from '../../policy/decision/effects.ts'
import {
  AddressFormatName,
  AuthenticationType,
  AuthenticatorTransport,
  CurveName,
  oneOf,
  optional,
  PathFormat,
  Timestamp,
} from '../fields/fields.ts'
import { named, texts, view } from '../fields/named.ts'
import { shown } from '../fields/shown.ts'
import {
  type ApiKey,
  type Authenticator,
  accessTypes,
  issuedCredentialTypes,
  type MfaPolicy,
  type OauthProvider,
  type PrivateKey,
  type Tag,
  type User,
  type Wallet,
  type WalletAccount,
} from './records.ts'

/** Records on the wire: the schema of each kind, and the conversion of a sealed record to it. */

export type TimestampView = { seconds: string; nanos: string }

export function timestampView(timeMs: number): TimestampView {
  return { seconds: String(Math.floor(timeMs / 1000)), nanos: String((timeMs % 1000) * 1_000_000) }
}

export function timesView({ createdAtMs, updatedAtMs }: { createdAtMs: number; updatedAtMs: number }) {
  return { createdAt: timestampView(createdAtMs), updatedAt: timestampView(updatedAtMs) }
}

export const times = { createdAt: Timestamp, updatedAt: Timestamp }

export const EffectName = oneOf(effects, named('Effect'))
export const OutcomeName = oneOf(outcomes, named('Outcome'))
export const AccessTypeName = oneOf(accessTypes, named('AccessType'))

const credentialTypes = {
  API_KEY_CURVE_P256: 'CREDENTIAL_TYPE_API_KEY_P256',
  API_KEY_CURVE_SECP256K1: 'CREDENTIAL_TYPE_API_KEY_SECP256K1',
  API_KEY_CURVE_ED25519: 'CREDENTIAL_TYPE_API_KEY_ED25519',
} as const

export const authenticatorType = 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'

export const ApiKeyView = view('ApiKey', {
  credential: view('Credential', {
    publicKey: Type.String(),
    type: oneOf(
      [...Object.values(credentialTypes), ...issuedCredentialTypes, authenticatorType],
      named('CredentialType'),
    ),
    sessionProfileId: optional(Type.String()),
  }),
  apiKeyId: Type.String(),
  apiKeyName: Type.String(),
  ...times,
  expirationSeconds: optional(Type.String()),
})

export function apiKeyView(apiKey: ApiKey): Type.Static<typeof ApiKeyView> {
  const { publicKey, curveType, credentialType: type = credentialTypes[curveType], sessionProfileId } = apiKey
  return shown(ApiKeyView, {
    ...apiKey,
    credential: { publicKey, type, ...(sessionProfileId === undefined ? {} : { sessionProfileId }) },
    expirationSeconds: apiKey.expirationSeconds?.toString(),
    ...timesView(apiKey),
  })
}

export const AuthenticatorView = view('Authenticator', {
  transports: Type.Array(AuthenticatorTransport),
  ...texts('attestationType', 'aaguid', 'credentialId', 'model'),
  credential: Type.Object({ publicKey: Type.String(), type: oneOf([authenticatorType]) }),
  authenticatorId: Type.String(),
  authenticatorName: Type.String(),
  ...times,
})

export function authenticatorView(authenticator: Authenticator): Type.Static<typeof AuthenticatorView> {
  return shown(AuthenticatorView, {
    ...authenticator,
    // The model of the device is unknown: only a verified attestation would tell it.
    model: 'Security key',
    credential: { publicKey: authenticator.cosePublicKey, type: authenticatorType },
    ...timesView(authenticator),
  })
}

export const OauthProviderView = view('OauthProvider', {
  ...texts('providerId', 'providerName', 'issuer', 'audience', 'subject'),
  ...times,
})

export function oauthProviderView(provider: OauthProvider): Type.Static<typeof OauthProviderView> {
  return shown(OauthProviderView, { ...provider, ...timesView(provider) })
}

export const AuthenticationMethodView = view('AuthenticationMethod', {
  type: AuthenticationType,
  id: optional(Type.String()),
})
export const AuthenticationStepView = view('RequiredAuthenticationMethod', {
  any: Type.Array(AuthenticationMethodView),
})

export const MfaPolicyView = view('MfaPolicy', {
  ...texts('mfaPolicyId', 'mfaPolicyName', 'condition'),
  requiredAuthenticationMethods: Type.Array(AuthenticationStepView),
  order: Type.Integer(),
  notes: optional(Type.String()),
  ...times,
})

export function mfaPolicyView(policy: MfaPolicy): Type.Static<typeof MfaPolicyView> {
  return shown(MfaPolicyView, { ...policy, ...timesView(policy) })
}

export const UserView = view('User', {
  userId: Type.String(),
  userName: Type.String(),
  userEmail: optional(Type.String()),
  userPhoneNumber: optional(Type.String()),
  authenticators: Type.Array(AuthenticatorView),
  apiKeys: Type.Array(ApiKeyView),
  userTags: Type.Array(Type.String()),
  oauthProviders: Type.Array(OauthProviderView),
  mfaPolicies: Type.Array(MfaPolicyView),
  ...times,
})

export function userView(user: User): Type.Static<typeof UserView> {
  return shown(UserView, {
    ...user,
    authenticators: user.authenticators.map(authenticatorView),
    apiKeys: user.apiKeys.map(apiKeyView),
    oauthProviders: user.oauthProviders.map(oauthProviderView),
    mfaPolicies: (user.mfaPolicies ?? []).map(mfaPolicyView),
    ...timesView(user),
  })
}

export const WalletView = view('Wallet', {
  walletId: Type.String(),
  walletName: Type.String(),
  ...times,
  exported: Type.Boolean(),
  imported: Type.Boolean(),
})

export function walletView(wallet: Wallet): Type.Static<typeof WalletView> {
  return shown(WalletView, { ...wallet, ...timesView(wallet) })
}

export const WalletAccountView = view('WalletAccount', {
  ...texts('walletAccountId', 'organizationId', 'walletId'),
  curve: CurveName,
  pathFormat: PathFormat,
  path: Type.String(),
  addressFormat: AddressFormatName,
  address: Type.String(),
  ...times,
  publicKey: Type.String(),
  walletDetails: optional(WalletView),
  name: optional(Type.String()),
})

export function walletAccountView(
  account: WalletAccount,
  { organizationId, wallet }: { readonly organizationId: string; readonly wallet: Wallet | undefined },
): Type.Static<typeof WalletAccountView> {
  return shown(WalletAccountView, {
    ...account,
    organizationId,
    pathFormat: 'PATH_FORMAT_BIP32',
    walletDetails: wallet && walletView(wallet),
    ...timesView(account),
  })
}

export const AddressView = view('Address', { format: AddressFormatName, address: Type.String() })

export const PrivateKeyView = view('PrivateKey', {
  ...texts('privateKeyId', 'publicKey', 'privateKeyName'),
  curve: CurveName,
  addresses: Type.Array(AddressView),
  privateKeyTags: Type.Array(Type.String()),
  ...times,
  exported: Type.Boolean(),
  imported: Type.Boolean(),
})

export function privateKeyView(privateKey: PrivateKey): Type.Static<typeof PrivateKeyView> {
  return shown(PrivateKeyView, { ...privateKey, ...timesView(privateKey) })
}

const tagTypes = { user: 'TAG_TYPE_USER', private_key: 'TAG_TYPE_PRIVATE_KEY' } as const

export const TagView = view('Tag', {
  tagId: Type.String(),
  tagName: Type.String(),
  tagType: oneOf(Object.values(tagTypes)),
  ...times,
})

export function tagView(tag: Tag, of: keyof typeof tagTypes): Type.Static<typeof TagView> {
  return shown(TagView, { ...tag, tagType: tagTypes[of], ...timesView(tag) })
}

export const QuorumView = view('Quorum', { threshold: Type.Integer(), userIds: Type.Array(Type.String()) })
