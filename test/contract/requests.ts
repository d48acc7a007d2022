import { newTarget } from '../support/bundles.ts'
import {
  type HttpOrganization,
  mailInFolder,
  organizationOver,
  passcodeInFolder,
} from '../support/http_organization.ts'
import { loginsBy } from '../support/logins.ts'
import type { OidcIssuer } from '../support/oidc_issuer.ts'
import { newOperators, recipientsOf, sparkAccount } from '../support/operators.ts'
import {
  newAccount,
  newApiKey,
  newAuthenticator,
  newPrivateKey,
  newUser,
  type Parameters,
} from '../support/organization.ts'
import { encryptersTo, newOauth2Credential, newOnRampCredential } from '../support/provider_secrets.ts'
import { openCredential } from '../support/recovery.ts'
import type { RunningServer } from '../support/running_server.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'
import { manifestOf, newApp, newDeployment, newOperator } from '../support/tvc.ts'
import { type OperationName, queries } from './twenty_operations.ts'

/**
 * Makes fresh parameters of a request that succeeds; for a query all but `organizationId`. The requests of one
 * operation use together every field that it has, and its answers show every value of every enum that they hold.
 */
type Make = () => Promise<Made>
/** Without a signer, the root user stamps it. */
type Made = { readonly parameters: Parameters; readonly signer?: ApiKeyPair }
export type Requests = Readonly<Record<OperationName, readonly [Make, ...Make[]]>>

