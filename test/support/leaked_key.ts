import { clientOf, ethereumAccount, p256, signingOf } from './client.ts'
import { lyingStoreOn } from './lying_store.ts'
import { generateApiKey } from './stamping.ts'
import { start } from './start.ts'
import { resultOf } from './two_organizations.ts'

/** Starts an organization with a leaked API key, and a private key. */
export async function startLeaking() {
  const server = await start()
  const { organizationId, userId, apiKey } = await server.createOrganization()
  const root = clientOf(server, { organizationId, apiKey })
  const leaked = generateApiKey()
  const made = await resultOf(root.activity('create_api_keys', { userId, apiKeys: [p256(leaked)] }))
  const [apiKeyId] = made.activity.result.createApiKeysResult.apiKeyIds
  const wallet = await resultOf(
    root.activity('create_wallet', { walletName: 'w', accounts: [ethereumAccount("m/44'/60'/0'/0/0")] }),
  )
  const [signWith] = wallet.activity.result.createWalletResult.addresses
  const liar = lyingStoreOn(server)
  const ask = (name: string, parameters: Readonly<Record<string, unknown>>) =>
    liar.activity(name, { organizationId, parameters })
  return {
    ...{ server, liar, ask, organizationId, userId, apiKey, leaked, signWith },
    revoke: () => ask('delete_api_keys', { userId, apiKeyIds: [apiKeyId] }),
    sign: (text: string) => ask('sign_raw_payload', signingOf(signWith, text)),
    tag: (name: string) => ask('create_user_tag', { userTagName: name, userIds: [] }),
  }
}

export type Leaking = Awaited<ReturnType<typeof startLeaking>>
