import type { Form } from '../support/wire_forms.ts'

/**
 * The twenty operations of the interface specification, written down by hand from its text: not from our code, and not
 * from the vectors of wire names. When a name, a type or a need changes there, this table does not.
 *
 * A field whose name ends in `?` is optional. A set holds every value of an enum.
 */

type Operation = {
  readonly path: string
  readonly parameters: Fields
  readonly result: Fields
}
export type Query = Operation
export type Activity = Operation & {
  readonly type: string
  readonly intentKey: string
  readonly resultKey: string
  /** Not listed for two of them. */
  readonly generateAppProofs?: 'not listed'
}
type Fields = { readonly [field: string]: Form }

const anyOf = (...values: readonly string[]): ReadonlySet<string> => new Set(values)

const timestamp = { seconds: 'string', nanos: 'string' }
const curve = anyOf('CURVE_SECP256K1', 'CURVE_ED25519', 'CURVE_P256')
const addressFormat = anyOf(
  'ADDRESS_FORMAT_UNCOMPRESSED',
  'ADDRESS_FORMAT_COMPRESSED',
  'ADDRESS_FORMAT_ETHEREUM',
  'ADDRESS_FORMAT_SOLANA',
  'ADDRESS_FORMAT_COSMOS',
  'ADDRESS_FORMAT_TRON',
  'ADDRESS_FORMAT_SUI',
  'ADDRESS_FORMAT_APTOS',
  'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH',
  'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH',
  'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH',
  'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH',
  'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR',
  'ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH',
  'ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH',
  'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH',
  'ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH',
  'ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR',
  'ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH',
  'ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH',
  'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH',
  'ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH',
  'ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR',
  'ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH',
  'ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH',
  'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH',
  'ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH',
  'ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR',
  'ADDRESS_FORMAT_SEI',
  'ADDRESS_FORMAT_XLM',
  'ADDRESS_FORMAT_DOGE_MAINNET',
  'ADDRESS_FORMAT_DOGE_TESTNET',
  'ADDRESS_FORMAT_TON_V3R2',
  'ADDRESS_FORMAT_TON_V4R2',
  'ADDRESS_FORMAT_TON_V5R1',
  'ADDRESS_FORMAT_XRP',
  'ADDRESS_FORMAT_SPARK_MAINNET',
  'ADDRESS_FORMAT_SPARK_REGTEST',
)

export const queries = {
  list_wallet_accounts: {
    path: '/public/v1/query/list_wallet_accounts',
    parameters: {
      organizationId: 'string',
      'walletId?': 'string',
      'includeWalletDetails?': 'boolean',
      'paginationOptions?': { 'limit?': 'string', 'before?': 'string', 'after?': 'string' },
    },
    result: {
      accounts: [
        {
          walletAccountId: 'string',
          organizationId: 'string',
          walletId: 'string',
          curve,
          pathFormat: anyOf('PATH_FORMAT_BIP32'),
          path: 'string',
          addressFormat,
          address: 'string',
          createdAt: timestamp,
          updatedAt: timestamp,
          'publicKey?': 'string',
          'walletDetails?': {
            walletId: 'string',
            walletName: 'string',
            createdAt: timestamp,
            updatedAt: timestamp,
            exported: 'boolean',
            imported: 'boolean',
          },
          'name?': 'string',
        },
      ],
    },
  },
  get_private_key: {
    path: '/public/v1/query/get_private_key',
    parameters: { organizationId: 'string', privateKeyId: 'string' },
    result: {
      privateKey: {
        privateKeyId: 'string',
        publicKey: 'string',
        privateKeyName: 'string',
        curve,
        addresses: [{ 'format?': addressFormat, 'address?': 'string' }],
        privateKeyTags: ['string'],
        createdAt: timestamp,
        updatedAt: timestamp,
        exported: 'boolean',
        imported: 'boolean',
      },
    },
  },
  get_mfa_policy: {
    path: '/public/v1/query/get_mfa_policy',
    parameters: { organizationId: 'string', userId: 'string', mfaPolicyId: 'string' },
    result: {
      mfaPolicy: {
        mfaPolicyId: 'string',
        mfaPolicyName: 'string',
        condition: 'string',
        requiredAuthenticationMethods: [
          {
            any: [
              {
                type: anyOf(
                  'AUTHENTICATION_TYPE_EMAIL_OTP',
                  'AUTHENTICATION_TYPE_SMS_OTP',
                  'AUTHENTICATION_TYPE_PASSKEY',
                  'AUTHENTICATION_TYPE_API_KEY',
                  'AUTHENTICATION_TYPE_OAUTH',
                  'AUTHENTICATION_TYPE_SESSION',
                ),
                'id?': 'string',
              },
            ],
          },
        ],
        order: 'number',
        'notes?': 'string',
        createdAt: timestamp,
        updatedAt: timestamp,
      },
    },
  },
  list_fiat_on_ramp_credentials: {
    path: '/public/v1/query/list_fiat_on_ramp_credentials',
    parameters: { organizationId: 'string' },
    result: {
      fiatOnRampCredentials: [
        {
          fiatOnrampCredentialId: 'string',
          organizationId: 'string',
          onrampProvider: anyOf('FIAT_ON_RAMP_PROVIDER_PROVIDER_A', 'FIAT_ON_RAMP_PROVIDER_PROVIDER_B'),
          'projectId?': 'string',
          publishableApiKey: 'string',
          encryptedSecretApiKey: 'string',
          'encryptedPrivateApiKey?': 'string',
          'sandboxMode?': 'boolean',
          createdAt: timestamp,
          updatedAt: timestamp,
        },
      ],
    },
  },
  list_smart_contract_interfaces: {
    path: '/public/v1/query/list_smart_contract_interfaces',
    parameters: { organizationId: 'string' },
    result: {
      smartContractInterfaces: [
        {
          organizationId: 'string',
          smartContractInterfaceId: 'string',
          smartContractAddress: 'string',
          smartContractInterface: 'string',
          type: anyOf('ETHEREUM', 'SOLANA'),
          label: 'string',
          notes: 'string',
          createdAt: timestamp,
          updatedAt: timestamp,
        },
      ],
    },
  },
} as const satisfies Readonly<Record<string, Query>>

