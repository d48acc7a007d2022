import { operations } from '../../src/operations/catalogue.ts'
import {
  newAccount,
  newApiKey,
  newPrivateKey,
  newUser,
  type Parameters,
  type TestOrganization,
} from './organization.ts'
import { generateApiKey } from './stamping.ts'

/** For every operation, a request that succeeds and uses every field that the operation takes. */
export type ValidRequests = {
  readonly names: readonly string[]
  /** Fresh parameters: names and keys that nothing has yet. */
  parametersOf(name: string): Parameters
}

/** Fills the organization with something of each kind, so that there is something to ask for. */
export async function prepareRequests({ rootUserId, rootKey, done, submit }: TestOrganization): Promise<ValidRequests> {
  const userId = rootUserId
  const { walletId, addresses } = await done('create_wallet', {
    walletName: 'wallet',
    accounts: [newAccount({ name: 'account' })],
  })
  const [address] = addresses
  const [{ privateKeyId }] = (
    await done('create_private_keys', { privateKeys: [newPrivateKey({ privateKeyName: 'key' })] })
  ).privateKeys
  const { apiKeyIds } = await done('create_api_keys', { userId, apiKeys: [newApiKey()] })
  const [apiKeyId] = (await done('create_api_keys', { userId, apiKeys: [newApiKey()] })).apiKeyIds
  const activityId = (await submit('update_organization_name', { organizationName: 'First' })).body.activity.id

  const publicKey = rootKey.publicKey
  await done('set_ip_allowlist', { publicKey, rules: [] })
  const step = { type: 'AUTHENTICATION_TYPE_API_KEY', id: apiKeyId }
  const newMfaPolicy = (mfaPolicyName: string) => ({
    userId,
    mfaPolicyName,
    condition: "activity.resource == 'WALLET'",
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

  const pending = await pendingActivities({ rootUserId, done, submit })

  let count = 0
  const fresh = (text: string) => `${text} ${++count}`
  const key = () => newApiKey({ publicKey: generateApiKey().publicKey, expirationSeconds: '900' })
  const account = () => newAccount({ path: `m/0/${++count}`, name: fresh('account') })
  const contacts = { userEmail: 'ada@example.com', userPhoneNumber: '+14155550123' }
  const paginationOptions = { limit: '2' }
  const hashed = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' }
  const newWallet = () => ({ walletName: fresh('wallet'), accounts: [account()], mnemonicLength: 12 })

  const requests: ReadonlyMap<string, () => Parameters> = new Map(
    Object.entries({
      approve_activity: () => ({ fingerprint: pending.approved }),
      reject_activity: () => ({ fingerprint: pending.rejected }),
      get_activity: () => ({ activityId }),
      list_activities: () => ({
        filterByStatus: ['ACTIVITY_STATUS_COMPLETED'],
        filterByType: ['ACTIVITY_TYPE_CREATE_WALLET'],
        paginationOptions,
      }),
      create_api_keys: () => ({ userId, apiKeys: [key()] }),
      delete_api_keys: () => ({ userId, apiKeyIds }),
      get_api_key: () => ({ apiKeyId }),
      get_api_keys: () => ({ userId }),
      remove_organization_feature: () => ({ name: feature.name }),
      set_organization_feature: () => feature,
      get_ip_allowlist: () => ({ publicKey }),
      remove_ip_allowlist: () => ({ publicKey }),
      // A request of the tests that loses its key or its rules must not lock the tests out.
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
      get_organization: () => ({}),
      get_organization_configs: () => ({}),
      update_organization_name: () => ({ organizationName: fresh('Renamed') }),
      update_root_quorum: () => ({ threshold: 1, userIds: [userId] }),
      whoami: () => ({}),
      create_private_keys: () => ({
        privateKeys: [newPrivateKey({ privateKeyName: fresh('key'), addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] })],
      }),
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
      create_session_profile: () => newSessionProfile(fresh('profile')),
      get_session_profile: () => ({ sessionProfileId }),
      get_session_profiles: () => ({}),
      create_smart_contract_interface: () => newSmartContractInterface(fresh('contract')),
      delete_smart_contract_interface: () => ({ smartContractInterfaceId: deletedInterfaceId }),
      get_smart_contract_interface: () => ({ smartContractInterfaceId }),
      list_smart_contract_interfaces: () => ({}),
      create_sub_organization: () => ({
        subOrganizationName: fresh('sub'),
        rootUsers: [{ userName: 'Ada', apiKeys: [key()], authenticators: [], oauthProviders: [], ...contacts }],
        rootQuorumThreshold: 1,
        wallet: newWallet(),
        disableEmailRecovery: true,
        disableEmailAuth: true,
        disableSmsAuth: true,
        disableOtpEmailAuth: true,
      }),
      list_suborgs: () => ({ filterType: 'NAME', filterValue: 'sub 1', paginationOptions }),
      create_api_only_users: () => ({
        apiOnlyUsers: [
          {
            userName: 'robot',
            userEmail: contacts.userEmail,
            userTags: [],
            apiKeys: [{ apiKeyName: 'key', publicKey: generateApiKey().publicKey, expirationSeconds: '900' }],
          },
        ],
      }),
      create_users: () => ({ users: [newUser({ ...contacts, apiKeys: [key()] })] }),
      get_user: () => ({ userId }),
      list_users: () => ({}),
      create_wallet: newWallet,
      create_wallet_accounts: () => ({ walletId, accounts: [account()], persist: true }),
      get_wallet: () => ({ walletId }),
      get_wallet_account: () => ({ walletId, address, path: "m/44'/60'/0'/0/0" }),
      list_wallet_accounts: () => ({ walletId, includeWalletDetails: true, paginationOptions }),
      list_wallets: () => ({}),
      update_wallet: () => ({ walletId, walletName: fresh('renamed') }),
    }),
  )

  const names = operations.map(({ name }) => name)
  return {
    names,
    parametersOf(name) {
      const make = requests.get(name)
      if (make === undefined) throw new Error(`${name} has no valid request here: add one`)
      return make()
    },
  }
}

/** Two activities that wait for the vote of a second root user; from then on one vote is enough again. */
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
