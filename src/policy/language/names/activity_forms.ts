import { type ActivityAction, type ActivityResource, activityKindOf, exposedParameters } from './activity_types.ts'

/**
 * The deeds of this server's activities, by the names of their types without version. A test compares them with the
 * catalogue of operations, which this folder does not import.
 */
export const activityDeeds: readonly (readonly [ActivityResource, ActivityAction, readonly string[]])[] = [
  ['AUTH', 'CREATE', ['CREATE_OAUTH2_CREDENTIAL', 'OAUTH2_AUTHENTICATE', 'OAUTH_LOGIN', 'OTP_LOGIN', 'STAMP_LOGIN']],
  ['AUTH', 'UPDATE', ['UPDATE_OAUTH2_CREDENTIAL']],
  ['AUTH', 'DELETE', ['DELETE_OAUTH2_CREDENTIAL']],
  [
    'CREDENTIAL',
    'CREATE',
    ['CREATE_API_KEYS', 'CREATE_AUTHENTICATORS', 'CREATE_OAUTH_PROVIDERS', 'CREATE_PASSKEY_LINK'],
  ],
  ['CREDENTIAL', 'DELETE', ['DELETE_API_KEYS', 'DELETE_AUTHENTICATORS', 'DELETE_OAUTH_PROVIDERS']],
  ['INVITATION', 'CREATE', ['CREATE_INVITATIONS']],
  ['INVITATION', 'DELETE', ['DELETE_INVITATION']],
  ['MFA_POLICY', 'CREATE', ['CREATE_MFA_POLICY']],
  ['MFA_POLICY', 'UPDATE', ['UPDATE_MFA_POLICY']],
  ['MFA_POLICY', 'DELETE', ['DELETE_MFA_POLICY']],
  ['ON_RAMP_CREDENTIALS', 'CREATE', ['CREATE_FIAT_ON_RAMP_CREDENTIAL']],
  ['ON_RAMP_CREDENTIALS', 'UPDATE', ['UPDATE_FIAT_ON_RAMP_CREDENTIAL']],
  ['ON_RAMP_CREDENTIALS', 'DELETE', ['DELETE_FIAT_ON_RAMP_CREDENTIAL']],
  ['ORGANIZATION', 'CREATE', ['CREATE_SUB_ORGANIZATION']],
  ['ORGANIZATION', 'UPDATE', ['REMOVE_IP_ALLOWLIST', 'SET_IP_ALLOWLIST']],
  ['ORGANIZATION', 'DELETE', ['DELETE_SUB_ORGANIZATION']],
  ['OTP', 'CREATE', ['INIT_OTP']],
  ['OTP', 'VERIFY', ['VERIFY_OTP']],
  ['POLICY', 'CREATE', ['CREATE_POLICIES', 'CREATE_POLICY', 'CREATE_VELOCITY_CONTROL']],
  ['POLICY', 'UPDATE', ['UPDATE_POLICY']],
  ['POLICY', 'DELETE', ['DELETE_POLICIES', 'DELETE_POLICY', 'DELETE_VELOCITY_CONTROL']],
  ['PRIVATE_KEY', 'CREATE', ['CREATE_PRIVATE_KEYS', 'CREATE_PRIVATE_KEY_TAG']],
  ['PRIVATE_KEY', 'UPDATE', ['UPDATE_PRIVATE_KEY_TAG']],
  ['PRIVATE_KEY', 'DELETE', ['DELETE_PRIVATE_KEYS', 'DELETE_PRIVATE_KEY_TAGS']],
  ['PRIVATE_KEY', 'SIGN', ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS', 'SIGN_TRANSACTION']],
  ['PRIVATE_KEY', 'EXPORT', ['EXPORT_PRIVATE_KEY']],
  ['PRIVATE_KEY', 'IMPORT', ['IMPORT_PRIVATE_KEY', 'INIT_IMPORT_PRIVATE_KEY']],
  ['RECOVERY', 'CREATE', ['INIT_USER_EMAIL_RECOVERY']],
  ['SESSION_PROFILE', 'CREATE', ['CREATE_SESSION_PROFILE']],
  ['SMART_CONTRACT_INTERFACE', 'CREATE', ['CREATE_SMART_CONTRACT_INTERFACE']],
  ['SMART_CONTRACT_INTERFACE', 'DELETE', ['DELETE_SMART_CONTRACT_INTERFACE']],
  ['TVC_APP', 'CREATE', ['CREATE_TVC_APP']],
  ['TVC_APP', 'UPDATE', ['UPDATE_TVC_APP_LIVE_DEPLOYMENT']],
  ['TVC_APP', 'DELETE', ['DELETE_TVC_APP_AND_DEPLOYMENTS']],
  ['TVC_DEPLOYMENT', 'CREATE', ['CREATE_TVC_DEPLOYMENT']],
  ['TVC_DEPLOYMENT', 'UPDATE', ['CREATE_TVC_MANIFEST_APPROVALS', 'RESTORE_TVC_DEPLOYMENT']],
  ['TVC_DEPLOYMENT', 'DELETE', ['DELETE_TVC_DEPLOYMENT']],
  ['USER', 'CREATE', ['CREATE_API_ONLY_USERS', 'CREATE_USERS', 'CREATE_USER_TAG']],
  [
    'USER',
    'UPDATE',
    [
      'SET_NOTICE_PREFERENCES',
      'UPDATE_USER',
      'UPDATE_USER_EMAIL',
      'UPDATE_USER_NAME',
      'UPDATE_USER_PHONE_NUMBER',
      'UPDATE_USER_TAG',
    ],
  ],
  ['USER', 'DELETE', ['DELETE_USERS', 'DELETE_USER_TAGS']],
  ['WALLET', 'CREATE', ['CREATE_WALLET', 'CREATE_WALLET_ACCOUNTS']],
  ['WALLET', 'UPDATE', ['UPDATE_WALLET']],
  ['WALLET', 'DELETE', ['DELETE_WALLETS', 'DELETE_WALLET_ACCOUNTS']],
  ['WALLET', 'SIGN', ['SPARK_PREPARE_LIGHTNING_RECEIVE']],
  ['WALLET', 'EXPORT', ['EXPORT_WALLET', 'EXPORT_WALLET_ACCOUNT']],
  ['WALLET', 'IMPORT', ['IMPORT_WALLET', 'INIT_IMPORT_WALLET']],
  ['WEBHOOK_ENDPOINT', 'CREATE', ['CREATE_WEBHOOK_ENDPOINT']],
  ['WEBHOOK_ENDPOINT', 'UPDATE', ['REPLAY_WEBHOOK_DELIVERY', 'UPDATE_WEBHOOK_ENDPOINT']],
  ['WEBHOOK_ENDPOINT', 'DELETE', ['DELETE_WEBHOOK_ENDPOINT']],
]
/** They have no resource and no action: only the root quorum, an invitation or a recovery does them. */
export const activitiesWithoutDeed = [
  'ACCEPT_INVITATION',
  'DISABLE_AUTH_PROXY',
  'ENABLE_AUTH_PROXY',
  'RECOVER_USER',
  'REMOVE_ORGANIZATION_FEATURE',
  'SET_ORGANIZATION_FEATURE',
  'UPDATE_AUTH_PROXY_CONFIG',
  'UPDATE_ORGANIZATION_NAME',
  'UPDATE_ROOT_QUORUM',
]

/**
 * An activity as a condition may see it. Each text is what the field has. `fields` are the beginnings of the fields
 * that the request may have.
 */
export type ActivityForm = {
  readonly texts: ReadonlyMap<WordField, string>
  readonly fields: readonly string[]
  /** It is left out of account unless its kind, its type or a parameter of its own is named. */
  readonly isRare?: true
}

/** The fields of an activity that hold a word. */
export const wordFields = [
  'activity.resource',
  'activity.action',
  'activity.kind',
  'activity.type',
  'activity.params.type',
  'activity.params.encoding',
] as const
export type WordField = (typeof wordFields)[number]

const ofSigner = ['wallet', 'wallet_account', 'private_key']

/** The fields beside `activity`, by the kind. */
const factsOf: Readonly<Record<string, readonly string[]>> = {
  SPARK_PREPARE_LIGHTNING_RECEIVE: ofSigner,
  EXPORT_WALLET: ['wallet'],
  EXPORT_WALLET_ACCOUNT: ['wallet', 'wallet_account'],
  EXPORT_PRIVATE_KEY: ['private_key'],
  DELETE_WALLETS: ['wallets'],
  DELETE_WALLET_ACCOUNTS: ['wallets'],
}

/** The signed content, by the parameter that says its kind. Rules may name Tempo, though Claviger signs none. */
const signed: readonly (readonly [WordField, string, readonly string[]])[] = [
  ['activity.params.type', 'TRANSACTION_TYPE_ETHEREUM', ['eth.tx']],
  ['activity.params.type', 'TRANSACTION_TYPE_SOLANA', ['solana']],
  ['activity.params.type', 'TRANSACTION_TYPE_TRON', ['tron']],
  ['activity.params.type', 'TRANSACTION_TYPE_BITCOIN', ['bitcoin']],
  ['activity.params.type', 'TRANSACTION_TYPE_TEMPO', ['tempo']],
  ['activity.params.encoding', 'PAYLOAD_ENCODING_HEXADECIMAL', []],
  ['activity.params.encoding', 'PAYLOAD_ENCODING_TEXT_UTF8', []],
  ['activity.params.encoding', 'PAYLOAD_ENCODING_EIP712', ['eth.eip_712']],
  ['activity.params.encoding', 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', ['eth.eip_7702_authorization']],
]

function formsOf(name: string, resource: string, action: string): readonly ActivityForm[] {
  const type = `ACTIVITY_TYPE_${name}`
  const kind = activityKindOf(type) ?? ''
  const texts = [
    ['activity.resource', resource],
    ['activity.action', action],
    ['activity.kind', kind],
    ['activity.type', type],
  ] as const
  const parameters = [...exposedParameters(kind).keys()].map((parameter) => `activity.params.${parameter}`)
  const variants = signed.filter(([field]) => parameters.includes(field))
  if (variants.length > 0) {
    return variants.map(([field, word, fields]) => ({
      texts: new Map<WordField, string>([...texts, [field, word]]),
      fields: [...parameters, ...ofSigner, ...fields],
    }))
  }
  const one = { texts: new Map<WordField, string>(texts), fields: [...parameters, ...(factsOf[kind] ?? [])] }
  return [resource === 'WALLET' && action === 'SIGN' ? { ...one, isRare: true } : one]
}

/** The activities of this server, and a query, which the scope of a session is asked about. */
export const activityForms: readonly ActivityForm[] = [
  ...activityDeeds.flatMap(([resource, action, names]) => names.flatMap((name) => formsOf(name, resource, action))),
  ...activitiesWithoutDeed.flatMap((name) => formsOf(name, '', '')),
  {
    texts: new Map<WordField, string>([
      ['activity.resource', ''],
      ['activity.action', 'READ'],
      ['activity.kind', ''],
      ['activity.type', ''],
    ]),
    fields: [],
  },
]
