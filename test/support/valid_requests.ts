import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { operations } from '../../src/operations/catalogue.ts'
import { encryptKey, encryptMnemonic, knownMnemonic, newPrivateKeyHex, newTarget } from './bundles.ts'
import { invite, newInvitation } from './invitations.ts'
import { loginsOf, passcodeFor, signUpSignatureOf } from './logins.ts'
import { newOperators, recipientsOf, sparkAccount } from './operators.ts'
import {
  newAccount,
  newApiKey,
  newAuthenticator,
  newPrivateKey,
  newUser,
  newVelocityControl,
  type Parameters,
  repeated,
  type TestOrganization,
} from './organization.ts'
import type { TestOrganizationWithIssuer } from './organization_with_issuer.ts'
import { encryptersTo } from './provider_secrets.ts'
import { recover } from './recovery.ts'
import { type ApiKeyPair, generateApiKey } from './stamping.ts'
import { manifestOf, newApp, newDeployment, newOperator, newSet } from './tvc.ts'

/**
 * A request for every operation that succeeds, unless it is in `neverFound`, and that uses every field. Deletions
 * succeed once. The deletion of an organization is missing, because no request could follow it.
 */
export type ValidRequests = {
  readonly names: readonly string[]
  /** Fresh parameters, with names and keys that no record has yet. */
  parametersOf(name: string): Parameters
  /** The key that stamps the request. */
  signerOf(name: string): ApiKeyPair
  /** Makes the things again that a successful request uses up. */
  renew(name: string): Promise<void>
}

/** The rules of an auth proxy, with every field. */
const authProxy = {
  operations: ['otp_init_v2', 'otp_verify_v2', 'otp_login_v2', 'oauth_login', 'account', 'wallet_kit_config'],
  allowedOrigins: ['https://app.example.com'],
  appName: 'Acme',
  sessionExpirationSeconds: '1200',
  otpExpirationSeconds: '240',
  otpLength: 6,
  otpAlphanumeric: false,
  oauthProviders: [
    {
      providerName: 'Example',
      issuer: 'https://issuer.example.com',
      clientId: 'client',
      authorizationUrl: 'https://issuer.example.com/authorize',
    },
  ],
  oauthRedirectUrl: 'https://app.example.com/login',
  sessionsMayChangeCredentials: true,
}

/** Operations whose valid requests are answered with 404. */
export const neverFound: readonly string[] = ['get_boot_proof', 'get_latest_boot_proof', 'list_log_entries']