export const activities = {
  recover_user: {
    path: '/public/v1/submit/recover_user',
    type: 'ACTIVITY_TYPE_RECOVER_USER',
    parameters: {
      userId: 'string',
      authenticator: {
        authenticatorName: 'string',
        challenge: 'string',
        attestation: {
          credentialId: 'string',
          clientDataJson: 'string',
          attestationObject: 'string',
          transports: [
            anyOf(
              'AUTHENTICATOR_TRANSPORT_BLE',
              'AUTHENTICATOR_TRANSPORT_INTERNAL',
              'AUTHENTICATOR_TRANSPORT_NFC',
              'AUTHENTICATOR_TRANSPORT_USB',
              'AUTHENTICATOR_TRANSPORT_HYBRID',
            ),
          ],
        },
      },
    },
    intentKey: 'recoverUserIntent',
    resultKey: 'recoverUserResult',
    result: { authenticatorId: ['string'] },
  },
  create_oauth_providers: {
    path: '/public/v1/submit/create_oauth_providers',
    type: 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2',
    parameters: {
      userId: 'string',
      oauthProviders: [
        {
          providerName: 'string',
          'oidcToken?': 'string',
          'oidcClaims?': { iss: 'string', sub: 'string', aud: 'string' },
        },
      ],
    },
    intentKey: 'createOauthProvidersIntentV2',
    resultKey: 'createOauthProvidersResultV2',
    result: { providerIds: ['string'] },
  },
  create_tvc_manifest_approvals: {
    path: '/public/v1/submit/create_tvc_manifest_approvals',
    type: 'ACTIVITY_TYPE_CREATE_TVC_MANIFEST_APPROVALS',
    parameters: { manifestId: 'string', approvals: [{ operatorId: 'string', signature: 'string' }] },
    intentKey: 'createTvcManifestApprovalsIntent',
    resultKey: 'createTvcManifestApprovalsResult',
    result: { approvalIds: ['string'] },
  },
  verify_otp: {
    path: '/public/v1/submit/verify_otp',
    type: 'ACTIVITY_TYPE_VERIFY_OTP_V2',
    parameters: { otpId: 'string', encryptedOtpBundle: 'string', 'expirationSeconds?': 'string' },
    intentKey: 'verifyOtpIntentV2',
    resultKey: 'verifyOtpResult',
    result: { verificationToken: 'string' },
  },
  create_private_key_tag: {
    path: '/public/v1/submit/create_private_key_tag',
    type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG',
    parameters: { privateKeyTagName: 'string', privateKeyIds: ['string'] },
    intentKey: 'createPrivateKeyTagIntent',
    resultKey: 'createPrivateKeyTagResult',
    result: { privateKeyTagId: 'string', privateKeyIds: ['string'] },
  },
  create_oauth2_credential: {
    path: '/public/v1/submit/create_oauth2_credential',
    type: 'ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL',
    parameters: {
      provider: anyOf('OAUTH2_PROVIDER_PROVIDER_A', 'OAUTH2_PROVIDER_PROVIDER_B'),
      clientId: 'string',
      encryptedClientSecret: 'string',
    },
    intentKey: 'createOauth2CredentialIntent',
    resultKey: 'createOauth2CredentialResult',
    result: { oauth2CredentialId: 'string' },
  },
  delete_user_tags: {
    path: '/public/v1/submit/delete_user_tags',
    type: 'ACTIVITY_TYPE_DELETE_USER_TAGS',
    parameters: { userTagIds: ['string'] },
    intentKey: 'deleteUserTagsIntent',
    resultKey: 'deleteUserTagsResult',
    result: { userTagIds: ['string'], userIds: ['string'] },
  },
  export_private_key: {
    path: '/public/v1/submit/export_private_key',
    type: 'ACTIVITY_TYPE_EXPORT_PRIVATE_KEY',
    parameters: { privateKeyId: 'string', targetPublicKey: 'string' },
    intentKey: 'exportPrivateKeyIntent',
    resultKey: 'exportPrivateKeyResult',
    result: { privateKeyId: 'string', exportBundle: 'string' },
  },
  update_root_quorum: {
    path: '/public/v1/submit/update_root_quorum',
    type: 'ACTIVITY_TYPE_UPDATE_ROOT_QUORUM',
    parameters: { threshold: 'number', userIds: ['string'] },
    intentKey: 'updateRootQuorumIntent',
    resultKey: 'updateRootQuorumResult',
    result: {},
  },
  update_organization_name: {
    path: '/public/v1/submit/update_organization_name',
    type: 'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME',
    parameters: { organizationName: 'string' },
    intentKey: 'updateOrganizationNameIntent',
    resultKey: 'updateOrganizationNameResult',
    result: { organizationId: 'string', organizationName: 'string' },
  },
  delete_mfa_policy: {
    path: '/public/v1/submit/delete_mfa_policy',
    type: 'ACTIVITY_TYPE_DELETE_MFA_POLICY',
    generateAppProofs: 'not listed',
    parameters: { userId: 'string', mfaPolicyId: 'string' },
    intentKey: 'deleteMfaPolicyIntent',
    resultKey: 'deleteMfaPolicyResult',
    result: { mfaPolicyId: 'string' },
  },
  delete_oauth2_credential: {
    path: '/public/v1/submit/delete_oauth2_credential',
    type: 'ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL',
    parameters: { oauth2CredentialId: 'string' },
    intentKey: 'deleteOauth2CredentialIntent',
    resultKey: 'deleteOauth2CredentialResult',
    result: { oauth2CredentialId: 'string' },
  },
  remove_ip_allowlist: {
    path: '/public/v1/submit/remove_ip_allowlist',
    type: 'ACTIVITY_TYPE_REMOVE_IP_ALLOWLIST',
    parameters: { 'publicKey?': 'string' },
    intentKey: 'removeIpAllowlistIntent',
    resultKey: 'removeIpAllowlistResult',
    result: {},
  },
  spark_prepare_lightning_receive: {
    path: '/public/v1/submit/spark_prepare_lightning_receive',
    type: 'ACTIVITY_TYPE_SPARK_PREPARE_LIGHTNING_RECEIVE',
    generateAppProofs: 'not listed',
    parameters: {
      signWith: 'string',
      lightningReceive: {
        threshold: 'number',
        operatorRecipients: [{ operatorId: 'string', encryptionPublicKey: 'string' }],
      },
    },
    intentKey: 'sparkPrepareLightningReceiveIntent',
    resultKey: 'sparkPrepareLightningReceiveResult',
    result: { operatorPackages: [{ operatorId: 'string', encryptedPackage: 'string' }], paymentHash: 'string' },
  },
  otp_login: {
    path: '/public/v1/submit/otp_login',
    type: 'ACTIVITY_TYPE_OTP_LOGIN_V2',
    parameters: {
      verificationToken: 'string',
      publicKey: 'string',
      clientSignature: {
        publicKey: 'string',
        scheme: anyOf('CLIENT_SIGNATURE_SCHEME_API_P256'),
        message: 'string',
        signature: 'string',
      },
      'expirationSeconds?': 'string',
      'invalidateExisting?': 'boolean',
      'sessionProfileId?': 'string',
    },
    intentKey: 'otpLoginIntentV2',
    resultKey: 'otpLoginResult',
    result: { session: 'string' },
  },
} as const satisfies Readonly<Record<string, Activity>>

export type OperationName = keyof typeof queries | keyof typeof activities

/** The whole body of a request. */
export function bodyForm(operation: Query | Activity): Fields {
  if (!('type' in operation)) return operation.parameters
  return {
    type: anyOf(operation.type),
    timestampMs: 'string',
    organizationId: 'string',
    parameters: operation.parameters,
    ...(operation.generateAppProofs === 'not listed' ? {} : { 'generateAppProofs?': 'boolean' }),
  }
}

/**
 * The whole body of a 200. The votes' shape is not shown in the specification; `failure` and `appProofs` are not among
 * the fields that it lists.
 */
export function answerForm(operation: Query | Activity): Fields {
  if (!('type' in operation)) return operation.result
  return {
    activity: {
      id: 'string',
      organizationId: 'string',
      status: anyOf('ACTIVITY_STATUS_COMPLETED'),
      type: anyOf(operation.type),
      intent: { [operation.intentKey]: operation.parameters },
      result: { [operation.resultKey]: operation.result },
      votes: ['anything'],
      fingerprint: 'string',
      canApprove: 'boolean',
      canReject: 'boolean',
      createdAt: 'string',
      updatedAt: 'string',
      'failure?': 'anything',
      'appProofs?': ['anything'],
    },
  }
}
