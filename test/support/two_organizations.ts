import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, clientOf, ethereumAccount, p256, signingOf } from './client.ts'
import { type Place, type Row, withDatabase } from './database.ts'
import { type ApiKeyPair, type Server, startInProcess } from './in_process.ts'
import { writeNextActivity, writeNextListedRecord, writeNextRecord } from './later_version.ts'
import { copyServerFolder } from './server_database.ts'
import { generateApiKey } from './stamping.ts'

export type Target = 'head' | 'user' | 'wallet' | 'private_key' | 'policy' | 'wallet_account' | 'activity'

/** One of two organizations that the same steps made, so that each row of one has a counterpart in the other. */
export type Furnished = {
  readonly organizationId: string
  readonly rootId: string
  readonly rootKey: ApiKeyPair
  /** Outside the root quorum. */
  readonly userId: string
  readonly userKey: ApiKeyPair
  readonly userApiKeyId: string
  readonly walletId: string
  readonly accountId: string
  readonly address: string
  readonly otherAccountId: string
  readonly otherAddress: string
  readonly privateKeyId: string
  readonly privateKeyAddress: string
  readonly policyId: string
  readonly activityId: string
  /** The bytes that became the activity. */
  readonly activityBody: string
  readonly place: (target: Target) => Place
  /** The row of each target in version 1; for the head, some versions ago. */
  readonly older: ReadonlyMap<Target, Row>
}

export const path = "m/44'/60'/0'/0/0"
export const otherPath = "m/44'/60'/0'/0/1"

/** Builds both organizations, stops the server and returns its folder. Each test works on a copy. */
export async function buildTwoOrganizations() {
  const server = await startInProcess()
  const first = await furnish(server)
  const second = await furnish(server)
  await server.close()
  const folders = [server.folder]
  return {
    first,
    second,
    copy(): string {
      const copy = mkdtempSync(join(tmpdir(), 'claviger-copy-'))
      folders.push(copy)
      copyServerFolder(server.folder, copy)
      return copy
    },
    /** Called once every server on a copy is closed. */
    remove() {
      for (const folder of folders) rmSync(folder, { recursive: true })
    },
  }
}

export const rootOf = (server: Server, { organizationId, rootKey }: Furnished): Client =>
  clientOf(server, { organizationId, apiKey: rootKey })
export const userOf = (server: Server, { organizationId, userKey }: Furnished): Client =>
  clientOf(server, { organizationId, apiKey: userKey })

async function furnish(server: Server): Promise<Furnished> {
  const { organizationId, userId: rootId, apiKey: rootKey } = await server.createOrganization()
  const userKey = generateApiKey()
  const root = clientOf(server, { organizationId, apiKey: rootKey })
  const userId = await makeUser(root, userKey)
  const keys = await resultOf(root.query('get_api_keys', { userId }))
  const wallet = await resultOf(
    root.activity('create_wallet', { walletName: 'w', accounts: [ethereumAccount(path), ethereumAccount(otherPath)] }),
  )
  const { walletId, addresses } = wallet.activity.result.createWalletResult
  const listed = await resultOf(root.query('list_wallet_accounts', { walletId }))
  const privateKey = await makePrivateKey(root)
  const policyId = await makePolicy(root)
  const activityBody = signedBody(root, addresses[0])
  const signed = await resultOf(server.post('/public/v1/submit/sign_raw_payload', activityBody, rootKey))
  const furnished = {
    organizationId,
    rootId,
    rootKey,
    userId,
    userKey,
    userApiKeyId: keys.apiKeys[0].apiKeyId,
    walletId,
    accountId: listed.accounts[0].walletAccountId,
    address: addresses[0],
    otherAccountId: listed.accounts[1].walletAccountId,
    otherAddress: addresses[1],
    ...privateKey,
    policyId,
    activityId: signed.activity.id,
    activityBody,
  }
  const place = (target: Target) => placeOf(furnished, target)
  const older = withDatabase(
    server.folder,
    (hand) => new Map(targets.map((target) => [target, hand.one(place(target))])),
  )
  await writeSecondVersions(server, root, furnished)
  // `writeSecondVersions` wrote a head past the vault. The query presents it, so that it is on the books.
  await resultOf(root.query('whoami'))
  return { ...furnished, place, older }
}