/** Fills the organization with a record of each kind, so that requests find one. */
export async function prepareRequests(organization: TestOrganizationWithIssuer): Promise<ValidRequests> {
  const { server, organizationId, rootUserId, rootKey, done, submit, found, issuer, idToken } = organization
  const userId = rootUserId
  const { walletId, addresses } = await done('create_wallet', {
    walletName: 'wallet',
    accounts: [newAccount({ name: 'account' }), sparkAccount()],
  })
  const [address, sparkAddress] = addresses
  const [{ privateKeyId }, { privateKeyId: otherPrivateKeyId }] = (
    await done('create_private_keys', {
      privateKeys: [newPrivateKey({ privateKeyName: 'key' }), newPrivateKey({ privateKeyName: 'other key' })],
    })
  ).privateKeys
  const { apiKeyIds } = await done('create_api_keys', { userId, apiKeys: [newApiKey()] })
  const [apiKeyId] = (await done('create_api_keys', { userId, apiKeys: [newApiKey()] })).apiKeyIds
  const authenticatorsOf = (count: number) => ({ userId, authenticators: repeated(count, () => newAuthenticator()) })
  const { authenticatorIds } = await done('create_authenticators', authenticatorsOf(2))
  const renamed = await submit('update_organization_name', { organizationName: 'First', generateAppProofs: true })
  const { id: activityId, appProofs } = renamed.body.activity

  const { userTagId } = await done('create_user_tag', { userTagName: 'user tag', userIds: [userId] })
  const { privateKeyTagId } = await done('create_private_key_tag', {
    privateKeyTagName: 'private key tag',
    privateKeyIds: [privateKeyId],
  })
  const [memberId] = (await done('create_users', { users: [newUser()] })).userIds
  // These can be deleted once. The property tests repeat the request, and may then be answered 404.
  const [goneUserId] = (await done('create_users', { users: [newUser()] })).userIds
  const goneUserTag = await done('create_user_tag', { userTagName: 'gone user tag', userIds: [userId] })
  const goneKeyTag = await done('create_private_key_tag', { privateKeyTagName: 'gone key tag', privateKeyIds: [] })

  const publicKey = rootKey.publicKey
  await done('set_ip_allowlist', { publicKey, rules: [] })
  const step = { type: 'AUTHENTICATION_TYPE_API_KEY', id: apiKeyId }
  const newMfaPolicy = (mfaPolicyName: string) => ({
    userId,
    mfaPolicyName,
    // No request here has this resource, because its user would have to take the steps.
    condition: "activity.resource == 'SPONSORSHIP'",
    requiredAuthenticationMethods: [{ any: [step, { type: 'AUTHENTICATION_TYPE_EMAIL_OTP' }] }],
    order: 1,
    notes: 'a note',
  })
  const { mfaPolicyId } = await done('create_mfa_policy', newMfaPolicy('kept'))
  const deletedPolicyId = (await done('create_mfa_policy', newMfaPolicy('deleted'))).mfaPolicyId
  const newSessionProfile = (sessionProfileName: string) => ({
    sessionProfileName,
    scope: "activity.action == 'SIGN'",
    expirationSeconds: '900',
    notes: 'a note',
  })
  const { sessionProfileId } = await done('create_session_profile', newSessionProfile('kept'))
  const newControl = (identifier: string) => newVelocityControl({ identifier })
  const { velocityControlId } = await done('create_velocity_control', newControl('kept'))
  const { velocityControlId: goneControlId } = await done('create_velocity_control', newControl('gone'))
  const newEndpoint = (name: string) => ({
    url: 'https://hooks.example.com/claviger',
    name,
    subscriptions: [{ eventType: 'ACTIVITY_UPDATES', filtersJson: '', isActive: true }],
  })
  const { endpointId } = await done('create_webhook_endpoint', newEndpoint('kept'))
  const { endpointId: goneEndpointId } = await done('create_webhook_endpoint', newEndpoint('gone'))
  await done('update_webhook_endpoint', { endpointId: goneEndpointId, isActive: false })
  let deliveryId = await failDelivery(organization, endpointId)
  const expressions = {
    condition: "activity.resource == 'WALLET'",
    consensus: `approvers.any(user, user.id == '${userId}')`,
    time: "CronSpan('0 9 * * 1-5', '8h', 'Europe/Berlin')",
  }
  const newPolicy = (policyName: string) => ({ policyName, effect: 'EFFECT_ALLOW', ...expressions, notes: 'a note' })
  const made = await done('create_policies', { policies: ['kept', 'gone', 'gone too'].map(newPolicy) })
  const [policyId, gonePolicyId, ...gonePolicyIds] = made.policyIds
  const newSmartContractInterface = (label: string) => ({
    smartContractAddress: '0x6B175474E89094C44Da98b954EedeAC495271d0F',
    smartContractInterface: '[{"type":"function","name":"f","inputs":[{"name":"a","type":"uint256"}]}]',
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label,
    notes: 'a note',
  })
  const { smartContractInterfaceId } = await done('create_smart_contract_interface', newSmartContractInterface('kept'))
  const deletedInterfaceId = (await done('create_smart_contract_interface', newSmartContractInterface('deleted')))
    .smartContractInterfaceId
  const feature = { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value: 'https://app.example.com' }
  await done('set_organization_feature', feature)
  await submit('enable_auth_proxy', authProxy) // a sub-organization has none

  const pending = await pendingActivities({ rootUserId, done, submit })

  const { targetPublicKey } = newTarget()
  const signer = (await server.vault.publishedKeys()).bundleSigning?.uncompressed ?? ''
  const encryptNewKey = async () => {
    const { importBundle } = await done('init_import_private_key', { userId })
    return encryptKey(newPrivateKeyHex(), { organizationId, userId, signer, importBundle })
  }
  const encryptWallet = async () => {
    const { importBundle } = await done('init_import_wallet', { userId })
    return encryptMnemonic(knownMnemonic, { organizationId, userId, signer, importBundle })
  }
  // The first user gets mail after mail, which drops his oldest credentials. The second user's credential is used.
  const { userIds: mailUserIds } = await done('create_users', { users: [newUser(), newUser()] })
  /** Gives a user a new address, because starts are counted for each address. */
  const moveTo = async (userId: string) => {
    const userEmail = `${randomUUID()}@example.com`
    await done('update_user_email', { userId, userEmail })
    return userEmail
  }
  const startRecovery = async () => recover(organization, { email: await moveTo(mailUserIds[1]) })
  let mailedTo = await moveTo(mailUserIds[0])
  let keyBundle = await encryptNewKey()
  let walletBundle = await encryptWallet()
  let recovery = await startRecovery()
  const goneInvitation = await invite(organization)
  let invited = await invite(organization)

  const logins = await loginsOf({ server, done })
  const flow = await logins.startFlow((await logins.newMailUser()).contact)
  const passcodeKey = generateApiKey()
  const encryptedOtpBundle = await logins.encrypted(flow, await passcodeFor(server, flow.contact), passcodeKey)
  const login = await logins.loginFor((await logins.newMailUser()).contact)
  const operator = newOperator('operator')
  const app = await done('create_tvc_app', newApp([operator], { enableDebugModeDeployments: true }))
  const { manifestId } = await done('create_tvc_deployment', newDeployment(app.appId))
  const approval = {
    operatorId: app.manifestSetOperatorIds[0],
    signature: operator.sign(await manifestOf(organization, manifestId)),
  }
  const approvedId = (await done('create_tvc_deployment', newDeployment(app.appId, { nonce: 2 }))).deploymentId
  const signature = operator.sign(await manifestOf(organization, approvedId))
  await done('create_tvc_manifest_approvals', { manifestId: approvedId, approvals: [{ ...approval, signature }] })
  const deletedApp = await done('create_tvc_app', newApp([operator], { name: 'to be deleted' }))
  const deletedId = (await done('create_tvc_deployment', newDeployment(app.appId, { nonce: 3 }))).deploymentId
  const { onRamp, oauth2, ...credentials } = await providerCredentials({ server, done })
  const accounts = [newAccount(), newAccount({ path: 'm/1' })]
  const { walletId: deletedWalletId } = await done('create_wallet', { walletName: 'to be deleted', accounts })
  const listed = await found('list_wallet_accounts', { walletId: deletedWalletId })
  const [{ walletAccountId: deletedAccountId }] = listed.accounts
  const [{ privateKeyId: deletedPrivateKeyId }] = (
    await done('create_private_keys', { privateKeys: [newPrivateKey({ privateKeyName: 'to be deleted' })] })
  ).privateKeys

  let count = 0
  const fresh = (text: string) => `${text} ${++count}`
  const key = () => newApiKey({ publicKey: generateApiKey().publicKey, expirationSeconds: '900' })
  const oauthProviders = () => {
    const sub = fresh('sub')
    const oidcClaims = { iss: issuer.url, sub, aud: 'another client' }
    return [
      { providerName: 'Issuer', oidcToken: idToken({ sub }) },
      { providerName: 'Issuer', oidcClaims },
    ]
  }
  const account = () => newAccount({ path: `m/0/${++count}`, name: fresh('account') })
  const contacts = { userEmail: 'ada@example.com', userPhoneNumber: '+14155550123' }
  const clientKey = generateApiKey()
  const signUpToken = await logins.tokenFor(contacts.userEmail, clientKey)
  const emailToken = await logins.tokenFor('new@example.com', clientKey)
  const phoneToken = await logins.tokenFor('+14155550124', clientKey, { otpType: 'OTP_TYPE_SMS' })
  const paginationOptions = { limit: '2' }
  const hashed = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' }
  const newWallet = () => ({ walletName: fresh('wallet'), accounts: [account()], mnemonicLength: 12 })

  const loginSub = fresh('sub')
  await done('create_oauth_providers', {
    userId: memberId,
    oauthProviders: [{ providerName: 'Issuer', oidcToken: idToken({ sub: loginSub }) }],
  })
  issuer.intercept = answerAnyCode
  const { providerIds } = await done('create_oauth_providers', { userId: memberId, oauthProviders: oauthProviders() })

  const requests: ReadonlyMap<string, () => Parameters> = new Map(
    Object.entries({
      approve_activity: () => ({ fingerprint: pending.approved }),
      reject_activity: () => ({ fingerprint: pending.rejected }),
      explain_activity: () => ({ activityId }),
      get_activity: () => ({ activityId }),
      get_activity_proof: () => ({ activityId }),
      list_log_entries: () => ({ logId: '0a'.repeat(16), size: '1', fromBundle: '0' }),
      list_log_documents: () => ({ activityIds: [activityId] }),
      watch_activities: () => ({}),
      list_activities: () => ({
        filterByStatus: ['ACTIVITY_STATUS_COMPLETED'],
        filterByType: ['ACTIVITY_TYPE_CREATE_WALLET'],
        paginationOptions,
      }),
      create_api_keys: () => ({ userId, apiKeys: [key()] }),
      delete_api_keys: () => ({ userId, apiKeyIds }),
      get_api_key: () => ({ apiKeyId }),
      get_api_keys: () => ({ userId }),
      create_authenticators: () => authenticatorsOf(1),
      delete_authenticators: () => ({ userId, authenticatorIds: [authenticatorIds[1]] }),
      get_authenticator: () => ({ authenticatorId: authenticatorIds[0] }),
      get_authenticators: () => ({ userId }),
      init_user_email_recovery: () => ({
        email: mailedTo,
        targetPublicKey,
        expirationSeconds: '900',
        emailCustomization: {
          appName: 'Acme',
          logoUrl: 'https://app.example.com/logo.png',
          magicLinkTemplate: 'https://app.example.com/recover/%s',
        },
        sendFromEmailAddress: 'hello@acme.example',
        sendFromEmailSenderName: 'Acme',
        replyToEmailAddress: 'help@acme.example',
      }),
      create_invitations: () => ({
        invitations: [
          newInvitation(userId, {
            receiverUserTags: [userTagId],
            receiverUserEmail: `${fresh('ada').replace(' ', '.')}@example.org`,
          }),
        ],
      }),
      delete_invitation: () => ({ invitationId: goneInvitation.invitationId }),
      accept_invitation: () => ({
        invitationId: invited.invitationId,
        userId: invited.userId,
        authenticator: newAuthenticator(),
      }),
      create_passkey_link: () => ({ userId, publicKey: generateApiKey().publicKey, expirationSeconds: '60' }),
      set_notice_preferences: () => ({ userId, receivesNotices: false }),
      recover_user: () => ({ userId: recovery.userId, authenticator: newAuthenticator() }),
      enable_auth_proxy: () => authProxy,
      update_auth_proxy_config: () => ({ ...authProxy, appName: fresh('app') }),
      disable_auth_proxy: () => ({}),
      get_auth_proxy_config: () => ({}),
      remove_organization_feature: () => ({ name: feature.name }),
      set_organization_feature: () => feature,
      get_ip_allowlist: () => ({ publicKey }),
      remove_ip_allowlist: () => ({ publicKey }),
      // A mutated request that loses its key or its rules must not lock the tests out.
      set_ip_allowlist: () => ({
        publicKey,
        rules: [{ cidr: '127.0.0.0/20', label: 'here' }],
        onEvaluationError: 'ALLOW',
      }),
      create_mfa_policy: () => newMfaPolicy(fresh('policy')),
      delete_mfa_policy: () => ({ userId, mfaPolicyId: deletedPolicyId }),
      get_mfa_policies: () => ({ userId }),
      get_mfa_policy: () => ({ userId, mfaPolicyId }),
      get_mfa_status: () => ({ activityId, userId }),
      update_mfa_policy: () => ({ ...newMfaPolicy(fresh('policy')), mfaPolicyId }),
      create_oauth_providers: () => ({ userId: memberId, oauthProviders: oauthProviders() }),
      delete_oauth_providers: () => ({ userId: memberId, providerIds }),
      get_oauth_providers: () => ({ userId: memberId }),
      get_organization: () => ({}),
      get_organization_configs: () => ({}),
      update_organization_name: () => ({ organizationName: fresh('Renamed') }),
      update_root_quorum: () => ({ threshold: 1, userIds: [userId] }),
      whoami: () => ({}),
      create_private_keys: () => ({
        privateKeys: [
          newPrivateKey({
            privateKeyName: fresh('key'),
            privateKeyTags: [privateKeyTagId],
            addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
          }),
        ],
      }),
      create_private_key_tag: () => ({ privateKeyTagName: fresh('tag'), privateKeyIds: [privateKeyId] }),
      delete_private_key_tags: () => ({ privateKeyTagIds: [goneKeyTag.privateKeyTagId] }),
      list_private_key_tags: () => ({}),
      update_private_key_tag: () => ({
        privateKeyTagId,
        newPrivateKeyTagName: fresh('tag'),
        addPrivateKeyIds: [privateKeyId],
        removePrivateKeyIds: [otherPrivateKeyId],
      }),
      export_private_key: () => ({ privateKeyId, targetPublicKey }),
      init_import_private_key: () => ({ userId }),
      import_private_key: () => ({
        userId,
        privateKeyName: fresh('key'),
        encryptedBundle: keyBundle,
        curve: 'CURVE_SECP256K1',
        addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
      }),
      delete_private_keys: () => ({ privateKeyIds: [deletedPrivateKeyId], deleteWithoutExport: true }),
      get_private_key: () => ({ privateKeyId }),
      list_private_keys: () => ({}),
      sign_raw_payload: () => ({ signWith: address, payload: 'text', ...hashed }),
      sign_raw_payloads: () => ({ signWith: privateKeyId, payloads: ['one', 'two'], ...hashed }),
      sign_transaction: () => ({
        signWith: address,
        // Legacy: nonce 3, gas price 1, gas 21,000, to 0x…aa, value 5, no data.
        unsignedTransaction: 'dc03018252089400000000000000000000000000000000000000aa0580',
        type: 'TRANSACTION_TYPE_ETHEREUM',
      }),
      init_otp: () => ({
        otpType: 'OTP_TYPE_EMAIL',
        contact: `contact${++count}@example.org`,
        appName: 'Test',
        otpLength: 6,
        alphanumeric: false,
        expirationSeconds: '600',
        userIdentifier: fresh('user'),
        emailCustomization: {
          logoUrl: 'https://example.org/logo.png',
          magicLinkTemplate: 'https://example.org/?code=%s',
        },
        smsCustomization: { template: 'Code {{.OtpCode}}' },
        sendFromEmailAddress: 'app@example.org',
        sendFromEmailSenderName: 'App',
        replyToEmailAddress: 'help@example.org',
      }),
      verify_otp: () => ({ otpId: flow.otpId, encryptedOtpBundle, expirationSeconds: '600' }),
      otp_login: () => ({ ...login.parameters, sessionProfileId, expirationSeconds: '600', invalidateExisting: true }),
      oauth_login: () => {
        const { publicKey } = generateApiKey()
        const nonce = createHash('sha256').update(publicKey).digest('hex')
        const oidcToken = idToken({ sub: loginSub, nonce })
        return { oidcToken, publicKey, sessionProfileId, expirationSeconds: '600', invalidateExisting: true }
      },
      stamp_login: () => ({
        publicKey: generateApiKey().publicKey,
        sessionProfileId,
        expirationSeconds: '600',
        invalidateExisting: false,
      }),
      get_boot_proof: () => ({ ephemeralKey: appProofs[0].publicKey }),
      get_latest_boot_proof: () => ({ appName: 'signer' }),
      list_app_proofs: () => ({ activityId }),
      spark_prepare_lightning_receive: () => ({
        signWith: sparkAddress,
        lightningReceive: { threshold: 2, operatorRecipients: recipientsOf(newOperators(3)) },
      }),
      create_session_profile: () => newSessionProfile(fresh('profile')),
      get_session_profile: () => ({ sessionProfileId }),
      get_session_profiles: () => ({}),
      create_velocity_control: () => newControl(fresh('control').replace(' ', '_')),
      delete_velocity_control: () => ({ velocityControlId: goneControlId }),
      get_velocity_control: () => ({ velocityControlId }),
      list_velocity_controls: () => ({ paginationOptions: { limit: '5' } }),
      create_webhook_endpoint: () => newEndpoint(fresh('endpoint')),
      update_webhook_endpoint: () => ({
        endpointId,
        url: 'https://hooks.example.com/other',
        name: fresh('endpoint'),
        isActive: false,
      }),
      delete_webhook_endpoint: () => ({ endpointId: goneEndpointId }),
      list_webhook_endpoints: () => ({}),
      list_webhook_deliveries: () => ({
        endpointId,
        status: 'WEBHOOK_DELIVERY_STATUS_WAITING',
        paginationOptions: { limit: '2', after: endpointId },
      }),
      replay_webhook_delivery: () => ({ endpointId, deliveryId }),
      create_policy: () => newPolicy(fresh('policy')),
      create_policies: () => ({ policies: [newPolicy(fresh('policy'))] }),
      delete_policy: () => ({ policyId: gonePolicyId }),
      delete_policies: () => ({ policyIds: gonePolicyIds }),
      check_policies: () => ({ policy: { effect: 'EFFECT_DENY', ...expressions }, withoutPolicyIds: [policyId] }),
      get_policy: () => ({ policyId }),
      get_policy_evaluations: () => ({ activityId }),
      list_policies: () => ({}),
      simulate: () => ({
        activity: {
          type: 'ACTIVITY_TYPE_DELETE_USERS',
          parameters: { userIds: [memberId] },
          userId,
          approverIds: [memberId],
        },
        policy: { effect: 'EFFECT_DENY', ...expressions },
        withoutPolicyIds: [policyId],
      }),
      update_policy: () => ({
        policyId,
        policyName: fresh('policy'),
        policyEffect: 'EFFECT_DENY',
        policyCondition: expressions.condition,
        policyConsensus: expressions.consensus,
        policyNotes: 'another note',
        time: expressions.time,
      }),
      create_smart_contract_interface: () => newSmartContractInterface(fresh('contract')),
      delete_smart_contract_interface: () => ({ smartContractInterfaceId: deletedInterfaceId }),
      get_smart_contract_interface: () => ({ smartContractInterfaceId }),
      list_smart_contract_interfaces: () => ({}),
      create_sub_organization: () => {
        const rootUser = {
          userName: 'Ada',
          apiKeys: [key()],
          authenticators: [newAuthenticator()],
          oauthProviders: oauthProviders(),
          ...contacts,
        }
        return {
          subOrganizationName: fresh('sub'),
          rootUsers: [rootUser],
          rootQuorumThreshold: 1,
          wallet: newWallet(),
          disableEmailRecovery: true,
          disableEmailAuth: true,
          disableSmsAuth: true,
          disableOtpEmailAuth: true,
          verificationToken: signUpToken,
          clientSignature: signUpSignatureOf(signUpToken, clientKey, rootUser),
        }
      },
      list_verified_suborgs: () => ({ filterType: 'EMAIL', filterValue: contacts.userEmail, paginationOptions }),
      list_suborgs: () => ({ filterType: 'NAME', filterValue: 'sub 1', paginationOptions }),
      create_tvc_app: () => ({
        name: fresh('app'),
        quorumPublicKey: operator.publicKey,
        manifestSetParams: newSet([newOperator('new')], { existingOperatorIds: app.manifestSetOperatorIds }),
        shareSetId: app.shareSetId,
        enableEgress: true,
        enableDebugModeDeployments: true,
      }),
      get_tvc_app: () => ({ tvcAppId: app.appId }),
      list_tvc_apps: () => ({}),
      create_tvc_deployment: () =>
        newDeployment(app.appId, {
          nonce: 1,
          pivotContainerEncryptedPullSecret: 'c2VjcmV0',
          debugMode: true,
          replicas: 2,
          instanceSizeCpus: 2,
          instanceSizeRam: 8,
        }),
      get_tvc_deployment: () => ({ deploymentId: manifestId }),
      list_tvc_app_deployments: () => ({ appId: app.appId }),
      delete_tvc_deployment: () => ({ deploymentId: deletedId }),
      restore_tvc_deployment: () => ({ deploymentId: deletedId }),
      delete_tvc_app_and_deployments: () => ({ appId: deletedApp.appId }),
      set_tvc_app_live_deployment: () => ({ deploymentId: approvedId }),
      get_tvc_qos_versions: () => ({}),
      create_tvc_manifest_approvals: () => ({ manifestId, approvals: [approval] }),
      create_api_only_users: () => ({
        apiOnlyUsers: [
          {
            userName: 'robot',
            userEmail: contacts.userEmail,
            userTags: [userTagId],
            apiKeys: [{ apiKeyName: 'key', publicKey: generateApiKey().publicKey, expirationSeconds: '900' }],
          },
        ],
      }),
      create_users: () => ({
        users: [
          newUser({
            ...contacts,
            oauthProviders: oauthProviders(),
            apiKeys: [key()],
            authenticators: [newAuthenticator()],
            userTags: [userTagId],
          }),
        ],
      }),
      create_fiat_on_ramp_credential: () => ({ ...onRamp, sandboxMode: true }),
      update_fiat_on_ramp_credential: () => ({ ...credentials.fiatOnRamp, ...onRamp }),
      delete_fiat_on_ramp_credential: () => credentials.deletedFiatOnRamp,
      list_fiat_on_ramp_credentials: () => ({}),
      create_oauth2_credential: () => oauth2,
      update_oauth2_credential: () => ({ ...credentials.oauth2Credential, ...oauth2 }),
      delete_oauth2_credential: () => credentials.deletedOauth2Credential,
      get_oauth2_credential: () => credentials.oauth2Credential,
      list_oauth2_credentials: () => ({}),
      oauth2_authenticate: () => ({
        ...credentials.oauth2Credential,
        authCode: fresh('code'),
        redirectUri: issuer.redirectUri,
        codeVerifier: 'a'.repeat(43),
        nonce: fresh('nonce'),
        bearerTokenTargetPublicKey: targetPublicKey,
      }),
      create_user_tag: () => ({ userTagName: fresh('tag'), userIds: [userId] }),
      delete_user_tags: () => ({ userTagIds: [goneUserTag.userTagId] }),
      list_user_tags: () => ({}),
      update_user_tag: () => ({
        userTagId,
        newUserTagName: fresh('tag'),
        addUserIds: [userId],
        removeUserIds: [memberId],
      }),
      delete_users: () => ({ userIds: [goneUserId] }),
      update_user: () => ({ userId: memberId, userName: 'Ada', userTagIds: [userTagId], ...contacts }),
      update_user_email: () => ({ userId: memberId, userEmail: 'new@example.com', verificationToken: emailToken }),
      update_user_name: () => ({ userId: memberId, userName: 'Ada' }),
      update_user_phone_number: () => ({
        userId: memberId,
        userPhoneNumber: '+14155550124',
        verificationToken: phoneToken,
      }),
      get_user: () => ({ userId }),
      get_notice_preferences: () => ({ userId }),
      list_users: () => ({}),
      create_wallet: newWallet,
      create_wallet_accounts: () => ({ walletId, accounts: [account()], persist: true }),
      delete_wallet_accounts: () => ({ walletAccountIds: [deletedAccountId], deleteWithoutExport: true }),
      delete_wallets: () => ({ walletIds: [deletedWalletId], deleteWithoutExport: true }),
      get_wallet: () => ({ walletId }),
      get_wallet_account: () => ({ walletId, address, path: "m/44'/60'/0'/0/0" }),
      list_wallet_accounts: () => ({ walletId, includeWalletDetails: true, paginationOptions }),
      list_wallets: () => ({}),
      export_wallet: () => ({ walletId, targetPublicKey, language: 'MNEMONIC_LANGUAGE_ENGLISH' }),
      export_wallet_account: () => ({ address, targetPublicKey }),
      init_import_wallet: () => ({ userId }),
      import_wallet: () => ({
        userId,
        walletName: fresh('wallet'),
        encryptedBundle: walletBundle,
        accounts: [account()],
      }),
      update_wallet: () => ({ walletId, walletName: fresh('renamed') }),
    }),
  )

  const lasting = operations.filter((operation) => operation.kind === 'query' || !operation.endsOrganization)
  const names = lasting.map(({ name }) => name)
  return {
    names,
    parametersOf(name) {
      const make = requests.get(name)
      if (make === undefined) throw new Error(`${name} has no valid request here: add one`)
      return make()
    },
    signerOf: (name) =>
      name === 'recover_user' ? recovery.recoveryKey : name === 'accept_invitation' ? invited.linkKey : rootKey,
    async renew(name) {
      if (name === 'import_private_key') keyBundle = await encryptNewKey()
      if (name === 'import_wallet') walletBundle = await encryptWallet()
      if (name === 'init_user_email_recovery') mailedTo = await moveTo(mailUserIds[0])
      if (name === 'disable_auth_proxy') await done('enable_auth_proxy', authProxy)
      if (name === 'replay_webhook_delivery') deliveryId = await failDelivery(organization, endpointId)
      if (name === 'recover_user') recovery = await startRecovery()
      if (name === 'accept_invitation') invited = await invite(organization)
    },
  }
}

