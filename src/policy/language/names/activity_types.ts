import { int, listOf, string, stringOf, struct, type Type } from './types.ts'

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

/** `type` names the variant. The fields of the other variants hold '' and 0. */
const derivation = struct('a Spark key derivation', {
  type: stringOf('identity', 'signing_leaf', 'deposit', 'static_deposit', 'htlc_preimage', ''),
  signing_leaf: struct('a signing leaf', { leaf_id: string }),
  static_deposit: struct('a static deposit', { index: int }),
})

const operatorRecipients = listOf(
  struct('a recipient among the operators', { operator_id: string, encryption_public_key: string }),
)

type Parameters = { readonly kinds: readonly string[]; readonly fields: Readonly<Record<string, Type>> }

/** The parameters that conditions see, for each kind of activity. All others are missing. */
const activityParameters: readonly Parameters[] = [
  { kinds: ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS'], fields: { hash_function: string, encoding: string } },
  { kinds: ['SIGN_TRANSACTION'], fields: { type: string } },
  { kinds: ['DELETE_USERS'], fields: { user_ids: listOf(string) } },
  { kinds: ['CREATE_API_KEYS'], fields: { user_id: string } },
  { kinds: ['DELETE_API_KEYS'], fields: { user_id: string, api_key_ids: listOf(string) } },
  { kinds: ['EXPORT_WALLET', 'EXPORT_WALLET_ACCOUNT', 'EXPORT_PRIVATE_KEY'], fields: { target_public_key: string } },
  { kinds: ['UPDATE_WALLET'], fields: { wallet_id: string } },
  { kinds: ['INIT_OTP_AUTH'], fields: { otp_length: int } },
  /** '' if the login names no session profile. */
  { kinds: ['OTP_LOGIN', 'STAMP_LOGIN', 'OAUTH_LOGIN'], fields: { session_profile_id: string } },
  { kinds: ['UPDATE_WEBHOOK_ENDPOINT', 'DELETE_WEBHOOK_ENDPOINT'], fields: { endpoint_id: string } },
  {
    kinds: ['SPARK_SIGN_FROST'],
    fields: {
      sign_with: string,
      signatures: listOf(
        struct('a signature to make', {
          derivation,
          message: string,
          verifying_key: string,
          operator_commitments: listOf(
            struct('a commitment of an operator', { id: string, hiding: string, binding: string }),
          ),
          adaptor_public_key: string,
        }),
      ),
    },
  },
  {
    kinds: ['SPARK_PREPARE_TRANSFER'],
    fields: {
      sign_with: string,
      transfer: struct('a Spark transfer', {
        transfer_id: string,
        leaves: listOf(
          struct('a leaf', {
            leaf_id: string,
            old_leaf_derivation: derivation,
            new_leaf_derivation: derivation,
            refund_signature: string,
            direct_refund_signature: string,
            direct_from_cpfp_refund_signature: string,
          }),
        ),
        threshold: int,
        operator_recipients: operatorRecipients,
        receiver_public_key: string,
      }),
    },
  },
  {
    kinds: ['SPARK_CLAIM_TRANSFER'],
    fields: {
      sign_with: string,
      claim: struct('a claim', {
        leaves: listOf(struct('a leaf', { leaf_id: string, ciphertext: string, sender_signature: string })),
        threshold: int,
        operator_recipients: operatorRecipients,
        transfer_id: string,
        sender_identity_public_key: string,
      }),
    },
  },
  {
    kinds: ['SPARK_PREPARE_LIGHTNING_RECEIVE'],
    fields: {
      sign_with: string,
      lightning_receive: struct('a Lightning receive', { threshold: int, operator_recipients: operatorRecipients }),
    },
  },
]

export const activity: Type = struct('an activity', {
  type: string,
  kind: string,
  resource: stringOf(...activityResources),
  action: stringOf(...activityActions),
  /** The parameters of all kinds together, since an expression is checked before there is an activity. */
  params: struct('the parameters of an activity', Object.assign({}, ...activityParameters.map(({ fields }) => fields))),
})

/** Activities that no policy names by kind: only the root quorum does them, or they are newer than the kinds. */
const withoutKind = new Set([
  'ACTIVITY_TYPE_REPLAY_WEBHOOK_DELIVERY',
  'ACTIVITY_TYPE_ACCEPT_INVITATION',
  'ACTIVITY_TYPE_APPROVE_ACTIVITY',
  'ACTIVITY_TYPE_CREATE_ORGANIZATION',
  'ACTIVITY_TYPE_CREATE_PASSKEY_LINK',
  'ACTIVITY_TYPE_SET_NOTICE_PREFERENCES',
  'ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION',
  'ACTIVITY_TYPE_DISABLE_AUTH_PROXY',
  'ACTIVITY_TYPE_ENABLE_AUTH_PROXY',
  'ACTIVITY_TYPE_ETH_SEND_RAW_TRANSACTION',
  'ACTIVITY_TYPE_RECOVER_USER',
  'ACTIVITY_TYPE_REJECT_ACTIVITY',
  'ACTIVITY_TYPE_REMOVE_IP_ALLOWLIST',
  'ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE',
  'ACTIVITY_TYPE_SET_IP_ALLOWLIST',
  'ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE',
  'ACTIVITY_TYPE_UPDATE_AUTH_PROXY_CONFIG',
  'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME',
  'ACTIVITY_TYPE_UPDATE_ROOT_QUORUM',
  'ACTIVITY_TYPE_UPDATE_WALLET_ACCOUNT_NAME',
])

/** `SIGN_TRANSACTION` for every version of that type, or undefined for a type that has no kind. */
export function activityKindOf(activityType: string): string | undefined {
  const name = activityType.replace(/_V[0-9]+$/, '')
  return withoutKind.has(name) ? undefined : name.replace(/^ACTIVITY_TYPE_/, '')
}

/** The names of the parameters that conditions see for an activity of this kind. */
export function exposedParameters(kind: string): readonly string[] {
  return activityParameters.flatMap(({ kinds, fields }) => (kinds.includes(kind) ? Object.keys(fields) : []))
}
