import { serializeTransaction } from 'viem'
import { expect, test } from 'vitest'
import { type Server, startInProcess } from '../support/in_process.ts'
import { newApiKey, newUser } from '../support/organization.ts'
import { type ApiKeyPair, generateApiKey } from '../support/stamping.ts'

/** A stored policy that no longer compiles, because the language has become narrower since. */

/** Makes a policy as an earlier version did: Intl is made to know the zone by a name that Temporal knows. */
async function asEarlier<T>(make: () => Promise<T>): Promise<T> {
  const { resolvedOptions } = Intl.DateTimeFormat.prototype
  Intl.DateTimeFormat.prototype.resolvedOptions = function earlier(this: Intl.DateTimeFormat) {
    const options = resolvedOptions.call(this)
    return options.timeZone.startsWith('SystemV/') ? { ...options, timeZone: 'America/New_York' } : options
  }
  try {
    return await make()
  } finally {
    Intl.DateTimeFormat.prototype.resolvedOptions = resolvedOptions
  }
}

test('leaves the root quorum in charge, says so to others, and can be mended', async () => {
  let server: Server = await startInProcess()
  const { organizationId, apiKey } = await server.createOrganization()
  let timestampMs = Date.now()
  const ask = (name: string, type: string, parameters: object, key: ApiKeyPair = apiKey) => {
    timestampMs += 1
    const body = { type: `ACTIVITY_TYPE_${type}`, timestampMs: String(timestampMs), organizationId, parameters }
    return server.post(`/public/v1/submit/${name}`, body, key)
  }
  const ada = generateApiKey()
  const { userTags, ...user } = newUser({ userName: 'ada', apiKeys: [newApiKey({ publicKey: ada.publicKey })] })
  await ask('create_users', 'CREATE_USERS_V3', { users: [{ ...user, userTags }] })
  const account = {
    ...{ curve: 'CURVE_SECP256K1', pathFormat: 'PATH_FORMAT_BIP32', path: "m/44'/60'/0'/0/0" },
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  }
  const made = await ask('create_wallet', 'CREATE_WALLET', { walletName: 'hot', accounts: [account] })
  const [signWith] = made.body.activity.result.createWalletResult.addresses
  const time = "CronSpan('* * * * *', '1h', 'SystemV/EST5EDT')"
  const policy = {
    policyName: 'p',
    effect: 'EFFECT_ALLOW',
    condition: "activity.resource == 'WALLET'",
    time,
    notes: '',
  }
  const created = await asEarlier(() => ask('create_policy', 'CREATE_POLICY_V3', policy))
  expect(created.status, JSON.stringify(created.body)).toBe(200)
  const { policyId } = created.body.activity.result.createPolicyResult

  const { folder } = server
  await server.close()
  server = await startInProcess({ folder })
  const unsignedTransaction = serializeTransaction({ type: 'eip1559', chainId: 1, value: 1n })
  const transaction = { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }
  const sign = (key: ApiKeyPair) => ask('sign_transaction', 'SIGN_TRANSACTION_V2', transaction, key)
  expect((await sign(apiKey)).status).toBe(200)
  const refused = await ask('create_wallet', 'CREATE_WALLET', { walletName: 'second', accounts: [] }, ada)
  expect([refused.status, refused.body.message]).toEqual([
    403,
    expect.stringContaining(`${policyId} no longer compiles`),
  ])

  expect((await ask('delete_policy', 'DELETE_POLICY', { policyId })).status).toBe(200)
  const login = await ask('stamp_login', 'STAMP_LOGIN', { publicKey: generateApiKey().publicKey }, ada)
  expect(login.status, JSON.stringify(login.body)).toBe(200)
  await server.close()
})
