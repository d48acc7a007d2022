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

/**
 * For every operation, a request that succeeds and uses every field that the operation takes. Deletions succeed once;
 * the one of an organization is not here, since nothing could be asked after it.
 */
export type ValidRequests = {
  readonly names: readonly string[]
  /** Fresh parameters: names and keys that nothing has yet. */
  parametersOf(name: string): Parameters
}

/** Fills the organization with something of each kind, so that there is something to ask for. */
export async function prepareRequests({ rootUserId, done, submit, found }: TestOrganization): Promise<ValidRequests> {
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

  const pending = await pendingActivities({ rootUserId, done, submit })

  const accounts = [newAccount(), newAccount({ path: 'm/1' })]
  const { walletId: deletedWalletId } = await done('create_wallet', { walletName: 'to be deleted', accounts })
  const listed = await found('list_wallet_accounts', { walletId: deletedWalletId })
  const [{ walletAccountId }] = listed.accounts
  const [{ privateKeyId: deletedPrivateKeyId }] = (
    await done('create_private_keys', { privateKeys: [newPrivateKey({ privateKeyName: 'to be deleted' })] })
  ).privateKeys

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
      get_organization: () => ({}),
      get_organization_configs: () => ({}),
      update_organization_name: () => ({ organizationName: fresh('Renamed') }),
      update_root_quorum: () => ({ threshold: 1, userIds: [userId] }),
      whoami: () => ({}),
      create_private_keys: () => ({
        privateKeys: [newPrivateKey({ privateKeyName: fresh('key'), addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] })],
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
      delete_wallet_accounts: () => ({ walletAccountIds: [walletAccountId], deleteWithoutExport: true }),
      delete_wallets: () => ({ walletIds: [deletedWalletId], deleteWithoutExport: true }),
      get_wallet: () => ({ walletId }),
      get_wallet_account: () => ({ walletId, address, path: "m/44'/60'/0'/0/0" }),
      list_wallet_accounts: () => ({ walletId, includeWalletDetails: true, paginationOptions }),
      list_wallets: () => ({}),
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
