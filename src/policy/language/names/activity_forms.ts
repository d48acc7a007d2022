import { activitiesWithoutDeed, activityDeeds } from './activity_deeds.ts'
import { type ActivityAction, type ActivityResource, activityKindOf, exposedParameters } from './activity_types.ts'

/** The deeds of the root quorum alone. They have no resource and no action but in a rule that guards, which has them as well. */
export const deedsOfQuorum: ReadonlyMap<string, { resource: ActivityResource; action: ActivityAction }> = new Map([
  ['DISABLE_AUTH_PROXY', { resource: 'AUTH_PROXY', action: 'DELETE' }],
  ['ENABLE_AUTH_PROXY', { resource: 'AUTH_PROXY', action: 'CREATE' }],
  ['REMOVE_ORGANIZATION_FEATURE', { resource: 'ORGANIZATION', action: 'UPDATE' }],
  ['SET_ORGANIZATION_FEATURE', { resource: 'ORGANIZATION', action: 'UPDATE' }],
  ['UPDATE_AUTH_PROXY_CONFIG', { resource: 'AUTH_PROXY', action: 'UPDATE' }],
  ['UPDATE_ORGANIZATION_NAME', { resource: 'ORGANIZATION', action: 'UPDATE' }],
  ['UPDATE_ROOT_QUORUM', { resource: 'ORGANIZATION', action: 'UPDATE' }],
])

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

/** The fields beside `activity`, by the name of the type. */
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
  const one = { texts: new Map<WordField, string>(texts), fields: [...parameters, ...(factsOf[name] ?? [])] }
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