const targets = ['head', 'user', 'wallet', 'private_key', 'policy', 'wallet_account', 'activity'] as const

async function writeSecondVersions(
  server: Server,
  root: Client,
  ids: Pick<
    Furnished,
    'organizationId' | 'userId' | 'walletId' | 'accountId' | 'privateKeyId' | 'policyId' | 'activityId'
  >,
): Promise<void> {
  const { organizationId, userId, walletId, accountId, privateKeyId, policyId } = ids
  const apiKeys = [p256(generateApiKey())]
  await resultOf(root.activity('create_api_keys', { userId, apiKeys }))
  await resultOf(root.activity('update_wallet', { walletId, walletName: 'renamed' }))
  await resultOf(root.activity('update_policy', { policyId, policyEffect: 'EFFECT_DENY' }))
  const key = { organizationId, kind: 'private_key', recordId: privateKeyId } as const
  await writeNextListedRecord(server, key, (record) => ({ ...record, exported: true }))
  const account = { organizationId, kind: 'wallet_account', recordId: accountId } as const
  await writeNextRecord(server, account, (record) => ({ ...record, updatedAtMs: record.updatedAtMs + 5_000 }))
  await writeNextActivity(server, ids, (activity) => ({ ...activity, updatedAtMs: activity.updatedAtMs + 5_000 }))
}

type Ids = Omit<Furnished, 'place' | 'older'>

function placeOf({ organizationId, ...ids }: Ids, target: Target): Place {
  const recordIds = {
    user: ids.userId,
    wallet: ids.walletId,
    private_key: ids.privateKeyId,
    policy: ids.policyId,
    wallet_account: ids.accountId,
  }
  switch (target) {
    case 'head':
      return { table: 'organizations', where: { organization_id: organizationId } }
    case 'activity':
      return { table: 'activities', where: { organization_id: organizationId, activity_id: ids.activityId } }
    default:
      return {
        table: 'records',
        where: { organization_id: organizationId, kind: target, record_id: recordIds[target] },
      }
  }
}

async function makeUser(root: Client, apiKey: ApiKeyPair): Promise<string> {
  const apiKeys = [p256(apiKey)]
  const users = [{ userName: 'ada', apiKeys, authenticators: [], oauthProviders: [], userTags: [] }]
  const made = await resultOf(root.activity('create_users', { users }))
  return made.activity.result.createUsersResult.userIds[0]
}

async function makePrivateKey(root: Client): Promise<{ privateKeyId: string; privateKeyAddress: string }> {
  const privateKey = {
    privateKeyName: 'k',
    curve: 'CURVE_SECP256K1',
    privateKeyTags: [],
    addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
  }
  const made = await resultOf(root.activity('create_private_keys', { privateKeys: [privateKey] }))
  const [{ privateKeyId, addresses }] = made.activity.result.createPrivateKeysResultV2.privateKeys
  return { privateKeyId, privateKeyAddress: addresses[0].address }
}

async function makePolicy(root: Client): Promise<string> {
  const policy = { policyName: 'p', effect: 'EFFECT_ALLOW', condition: 'eth.tx.chain_id == 987654321', notes: '' }
  const made = await resultOf(root.activity('create_policy', policy))
  return made.activity.result.createPolicyResult.policyId
}

function signedBody({ organizationId }: Client, address: string): string {
  return JSON.stringify({
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
    timestampMs: String(Date.now()),
    organizationId,
    parameters: signingOf(address, 'signed before'),
  })
}

/** Returns the body of an answer that must be a 200. */
export async function resultOf(asked: ReturnType<Server['post']>) {
  const { status, body } = await asked
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body
}

/** Makes a sub-organization with one root user, who has this key. */
export async function makeChild(
  parent: Client,
  subOrganizationName: string,
  apiKey: ApiKeyPair,
): Promise<{ readonly organizationId: string; readonly userId: string }> {
  const rootUsers = [{ userName: 'c', apiKeys: [p256(apiKey)], authenticators: [], oauthProviders: [] }]
  const made = await resultOf(
    parent.activity('create_sub_organization', { subOrganizationName, rootUsers, rootQuorumThreshold: 1 }),
  )
  const { subOrganizationId, rootUserIds } = made.activity.result.createSubOrganizationResultV8
  return { organizationId: subOrganizationId, userId: rootUserIds[0] }
}
