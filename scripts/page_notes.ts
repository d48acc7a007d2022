const noTemplates = 'There are no stored templates: `templateId` and `templateVariables` are refused.'
const noEnclave = 'Claviger keeps apps, deployments, manifests and approvals. It runs no enclave.'
const noHardware = 'The answer is always 404: no hardware attests the keys of this server.'

/** The limits of each operation that is supported partly: the rest of it works as clients expect. */
export const partlySupported: ReadonlyMap<string, string> = new Map([
  [
    'create_sub_organization',
    'Version 3 takes no `privateKeys`: the users of the sub-organization make them with create_private_keys.',
  ],
  ['create_tvc_app', noEnclave],
  [
    'create_tvc_deployment',
    `${noEnclave} The image is neither looked up nor pulled. \`enableEgress\`, \`instanceSizeCpus\` and \`instanceSizeRam\` are kept and shown only.`,
  ],
  ['get_tvc_qos_versions', 'The list is always empty: this server runs no version of QuorumOS.'],
  [
    'create_velocity_control',
    'The phase `submission` is refused: this server signs transactions and does not see them land.',
  ],
  ['get_boot_proof', noHardware],
  ['get_latest_boot_proof', noHardware],
  ['init_otp', noTemplates],
  ['init_user_email_recovery', noTemplates],
  [
    'set_organization_feature',
    "`FEATURE_NAME_EMAIL_AUTH`, `FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED`, `FEATURE_NAME_SWAP_CONFIG` and `FEATURE_NAME_EARN_CONFIG` are refused: nothing implements them yet. `FEATURE_NAME_AUTH_PROXY` is refused too: `enable_auth_proxy` opens [the proxy](auth_proxy.md). `FEATURE_NAME_SUB_ORGANIZATION_MAILS` is Claviger's own.",
  ],
  [
    'sign_transaction',
    '`TRANSACTION_TYPE_TEMPO` is refused. [Decision 14](decisions/0014-transactions.md) says which transactions of the other types are signed. Refused as too large: a PSBT with more than 500 inputs, 2,500 outputs or 20,000 entries, a transaction of Ethereum with more than 1,000 authorizations or 1,000 blobs, one of Tron with more than 100 items in its lists, one of Solana with more than 1,232 bytes.',
  ],
])

/** The client packages that the tests run unmodified against the server. */
export const clientPackages = [
  { name: '@turnkey/sdk-server', use: 'all operations, from a backend', test: 'sdk_server' },
  { name: '@turnkey/http', use: 'all operations, as whole bodies', test: 'http' },
  { name: '@turnkey/viem', use: 'accounts of viem', test: 'viem' },
  { name: '@turnkey/ethers', use: 'signers of ethers', test: 'ethers' },
  { name: '@turnkey/solana', use: 'signers of Solana', test: 'solana' },
  { name: '@turnkey/crypto', use: 'bundles, tokens and proofs', test: 'otp' },
  { name: '@turnkey/api-key-stamper', use: 'stamps by API keys', test: 'passkeys' },
  { name: '@turnkey/webauthn-stamper', use: 'stamps by passkeys, in a browser', test: 'webauthn' },
]
