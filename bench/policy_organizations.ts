import { createECDH } from 'node:crypto'
import type { LoaderRun } from './loader.ts'
import { typicalPolicies } from './policy_set.ts'
import { type Client, createSigner, submit } from './servers.ts'
import type { Credentials } from './stamping.ts'

type Signer = Pick<LoaderRun, 'credentials' | 'signWith'>

/** The signers of two organizations of one server, which differ only in their policies. */
export type Signing = {
  /** A root user, and no policies. */
  readonly rootWithout: Signer
  /** A root user of an organization with twenty policies, which are not asked for root users. */
  readonly rootAbove: Signer
  /** In the same organization, a user whom one of the twenty lets sign. */
  readonly userWithin: Signer
}

export async function createSigningOrganizations(parent: Client): Promise<Signing> {
  const [without, within] = [await createOrganization(parent), await createOrganization(parent)]
  await submit(within.root, {
    name: 'create_policies',
    type: 'ACTIVITY_TYPE_CREATE_POLICIES',
    parameters: { policies: typicalPolicies(within).map((policy) => ({ ...policy, notes: '' })) },
  })
  return {
    rootWithout: { credentials: without.root.credentials, signWith: without.signWith },
    rootAbove: { credentials: within.root.credentials, signWith: within.signWith },
    userWithin: { credentials: within.traderCredentials, signWith: within.signWith },
  }
}

async function createOrganization(parent: Client) {
  const rootKey = createApiKey('root')
  const { subOrganizationId } = await submit(parent, {
    name: 'create_sub_organization',
    type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8',
    parameters: { subOrganizationName: 'Bench', rootUsers: [userWith(rootKey)], rootQuorumThreshold: 1 },
  })
  const organizationId = String(subOrganizationId)
  const root: Client = { url: parent.url, credentials: { ...rootKey, organizationId } }
  const [tradersTagId, treasuryTagId] = [await createTag(root, 'traders'), await createTag(root, 'treasury')]
  const traderKey = createApiKey('trader')
  const { userIds } = await submit(root, {
    name: 'create_users',
    type: 'ACTIVITY_TYPE_CREATE_USERS_V4',
    parameters: {
      users: [
        { ...userWith(traderKey), userTags: [tradersTagId] },
        { ...userWith(createApiKey('treasurer')), userTags: [treasuryTagId] },
      ],
    },
  })
  if (!Array.isArray(userIds)) throw new Error('users are answered with their ids')
  const [traderId, treasurerId] = userIds.map(String) as [string, string]
  const traderCredentials: Credentials = { ...traderKey, organizationId }
  const tags = { tradersTagId, treasuryTagId }
  return { root, traderCredentials, traderId, treasurerId, ...tags, ...(await createSigner(root)) }
}

async function createTag(root: Client, userTagName: string): Promise<string> {
  const { userTagId } = await submit(root, {
    name: 'create_user_tag',
    type: 'ACTIVITY_TYPE_CREATE_USER_TAG',
    parameters: { userTagName, userIds: [] },
  })
  return String(userTagId)
}

type Key = Omit<Credentials, 'organizationId'> & { readonly name: string }

function createApiKey(name: string): Key {
  const pair = createECDH('prime256v1')
  const apiPublicKey = pair.generateKeys('hex', 'compressed')
  return { name, apiPublicKey, apiPrivateKey: pair.getPrivateKey('hex').padStart(64, '0') }
}

function userWith({ name, apiPublicKey }: Key) {
  const apiKey = { apiKeyName: name, publicKey: apiPublicKey, curveType: 'API_KEY_CURVE_P256' }
  return { userName: name, apiKeys: [apiKey], authenticators: [], oauthProviders: [] }
}
