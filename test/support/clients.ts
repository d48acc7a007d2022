import { ApiKeyStamper } from '@turnkey/api-key-stamper'
import { TurnkeyClient } from '@turnkey/http'
import { Turnkey, type TurnkeyApiClient } from '@turnkey/sdk-server'
import type { ReachableServer } from './running_server.ts'
import { generateApiKey } from './stamping.ts'

/** A base URL of each dialect, which is all that a client's user configures. */
export function baseUrls({ url }: ReachableServer) {
  return { spec: url, hosted: `${url}/hosted` } as const
}

export const dialects = ['spec', 'hosted'] as const
type Dialect = (typeof dialects)[number]

type ApiKey = { readonly apiPublicKey: string; readonly apiPrivateKey: string }

/** The client of `@turnkey/http`: whole bodies in, whole answers out. */
export function httpClient(server: ReachableServer, dialect: Dialect = 'spec', apiKey: ApiKey = server.credentials) {
  const { apiPublicKey, apiPrivateKey } = apiKey
  return new TurnkeyClient({ baseUrl: baseUrls(server)[dialect] }, new ApiKeyStamper({ apiPublicKey, apiPrivateKey }))
}

/** The client of `@turnkey/sdk-server`: parameters in, the result's fields and the activity out. */
export function serverClient(
  server: ReachableServer,
  dialect: Dialect = 'spec',
  { apiPublicKey, apiPrivateKey, organizationId }: ApiKey & { readonly organizationId: string } = server.credentials,
): TurnkeyApiClient {
  return new Turnkey({
    apiBaseUrl: baseUrls(server)[dialect],
    apiPublicKey,
    apiPrivateKey,
    defaultOrganizationId: organizationId,
    // It asks again for an activity that waits for votes before it gives that back: for four seconds if not told so.
    activityPoller: { intervalMs: 20, numRetries: 3 },
  }).apiClient()
}

/** Makes a user in the client's own organization. Returns it with the API key that its clients stamp with. */
export async function newUserOf(client: TurnkeyApiClient, userName: string) {
  const { publicKey: apiPublicKey, privateKeyHex: apiPrivateKey } = generateApiKey()
  const apiKeys = [{ apiKeyName: 'laptop', publicKey: apiPublicKey, curveType: 'API_KEY_CURVE_P256' as const }]
  const user = { userName, apiKeys, authenticators: [], oauthProviders: [], userTags: [] }
  const { userIds, activity } = await client.createUsers({ users: [user] })
  const { organizationId } = activity
  return { userId: userIds[0] ?? '', credentials: { apiPublicKey, apiPrivateKey, organizationId } }
}

/** An Ethereum account with this index, at the path of the clients' own defaults. */
export function ethereumAccount(index = 0) {
  return {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: `m/44'/60'/0'/0/${index}`,
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  } as const
}

export function solanaAccount(index = 0) {
  return {
    curve: 'CURVE_ED25519',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: `m/44'/501'/${index}'/0'`,
    addressFormat: 'ADDRESS_FORMAT_SOLANA',
  } as const
}

/**
 * Types a client for the signer packages. They are compiled against older clients, whose types differ in operations
 * that signing does not use. At run time they check only the client's name, so their users pass the current client too.
 */
export function asClientOf<C>(client: unknown): C {
  return client as C
}
