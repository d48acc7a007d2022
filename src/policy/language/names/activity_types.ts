import { hashFunctions, payloadEncodings } from '../../../protocol/chains/payload_names.ts'
import { message } from '../message.ts'
import { activitiesWithoutDeed, ownActivities } from './activity_deeds.ts'
import { activityNames } from './activity_names.ts'
import { type Form, idOf, machineText, orOneOf, publicPoint, sparkAddress, wordOf } from './forms.ts'
import { int, listOf, stringOf, struct, type Type, text } from './types.ts'

export const activityResources = [
  'AUTH',
  'AUTH_PROXY',
  'CONFIG',
  'CREDENTIAL',
  'FIAT_TRANSACTION',
  'INVITATION',
  'MFA_POLICY',
  'ON_RAMP_CREDENTIALS',
  'ORGANIZATION',
  'OTP',
  'PAYMENT_METHOD',
  'POLICY',
  'PRIVATE_KEY',
  'RECOVERY',
  'SESSION_PROFILE',
  'SMART_CONTRACT_INTERFACE',
  'SPONSORSHIP',
  'SUBSCRIPTION',
  'TVC_APP',
  'TVC_DEPLOYMENT',
  'TVC_OPERATOR',
  'TVC_QUORUM_KEY',
  'USER',
  'WALLET',
  'WEBHOOK_ENDPOINT',
] as const
export type ActivityResource = (typeof activityResources)[number]

/** READ is a query, which only the scope of a session sees. */
export const activityActions = [
  'CREATE',
  'UPDATE',
  'DELETE',
  'SIGN',
  'EXPORT',
  'IMPORT',
  'VERIFY',
  'ENCRYPT',
  'READ',
] as const
/** The action of an activity. A query has no policy. */
export type ActivityAction = Exclude<(typeof activityActions)[number], 'READ'>

const machine = text(machineText)

/** `type` names the variant. The fields of the other variants hold '' and 0. */
const derivation = struct('a Spark key derivation', {
  type: stringOf('identity', 'signing_leaf', 'deposit', 'static_deposit', 'htlc_preimage', ''),
  signing_leaf: struct('a signing leaf', { leaf_id: machine }),
  static_deposit: struct('a static deposit', { index: int }),
})

const operatorRecipients = listOf(
  struct('a recipient among the operators', { operator_id: machine, encryption_public_key: text(publicPoint) }),
)

type Parameters = { readonly kinds: readonly string[]; readonly fields: Readonly<Record<string, Type>> }

const userId = text(idOf('user'))
/** The values of the interface's enums, also those that this server does not take. */
const signedParameters = { hash_function: stringOf(...hashFunctions), encoding: stringOf(...payloadEncodings) }
const transactionType = stringOf(
  'TRANSACTION_TYPE_ETHEREUM',
  'TRANSACTION_TYPE_SOLANA',
  'TRANSACTION_TYPE_TRON',
  'TRANSACTION_TYPE_BITCOIN',
  'TRANSACTION_TYPE_TEMPO',
)
const signWith = text(sparkAddress)