/** `issuer` is one whose ID tokens the server accepts. */
export async function prepareContractRequests(server: RunningServer, issuer: OidcIssuer): Promise<Requests> {
  const organization = organizationOver(server)
  const { rootUserId, done } = organization
  const keys = await (await fetch(`${server.url}/.well-known/claviger-keys.json`)).json()
  const { encryptOnRamp, encryptOauth2 } = encryptersTo(keys)
  const logins = loginsBy({
    done,
    signer: keys.tlsFetcherSigning.uncompressed,
    passcodeSentTo: (contact) => passcodeInFolder(server, contact),
  })
  let count = 0
  const fresh = (text: string) => `${text} ${++count}`

  const wallet = await walletOfEveryFormat(organization)
  const privateKeyIds = await privateKeysOfEveryFormat(organization)
  const [privateKeyId] = privateKeyIds
  await done('create_private_key_tag', { privateKeyTagName: fresh('tag'), privateKeyIds })
  for (const onrampProvider of ['FIAT_ON_RAMP_PROVIDER_PROVIDER_A', 'FIAT_ON_RAMP_PROVIDER_PROVIDER_B']) {
    const others = { projectId: 'project', encryptedPrivateApiKey: encryptOnRamp('private'), sandboxMode: true }
    const given = { onrampProvider, ...(onrampProvider.endsWith('A') ? others : {}) }
    await done('create_fiat_on_ramp_credential', newOnRampCredential(encryptOnRamp('secret'), given))
  }
  const approvals = await approvalsOfManifest(organization)
  const newOauth2 = async () => newOauth2Credential(await encryptOauth2('secret'))
  const { targetPublicKey } = newTarget()
  const mfaPolicyId = await mfaPolicyOfEveryMethod(organization)
  await smartContractInterfaces(organization)
  const { sessionProfileId } = await done('create_session_profile', {
    sessionProfileName: 'profile',
    scope: "activity.action == 'SIGN'",
  })

  const byRoot =
    (parametersOf: () => Promise<Parameters> | Parameters): Make =>
    async () => ({ parameters: await parametersOf() })
  /** One shown by an ID token, and the same one for another audience. */
  async function identitiesOfNewUser() {
    const [userId] = (await done('create_users', { users: [newUser({ userName: fresh('user') })] })).userIds
    const sub = fresh('sub')
    const oidcClaims = { iss: issuer.url, sub, aud: 'another-client' }
    const identities = [{ oidcToken: issuer.mintNow({ sub }) }, { oidcClaims }]
    return { userId, oauthProviders: identities.map((identity) => ({ providerName: 'Issuer', ...identity })) }
  }

  const page = { walletId: wallet.walletId, includeWalletDetails: true }
  return {
    list_wallet_accounts: [
      byRoot(() => ({ ...page, paginationOptions: { limit: '100', after: wallet.firstId } })),
      byRoot(() => ({ ...page, paginationOptions: { limit: '100', before: wallet.lastId } })),
    ],
    get_private_key: [
      byRoot(() => ({ privateKeyId })),
      ...privateKeyIds.slice(1).map((id) => byRoot(() => ({ privateKeyId: id }))),
    ],
    get_mfa_policy: [byRoot(() => ({ userId: rootUserId, mfaPolicyId }))],
    list_fiat_on_ramp_credentials: [byRoot(() => ({}))],
    list_smart_contract_interfaces: [byRoot(() => ({}))],
    recover_user: [
      async () => {
        const userEmail = `lost${++count}@example.org`
        const [userId] = (await done('create_users', { users: [newUser({ userEmail })] })).userIds
        const target = newTarget()
        const mail = { email: userEmail, emailCustomization: { appName: 'Test' } }
        await done('init_user_email_recovery', { ...mail, targetPublicKey: target.targetPublicKey })
        const signer = openCredential({ text: await mailInFolder(server, userEmail) }, target.embeddedKey)
        return { parameters: { userId, authenticator: newAuthenticator() }, signer }
      },
    ],
    create_oauth_providers: [
      byRoot(() => identitiesOfNewUser()),
      byRoot(async () => {
        const { userId, oauthProviders } = await identitiesOfNewUser()
        return { userId, oauthProviders: oauthProviders.toReversed() }
      }),
    ],
    create_tvc_manifest_approvals: [byRoot(() => approvals)],
    verify_otp: [
      byRoot(async () => {
        const flow = await logins.startFlow(`contact${++count}@example.org`)
        const passcode = await passcodeInFolder(server, flow.contact)
        const encryptedOtpBundle = await logins.encrypted(flow, passcode, generateApiKey())
        return { otpId: flow.otpId, encryptedOtpBundle, expirationSeconds: '600' }
      }),
    ],
    create_private_key_tag: [byRoot(() => ({ privateKeyTagName: fresh('tag'), privateKeyIds: [privateKeyId] }))],
    create_oauth2_credential: [byRoot(newOauth2)],
    delete_user_tags: [
      byRoot(async () => {
        const given = { userTagName: fresh('user tag'), userIds: [rootUserId] }
        return { userTagIds: [(await done('create_user_tag', given)).userTagId] }
      }),
    ],
    export_private_key: [byRoot(() => ({ privateKeyId, targetPublicKey }))],
    update_root_quorum: [byRoot(() => ({ threshold: 1, userIds: [rootUserId] }))],
    update_organization_name: [byRoot(() => ({ organizationName: fresh('Name') }))],
    delete_mfa_policy: [
      byRoot(async () => {
        const given = newMfaPolicy(rootUserId, { mfaPolicyName: fresh('deleted') })
        return { userId: rootUserId, mfaPolicyId: (await done('create_mfa_policy', given)).mfaPolicyId }
      }),
    ],
    delete_oauth2_credential: [
      byRoot(async () => {
        const { oauth2CredentialId } = await done('create_oauth2_credential', await newOauth2())
        return { oauth2CredentialId }
      }),
    ],
    remove_ip_allowlist: [
      byRoot(async () => {
        const rules = [{ cidr: '127.0.0.0/20' }]
        const { publicKey } = generateApiKey()
        const apiKeys = [newApiKey({ publicKey, expirationSeconds: '900' })]
        await done('create_api_keys', { userId: rootUserId, apiKeys })
        for (const given of [{}, { publicKey }]) await done('set_ip_allowlist', { rules, ...given })
        return { publicKey }
      }),
    ],
    spark_prepare_lightning_receive: [
      byRoot(() => ({
        signWith: wallet.sparkAddress,
        lightningReceive: { threshold: 2, operatorRecipients: recipientsOf(newOperators(3)) },
      })),
    ],
    otp_login: [
      byRoot(async () => {
        const { contact } = await logins.newMailUser()
        const given = { expirationSeconds: '600', invalidateExisting: true, sessionProfileId }
        return (await logins.loginFor(contact, given)).parameters
      }),
    ],
  }
}

const ed25519Formats = ['SOLANA', 'SUI', 'APTOS', 'XLM', 'TON_V3R2', 'TON_V4R2', 'TON_V5R1']
const formatsOfEveryCurve = ['ADDRESS_FORMAT_COMPRESSED']

