/**
 * For the examples of the interface's description. A field is found by its name first, then by what it must be. A text that
 * is not here is its name, and a test fails where the field takes no such text.
 */

type Values = Readonly<Record<string, unknown>>

export const uuid = '3b1f0d9a-5c7e-4a52-9d1e-8f6a2c4b7e10'

/**
 * Points whose x is the SHA-256 of a text, such as `claviger example P-256 0`: nobody has their private keys, so an
 * example that is sent as it is gives nobody access.
 */
const publicKey = '02e2dbefea3b9782730b84ed544157bab01a311f49ef0f82b8c7b4e7880fffa0c9'
const backendKey = '02a76139dbadf76671119ae00c28aa3e136bf99e5bce916eb0ddb34bc66c2849f5'
const sessionKey = '02ec5fb961843e98bfd9f33317820fce0e4f96a32674089f6edd9ee5fbfa19a256'
const uncompressedKey =
  '04e2dbefea3b9782730b84ed544157bab01a311f49ef0f82b8c7b4e7880fffa0c94ad4299491d7c7694fd9a59dbc6281bb5ed4380e1dceb1d93cf49ed3df7c5ee4'
const uncompressedSigningKey =
  '04ec5fb961843e98bfd9f33317820fce0e4f96a32674089f6edd9ee5fbfa19a2565ab44212094964a96c767b2d74f9867e34ddf0ed4d5f003b74d864732b61a262'
const secp256k1Key = '02b327892085497f9f9e6623accc7a2b7ea0bc25f02d2c678c5af0b857310d0373'
const bothKeys = uncompressedKey + uncompressedSigningKey

/** The example of EIP-55. */
const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const signature = 'a1'.repeat(64)
const idToken = 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'
const bundle = JSON.stringify({ encappedPublic: uncompressedKey, ciphertext: 'a1'.repeat(48) })
const account = {
  curve: 'CURVE_SECP256K1',
  pathFormat: 'PATH_FORMAT_BIP32',
  path: "m/44'/60'/0'/0/0",
  addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
}
const apiKey = { apiKeyName: 'Laptop', publicKey, curveType: 'API_KEY_CURVE_P256' }
const ada = { userName: 'Ada', userEmail: 'ada@example.com', apiKeys: [apiKey], authenticators: [], oauthProviders: [] }
const policy = {
  policyName: 'Up to one ether to one address',
  effect: 'EFFECT_ALLOW',
  consensus: 'approvers.count() >= 2',
  condition: `eth.tx.to == '${address}' && eth.tx.value <= 1000000000000000000`,
  notes: '',
}

export const byExpectation: Values = {
  'a UUID': uuid,
  'an e-mail address': 'ada@example.com',
  'the last part of the origin of a log': uuid.replaceAll('-', ''),
  'a number': '256',
  'a public key in hex': publicKey,
  'a compressed public key of P-256 in hex': sessionKey,
  'a public key of P-256 in hex, 65 bytes uncompressed': uncompressedKey,
  'the public key of the verification token, in hex': publicKey,
  'r and s in hex: 128 digits': signature,
  'a signature in hex, r and s or DER': signature,
  'a transaction in hex':
    '02ee0180843b9aca008477359400825208945aaeb6053f3e94c9b9a09f33669435e7ef1beaed87038d7ea4c6800080c0',
}

export const byName: Values = {
  accounts: [account],
  address,
  addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
  allowedOrigins: ['https://app.example.com'],
  apiKeyName: 'Laptop',
  appName: 'Acme',
  attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg',
  authCode: 'code-of-the-provider',
  authenticatorName: 'Phone',
  challenge: 'dGhlIGNoYWxsZW5nZQ',
  clientDataJson: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
  clientId: 'client-at-the-provider',
  codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  condition: "activity.action == 'SIGN'",
  contact: 'ada@example.com',
  credentialId: 'Y3JlZGVudGlhbA',
  encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
  encryptedBundle: bundle,
  encryptedClientSecret: 'a1'.repeat(97),
  encryptedOtpBundle: bundle,
  encryptedSecretApiKey: '2'.repeat(120),
  ephemeralKey: uncompressedKey,
  expectedPivotDigest: '0f'.repeat(32),
  fingerprint: `sha256:${'0f'.repeat(32)}`,
  hashFunction: 'HASH_FUNCTION_KECCAK256',
  healthCheckPort: 8080,
  label: 'Token',
  message: '{"login":{"publicKey":"…"}}',
  mfaPolicyName: 'A passcode before each signature',
  nonce: 'nonce-of-the-login',
  oauth2CredentialId: uuid,
  oidcToken: idToken,
  operations: ['account', 'otp_init_v2', 'otp_verify_v2', 'wallet_kit_config'],
  operatorId: 'operator-1',
  order: 1,
  organizationName: 'Acme',
  otpId: uuid,
  otpType: 'OTP_TYPE_EMAIL',
  payload: 'hello',
  payloads: ['hello', 'world'],
  pivotArgs: ['--port', '8080'],
  pivotContainerImageUrl: 'registry.example.com/app:1',
  pivotPath: '/app',
  privateKeyName: 'Cold',
  privateKeyTags: [],
  publicIngressPort: 8080,
  publishableApiKey: 'pk_example',
  qosVersion: '1.0.0',
  receiverUserName: 'Ada',
  receiverUserTags: [],
  redirectUri: 'https://app.example.com/login',
  removePrivateKeyIds: [],
  removeUserIds: [],
  scope: "activity.action == 'SIGN'",
  sessionProfileName: 'Signing only',
  signWith: address,
  smartContractAddress: address,
  smartContractInterface: '[{"type":"function","name":"transfer","inputs":[{"name":"to","type":"address"}]}]',
  transports: ['AUTHENTICATOR_TRANSPORT_INTERNAL'],
  userEmail: 'ada@example.com',
  userName: 'Ada',
  userPhoneNumber: '+14155550123',
  verificationToken: idToken,
  walletName: 'First',
}