/** The parameters that conditions see, for each kind of activity. All others are missing. */
const activityParameters: readonly Parameters[] = [
  { kinds: ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS'], fields: signedParameters },
  { kinds: ['SIGN_TRANSACTION'], fields: { type: transactionType } },
  { kinds: ['DELETE_USERS'], fields: { user_ids: listOf(userId) } },
  { kinds: ['CREATE_API_KEYS'], fields: { user_id: userId } },
  { kinds: ['DELETE_API_KEYS'], fields: { user_id: userId, api_key_ids: listOf(text(idOf('api_key'))) } },
  {
    kinds: ['EXPORT_WALLET', 'EXPORT_WALLET_ACCOUNT', 'EXPORT_PRIVATE_KEY'],
    fields: { target_public_key: text(publicPoint) },
  },
  { kinds: ['UPDATE_WALLET'], fields: { wallet_id: text(idOf('wallet')) } },
  { kinds: ['INIT_OTP_AUTH'], fields: { otp_length: int } },
  /** '' if the login names no session profile. */
  {
    kinds: ['OTP_LOGIN', 'STAMP_LOGIN', 'OAUTH_LOGIN'],
    fields: { session_profile_id: text(orOneOf(idOf('session_profile'), '')) },
  },
  {
    kinds: ['UPDATE_WEBHOOK_ENDPOINT', 'DELETE_WEBHOOK_ENDPOINT'],
    fields: { endpoint_id: text(idOf('webhook_endpoint')) },
  },
  {
    kinds: ['SPARK_SIGN_FROST'],
    fields: {
      sign_with: signWith,
      signatures: listOf(
        struct('a signature to make', {
          derivation,
          message: machine,
          verifying_key: machine,
          operator_commitments: listOf(
            struct('a commitment of an operator', { id: machine, hiding: machine, binding: machine }),
          ),
          adaptor_public_key: machine,
        }),
      ),
    },
  },
  {
    kinds: ['SPARK_PREPARE_TRANSFER'],
    fields: {
      sign_with: signWith,
      transfer: struct('a Spark transfer', {
        transfer_id: machine,
        leaves: listOf(
          struct('a leaf', {
            leaf_id: machine,
            old_leaf_derivation: derivation,
            new_leaf_derivation: derivation,
            refund_signature: machine,
            direct_refund_signature: machine,
            direct_from_cpfp_refund_signature: machine,
          }),
        ),
        threshold: int,
        operator_recipients: operatorRecipients,
        receiver_public_key: machine,
      }),
    },
  },
  {
    kinds: ['SPARK_CLAIM_TRANSFER'],
    fields: {
      sign_with: signWith,
      claim: struct('a claim', {
        leaves: listOf(struct('a leaf', { leaf_id: machine, ciphertext: machine, sender_signature: machine })),
        threshold: int,
        operator_recipients: operatorRecipients,
        transfer_id: machine,
        sender_identity_public_key: machine,
      }),
    },
  },
  {
    kinds: ['SPARK_PREPARE_LIGHTNING_RECEIVE'],
    fields: {
      sign_with: signWith,
      lightning_receive: struct('a Lightning receive', { threshold: int, operator_recipients: operatorRecipients }),
    },
  },
]

/** Activities that no policy names by kind: our own, those that only the root quorum does, and some of the interface. */
const withoutKind: ReadonlySet<string> = new Set([
  ...ownActivities,
  ...activitiesWithoutDeed,
  'APPROVE_ACTIVITY',
  'CREATE_ORGANIZATION',
  'CREATE_READ_ONLY_SESSION',
  'ETH_SEND_RAW_TRANSACTION',
  'REJECT_ACTIVITY',
  'REMOVE_IP_ALLOWLIST',
  'SET_IP_ALLOWLIST',
  'UPDATE_WALLET_ACCOUNT_NAME',
])

/** Rules are asked about the activity that is voted on, and never about the vote. */
const votes: ReadonlySet<string> = new Set(['ACTIVITY_TYPE_APPROVE_ACTIVITY', 'ACTIVITY_TYPE_REJECT_ACTIVITY'])
const types = activityNames.map(typeNamed).filter((type) => !votes.has(type))

/** A written type means every version, because the caller chooses the version. */
const activityType: Form = {
  ...wordOf(types, message`the type of an activity`),
  canonical: (given) => {
    const type = withoutVersion(given)
    return types.includes(type) ? type : undefined
  },
}
const activityKind = wordOf(
  activityNames.filter((name) => activityKindOf(typeNamed(name)) !== undefined),
  message`the kind of an activity`,
)

function typeNamed(name: string): string {
  return `ACTIVITY_TYPE_${name}`
}

/** The type of an activity as conditions see it: all versions of an operation are one type. */
export function withoutVersion(activityType: string): string {
  return activityType.replace(/_V[0-9]+$/, '')
}

export const activity: Type = struct('an activity', {
  type: text(orOneOf(activityType, '')),
  kind: text(orOneOf(activityKind, '')),
  /** '' for a query. */
  resource: stringOf(...activityResources, ''),
  action: stringOf(...activityActions),
  /** The parameters of all kinds together, since an expression is checked before there is an activity. */
  params: struct('the parameters of an activity', Object.assign({}, ...activityParameters.map(({ fields }) => fields))),
})

/** `SIGN_TRANSACTION` for every version of that type, or undefined for a type that has no kind. */
export function activityKindOf(activityType: string): string | undefined {
  const name = withoutVersion(activityType).replace(/^ACTIVITY_TYPE_/, '')
  return withoutKind.has(name) ? undefined : name
}

/** The kinds of activities of which conditions see a parameter with this name. */
export function kindsWithParameter(name: string): readonly string[] {
  return activityParameters.flatMap(({ kinds, fields }) => (Object.hasOwn(fields, name) ? kinds : []))
}

/** The parameters that conditions see for an activity of this kind, by their names. */
export function exposedParameters(kind: string): ReadonlyMap<string, Type> {
  return new Map(
    activityParameters.flatMap(({ kinds, fields }) => (kinds.includes(kind) ? Object.entries(fields) : [])),
  )
}