/** The address formats of the table that a key on the curve has, as the chains have it. */
function formatsOf(curve: string): readonly string[] {
  const all = [...queries.list_wallet_accounts.result.accounts[0].addressFormat]
  const isEd25519 = (format: string) => ed25519Formats.includes(format.replace('ADDRESS_FORMAT_', ''))
  if (curve === 'CURVE_ED25519') return [...formatsOfEveryCurve, ...all.filter(isEd25519)]
  if (curve === 'CURVE_P256') return [...formatsOfEveryCurve, 'ADDRESS_FORMAT_UNCOMPRESSED']
  return all.filter((format) => !isEd25519(format))
}

const curves = [...queries.get_private_key.result.privateKey.curve]

async function walletOfEveryFormat({ done, found }: HttpOrganization) {
  const everyAccount = curves.flatMap((curve) =>
    formatsOf(curve).map((addressFormat) => newAccount({ curve, addressFormat, path: `m/${curves.indexOf(curve)}'` })),
  )
  // The first and the last are what the pages begin after, and end before.
  const ends = [newAccount({ path: 'm/100', name: 'first' }), newAccount({ path: 'm/101', name: 'last' })] as const
  const named = everyAccount.map((account, index) => ({ ...account, name: `account ${index}` }))
  const accounts = [ends[0], ...named, sparkAccount(), ends[1]]
  const { walletId } = await done('create_wallet', { walletName: 'every format', accounts })
  const listed = (await found('list_wallet_accounts', { walletId, paginationOptions: { limit: '100' } })).accounts
  if (listed.length !== accounts.length) throw new Error('the wallet fits on one page')
  const { address: sparkAddress } = listed.at(-2)
  return { walletId, sparkAddress, firstId: listed[0].walletAccountId, lastId: listed.at(-1).walletAccountId }
}

async function privateKeysOfEveryFormat({ done }: HttpOrganization): Promise<readonly string[]> {
  const privateKeys = curves.map((curve) =>
    newPrivateKey({ privateKeyName: `key on ${curve}`, curve, addressFormats: formatsOf(curve) }),
  )
  const made: readonly { readonly privateKeyId: string }[] = (await done('create_private_keys', { privateKeys }))
    .privateKeys
  return made.map(({ privateKeyId }) => privateKeyId)
}

function newMfaPolicy(userId: string, given: Parameters = {}): Parameters {
  const requiredAuthenticationMethods = [{ any: [{ type: 'AUTHENTICATION_TYPE_PASSKEY' }] }]
  // One that never applies: the requests of the tests are stamped by a key alone.
  const condition = "activity.resource == 'SPONSORSHIP'"
  return { userId, mfaPolicyName: 'policy', condition, requiredAuthenticationMethods, order: 1, ...given }
}

async function mfaPolicyOfEveryMethod({ rootUserId, done, found }: HttpOrganization): Promise<string> {
  const [{ apiKeyId: id }] = (await found('get_api_keys', { userId: rootUserId })).apiKeys
  const types = [...queries.get_mfa_policy.result.mfaPolicy.requiredAuthenticationMethods[0].any[0].type]
  const any = types.map((type) => (type === 'AUTHENTICATION_TYPE_API_KEY' ? { type, id } : { type }))
  const given = { mfaPolicyName: 'every method', requiredAuthenticationMethods: [{ any }], notes: 'a note' }
  return (await done('create_mfa_policy', newMfaPolicy(rootUserId, given))).mfaPolicyId
}

async function smartContractInterfaces({ done }: HttpOrganization): Promise<void> {
  const idl = { address: '11111111111111111111111111111111', metadata: {}, instructions: [] }
  for (const [type, smartContractAddress, description] of [
    ['ETHEREUM', '0x6B175474E89094C44Da98b954EedeAC495271d0F', [{ type: 'function', name: 'f', inputs: [] }]],
    ['SOLANA', '11111111111111111111111111111111', idl],
  ] as const) {
    await done('create_smart_contract_interface', {
      smartContractAddress,
      smartContractInterface: JSON.stringify(description),
      type: `SMART_CONTRACT_INTERFACE_TYPE_${type}`,
      label: type,
      notes: 'a note',
    })
  }
}

/** Of a deployment whose manifest waits for one approval; given again, it is the same one. */
async function approvalsOfManifest({ done, found }: HttpOrganization): Promise<Parameters> {
  const operator = newOperator('operator')
  const app = await done('create_tvc_app', newApp([operator]))
  const { manifestId } = await done('create_tvc_deployment', newDeployment(app.appId))
  const signature = operator.sign(await manifestOf({ found }, manifestId))
  return { manifestId, approvals: [{ operatorId: app.manifestSetOperatorIds[0], signature }] }
}