/** For operations whose required fields alone would show too little, or do harm when they are sent as they are. */
export const ownParameters: Readonly<Record<string, Values>> = {
  create_velocity_control: {
    name: 'daily ether',
    identifier: 'daily',
    dataSource: { chainAssetTransfer: { definition: [{ caip19: 'eip155:1/slip44:60', decimals: '18' }] } },
    aggregation: {
      method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
      operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
      threshold: '1',
      window: { rolling: { duration: '86400' } },
      groupBy: { organization: {} },
    },
  },
  create_api_only_users: {
    apiOnlyUsers: [{ userName: 'Backend', userTags: [], apiKeys: [{ apiKeyName: 'Backend', publicKey: backendKey }] }],
  },
  create_oauth_providers: { userId: uuid, oauthProviders: [{ providerName: 'Example', oidcToken: idToken }] },
  create_passkey_link: { userId: uuid, publicKey },
  create_policies: { policies: [{ ...policy, policyName: 'Small transfers' }] },
  create_policy: policy,
  create_private_key_tag: { privateKeyTagName: 'Treasury', privateKeyIds: [] },
  create_sub_organization: {
    subOrganizationName: 'End user 42',
    rootUsers: [ada],
    rootQuorumThreshold: 1,
    wallet: { walletName: 'First', accounts: [account] },
  },
  create_tvc_app: {
    name: 'App',
    quorumPublicKey: bothKeys,
    manifestSetParams: { name: 'Approvers', threshold: 1, newOperators: [{ name: 'Ada', publicKey: bothKeys }] },
    shareSetId: uuid,
  },
  create_user_tag: { userTagName: 'Finance', userIds: [] },
  create_users: { users: [{ ...ada, userTags: [] }] },
  delete_sub_organization: { deleteWithoutExport: false },
  get_ip_allowlist: { publicKey },
  get_wallet_account: { walletId: uuid, address },
  list_activities: { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'], paginationOptions: { limit: '10' } },
  list_suborgs: { filterType: 'EMAIL', filterValue: 'ada@example.com' },
  list_verified_suborgs: { filterType: 'EMAIL', filterValue: 'ada@example.com' },
  remove_ip_allowlist: { publicKey },
  set_ip_allowlist: { publicKey, rules: [{ cidr: '192.0.2.0/24', label: 'Office' }] },
  set_organization_feature: { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value: 'https://app.example.com' },
  simulate: {
    activity: { type: 'ACTIVITY_TYPE_CREATE_WALLET', parameters: { walletName: 'First', accounts: [account] } },
    policy: { effect: 'EFFECT_DENY', condition: "activity.resource == 'WALLET'" },
  },
  spark_prepare_lightning_receive: {
    signWith: 'sp1pgssexample',
    lightningReceive: {
      threshold: 2,
      operatorRecipients: ['operator-1', 'operator-2'].map((operatorId) => ({
        operatorId,
        encryptionPublicKey: secp256k1Key,
      })),
    },
  },
  create_webhook_endpoint: {
    url: 'https://hooks.example.com/claviger',
    name: 'Accounting',
    subscriptions: [{ eventType: 'ACTIVITY_UPDATES' }],
  },
  list_webhook_deliveries: { endpointId: uuid },
  set_notice_preferences: { userId: uuid, receivesNotices: false },
  replay_webhook_delivery: { endpointId: uuid, deliveryId: uuid },
  update_webhook_endpoint: { endpointId: uuid, isActive: false },
  update_policy: { policyId: uuid, policyEffect: 'EFFECT_DENY', policyNotes: 'Closed for the audit.' },
  update_mfa_policy: { userId: uuid, mfaPolicyId: uuid, mfaPolicyName: 'A passcode before each signature' },
  update_user: { userId: uuid, userName: 'Ada', userEmail: 'ada@example.com' },
  update_wallet: { walletId: uuid, walletName: 'Savings' },
}
