import { findOperation } from '../src/operations/catalogue.ts'
import { generateApiKey } from '../test/support/stamping.ts'
import { type Client, submit } from './servers.ts'

/** Makes a sub-organization with its own root user, who may have a mail address. */
export async function createTenant(parent: Client, name: string, userEmail?: string): Promise<Client> {
  const { publicKey, privateKeyHex } = generateApiKey()
  const apiKeys = [{ apiKeyName: name, publicKey, curveType: 'API_KEY_CURVE_P256' }]
  const parameters = {
    subOrganizationName: name,
    rootUsers: [{ userName: name, userEmail, apiKeys, authenticators: [], oauthProviders: [] }],
    rootQuorumThreshold: 1,
  }
  const made = await submit(parent, {
    name: 'create_sub_organization',
    type: typeOf('create_sub_organization'),
    parameters,
  })
  const credentials = {
    ...parent.credentials,
    organizationId: String(made.subOrganizationId),
    apiPublicKey: publicKey,
    apiPrivateKey: privateKeyHex,
  }
  return { url: parent.url, credentials }
}

/** The newest activity type of an operation. */
export function typeOf(name: string): string {
  const operation = findOperation(`/public/v1/submit/${name}`)
  if (operation?.kind !== 'activity') throw new Error(`${name} is an activity`)
  return operation.types[0]?.type ?? ''
}