/** The parameters of a credential of each kind, and for each kind one credential to change and one to delete. */
async function providerCredentials({ server, done }: Pick<TestOrganization, 'server' | 'done'>) {
  const { encryptOnRamp, encryptOauth2 } = encryptersTo(await server.vault.publishedKeys())
  const onRamp = {
    onrampProvider: 'FIAT_ON_RAMP_PROVIDER_COINBASE',
    projectId: 'project',
    publishableApiKey: 'publishable',
    encryptedSecretApiKey: encryptOnRamp('secret'),
    encryptedPrivateApiKey: encryptOnRamp('private'),
  }
  const oauth2 = {
    provider: 'OAUTH2_PROVIDER_DISCORD',
    clientId: 'client',
    encryptedClientSecret: await encryptOauth2('secret'),
  }
  const newOnRamp = async () => {
    const { fiatOnRampCredentialId } = await done('create_fiat_on_ramp_credential', onRamp)
    return { fiatOnrampCredentialId: fiatOnRampCredentialId }
  }
  const newOauth2 = () => done('create_oauth2_credential', oauth2)
  return {
    onRamp,
    oauth2,
    fiatOnRamp: await newOnRamp(),
    deletedFiatOnRamp: await newOnRamp(),
    oauth2Credential: await newOauth2(),
    deletedOauth2Credential: await newOauth2(),
  }
}

/** Later than the clock of any test, which may run ahead of the machine's. */
const farAheadMs = 4_102_444_800_000

/** Makes an event for the endpoint whose delivery was given up. The endpoint gets no further events. */
async function failDelivery(
  { server, organizationId, done }: Pick<TestOrganization, 'server' | 'organizationId' | 'done'>,
  endpointId: string,
): Promise<string> {
  await done('update_webhook_endpoint', { endpointId, isActive: true })
  await done('update_webhook_endpoint', { endpointId, isActive: false })
  const place = { organizationId, endpointId, happenedIn: organizationId }
  const due = await server.store.dueWebhooks({ ...place, nowMs: farAheadMs, limit: 10_000 })
  const messageId = due.at(-1)?.messageId ?? ''
  await server.store.changeQueue({
    queue: 'webhooks',
    change: 'end',
    organizationId,
    messageId,
    endedAtMs: 1,
    reason: 'refused (410)',
  })
  return messageId
}

/** Answers any code: a real code needs a login, and the property tests have no time for so many. */
function answerAnyCode({ url = '' }: IncomingMessage, response: ServerResponse): boolean {
  if (url !== '/token' && url !== '/me') return false
  const body = url === '/me' ? { sub: 'ada' } : { access_token: 'token', token_type: 'Bearer' }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  return true
}

/** Makes two activities that wait for the vote of a second root user. After that one vote is enough again. */
async function pendingActivities({
  rootUserId,
  done,
  submit,
}: Pick<TestOrganization, 'rootUserId' | 'done' | 'submit'>) {
  const second = generateApiKey()
  const apiKeys = [newApiKey({ publicKey: second.publicKey })]
  const [secondId] = (await done('create_users', { users: [newUser({ apiKeys })] })).userIds
  const userIds = [rootUserId, secondId]
  await done('update_root_quorum', { threshold: 2, userIds })
  const waiting = async (organizationName: string) =>
    (await submit('update_organization_name', { organizationName })).body.activity.fingerprint
  const [approved, rejected] = [await waiting('Never'), await waiting('Neither')]
  const { fingerprint } = (await submit('update_root_quorum', { threshold: 1, userIds })).body.activity
  await submit('approve_activity', { fingerprint }, { apiKey: second })
  return { approved, rejected }
}
