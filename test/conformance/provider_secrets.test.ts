import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  decryptCredentialBundle,
  encryptOauth2ClientSecret,
  encryptOnRampSecret,
  generateP256KeyPair,
} from '@turnkey/crypto'
import type { TurnkeyApiClient } from '@turnkey/sdk-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialects, serverClient } from '../support/clients.ts'
import { absentId, timestamp } from '../support/organization.ts'
import { encryptersTo, onRampSecretsOf } from '../support/provider_secrets.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'
import { privateKeyOf } from '../support/seals.ts'
import { databaseText } from '../support/server_database.ts'

/** Secrets of providers, encrypted by the clients' own package to the keys that the running server publishes. */

let server: RunningServer
let encrypt: ReturnType<typeof encryptersTo>
/** A sub-organization with a user of its own. */
let elsewhere: Parameters<typeof serverClient>[2] & object
beforeAll(async () => {
  server = await startRunningServer()
  encrypt = encryptersTo(await (await fetch(`${server.url}/.well-known/claviger-keys.json`)).json())
  elsewhere = await newSubOrganization()
})
afterAll(() => server.stop())

async function newSubOrganization() {
  const { publicKey, privateKey } = generateP256KeyPair()
  const apiKeys = [{ apiKeyName: 'key', publicKey, curveType: 'API_KEY_CURVE_P256' as const }]
  const { subOrganizationId } = await serverClient(server).createSubOrganization({
    subOrganizationName: 'elsewhere',
    rootUsers: [{ userName: 'root', apiKeys, authenticators: [], oauthProviders: [] }],
    rootQuorumThreshold: 1,
  })
  return { apiPublicKey: publicKey, apiPrivateKey: privateKey, organizationId: subOrganizationId }
}

/** What the client encrypts, and nobody may show. */
const secrets: string[] = []
function newSecret(name: string): string {
  const secret = `${name}-${'z'.repeat(12)}-${secrets.length}`
  secrets.push(secret)
  return secret
}
const answers: unknown[] = []
/** The answer, which is kept to be searched for secrets. */
async function answered<T>(answer: Promise<T>): Promise<T> {
  const given = await answer.catch((error) => {
    answers.push(String(error))
    throw error
  })
  answers.push(given)
  return given
}

describe.each(dialects)('@turnkey/sdk-server and @turnkey/crypto against the dialect %s', (dialect) => {
  let client: TurnkeyApiClient
  let stranger: TurnkeyApiClient
  beforeAll(() => {
    client = serverClient(server, dialect)
    stranger = serverClient(server, dialect, elsewhere)
  })

  const listedOnRamp = async (fiatOnrampCredentialId: string, from = client) =>
    (await answered(from.listFiatOnRampCredentials({}))).fiatOnRampCredentials.find(
      (credential) => credential.fiatOnrampCredentialId === fiatOnrampCredentialId,
    )

  const newOnRamp = (name: string) => ({
    onrampProvider: 'FIAT_ON_RAMP_PROVIDER_COINBASE' as const,
    projectId: 'project',
    publishableApiKey: 'publishable',
    encryptedSecretApiKey: encrypt.encryptOnRamp(newSecret(`${dialect}-${name}-api`)),
    encryptedPrivateApiKey: encrypt.encryptOnRamp(newSecret(`${dialect}-${name}-private`)),
    sandboxMode: true,
  })
  const newOauth2 = async (name: string) => ({
    provider: 'OAUTH2_PROVIDER_X' as const,
    clientId: 'client',
    encryptedClientSecret: await encrypt.encryptOauth2(newSecret(`${dialect}-${name}-client`)),
  })

  test('list_fiat_on_ramp_credentials: every one is listed, with ciphertexts that only the on-ramp key opens', async () => {
    const owner = await newSubOrganization()
    const { organizationId } = owner
    const own = serverClient(server, dialect, owner)
    const listed = async () => (await answered(own.listFiatOnRampCredentials({}))).fiatOnRampCredentials
    expect(await listed()).toEqual([])

    const first = newOnRamp('first')
    const second = {
      onrampProvider: 'FIAT_ON_RAMP_PROVIDER_MOONPAY' as const,
      publishableApiKey: 'publishable',
      encryptedSecretApiKey: encrypt.encryptOnRamp(newSecret(`${dialect}-second-api`)),
    }
    const [secretApiKey = '', privateApiKey = '', secondApiKey = ''] = secrets.slice(-3)
    const ids: string[] = []
    for (const given of [first, second]) {
      ids.push((await answered(own.createFiatOnRampCredential(given))).fiatOnRampCredentialId)
    }
    const credentials = await listed()
    const made = { organizationId, createdAt: timestamp, updatedAt: timestamp }
    expect(credentials).toStrictEqual([
      { ...first, ...made, fiatOnrampCredentialId: ids[0] },
      {
        ...{ ...second, ...made, fiatOnrampCredentialId: ids[1] },
        sandboxMode: false,
      },
    ])

    const ciphertexts = credentials.flatMap(({ encryptedSecretApiKey, encryptedPrivateApiKey = [] }) =>
      [encryptedSecretApiKey].concat(encryptedPrivateApiKey),
    )
    const opened = async (name: Parameters<typeof privateKeyOf>[1]) => {
      const privateKey = await privateKeyOf(server, name)
      return ciphertexts.map((text) => Buffer.from(decryptCredentialBundle(text, privateKey), 'hex').toString())
    }
    expect(await opened('onRampEncryption')).toEqual([secretApiKey, privateApiKey, secondApiKey])
    await expect(opened('tlsFetcherEncryption')).rejects.toThrow('invalid ghash tag')
    // What the vault keeps for itself is the same.
    const kept = ids.map((fiatOnrampCredentialId) =>
      onRampSecretsOf(server, { organizationId, fiatOnrampCredentialId }),
    )
    expect(await Promise.all(kept)).toEqual([{ secretApiKey, privateApiKey }, { secretApiKey: secondApiKey }])
  })

  test('an on-ramp credential is made, changed and deleted; the list shows what was sent', async () => {
    const given = newOnRamp('on-ramp')
    const { fiatOnRampCredentialId, activity } = await answered(client.createFiatOnRampCredential(given))
    expect(activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    const first = await listedOnRamp(fiatOnRampCredentialId)
    expect(first).toEqual({
      ...given,
      fiatOnrampCredentialId: fiatOnRampCredentialId,
      organizationId: server.credentials.organizationId,
      createdAt: timestamp,
      updatedAt: timestamp,
    })

    const change = {
      fiatOnrampCredentialId: fiatOnRampCredentialId,
      onrampProvider: 'FIAT_ON_RAMP_PROVIDER_MOONPAY' as const,
      publishableApiKey: 'another',
      encryptedSecretApiKey: encrypt.encryptOnRamp(newSecret(`${dialect}-changed-api`)),
    }
    const changed = await answered(client.updateFiatOnRampCredential(change))
    expect(changed.fiatOnRampCredentialId).toBe(fiatOnRampCredentialId)
    const second = await listedOnRamp(fiatOnRampCredentialId)
    expect(second).toEqual({ ...first, ...change, updatedAt: second?.updatedAt })

    const id = { fiatOnrampCredentialId: fiatOnRampCredentialId }
    expect((await answered(client.deleteFiatOnRampCredential(id))).fiatOnRampCredentialId).toBe(fiatOnRampCredentialId)
    expect(await listedOnRamp(fiatOnRampCredentialId)).toBeUndefined()
    await expect(answered(client.deleteFiatOnRampCredential(id))).rejects.toThrow('Turnkey error 5: not found')
  })

  test('an OAuth 2.0 credential is made, changed and deleted; get and list show what was sent', async () => {
    const given = await newOauth2('oauth2')
    const { oauth2CredentialId } = await answered(client.createOauth2Credential(given))
    const shown = async () => (await answered(client.getOauth2Credential({ oauth2CredentialId }))).oauth2Credential
    const first = await shown()
    expect(first).toEqual({
      ...given,
      oauth2CredentialId,
      organizationId: server.credentials.organizationId,
      createdAt: timestamp,
      updatedAt: timestamp,
    })
    expect((await answered(client.listOauth2Credentials({}))).oauth2Credentials).toContainEqual(first)

    const change = {
      oauth2CredentialId,
      provider: 'OAUTH2_PROVIDER_DISCORD' as const,
      clientId: 'another',
      encryptedClientSecret: await encrypt.encryptOauth2(newSecret(`${dialect}-changed-client`)),
    }
    const changed = await answered(client.updateOauth2Credential(change))
    expect(changed.oauth2CredentialId).toBe(oauth2CredentialId)
    const second = await shown()
    expect(second).toEqual({ ...first, ...change, updatedAt: second.updatedAt })

    const removed = await answered(client.deleteOauth2Credential({ oauth2CredentialId }))
    expect(removed.oauth2CredentialId).toBe(oauth2CredentialId)
    await expect(shown()).rejects.toThrow('Turnkey error 5: not found')
  })

  test("another organization's ids are answered as ids that nothing has", async () => {
    const onRamp = newOnRamp('foreign')
    const oauth2 = await newOauth2('foreign')
    const { fiatOnRampCredentialId } = await answered(client.createFiatOnRampCredential(onRamp))
    const { oauth2CredentialId } = await answered(client.createOauth2Credential(oauth2))
    const { sandboxMode: _, ...change } = onRamp
    const asking = (onRampId: string, oauth2Id: string): Promise<unknown>[] => [
      stranger.updateFiatOnRampCredential({ fiatOnrampCredentialId: onRampId, ...change }),
      stranger.deleteFiatOnRampCredential({ fiatOnrampCredentialId: onRampId }),
      stranger.updateOauth2Credential({ oauth2CredentialId: oauth2Id, ...oauth2 }),
      stranger.deleteOauth2Credential({ oauth2CredentialId: oauth2Id }),
      stranger.getOauth2Credential({ oauth2CredentialId: oauth2Id }),
    ]
    const refusals = async (onRampId: string, oauth2Id: string) => {
      const settled = await Promise.allSettled(asking(onRampId, oauth2Id).map((asked) => answered(asked)))
      return settled.map((one) => (one.status === 'rejected' ? String(one.reason.message) : 'answered'))
    }
    const foreign = await refusals(fiatOnRampCredentialId, oauth2CredentialId)
    for (const message of foreign) expect(message).toContain('Turnkey error 5: not found')
    const absent = await refusals(absentId, absentId)
    expect(
      foreign.map((text) => text.replace(fiatOnRampCredentialId, absentId).replace(oauth2CredentialId, absentId)),
    ).toEqual(absent)
    expect(await listedOnRamp(fiatOnRampCredentialId, stranger)).toBeUndefined()
    expect(await listedOnRamp(fiatOnRampCredentialId)).toMatchObject({ publishableApiKey: 'publishable' })
    expect((await answered(client.getOauth2Credential({ oauth2CredentialId }))).oauth2Credential.clientId).toBe(
      'client',
    )
  })

  test('what was changed on the way, or encrypted to the key of another server, is refused by the name of its field', async () => {
    // Without the override the client's package encrypts to the key of the hosted service.
    const onRamp = newOnRamp('tampered')
    const oauth2 = await newOauth2('tampered')
    const last = (text: string) => text.slice(0, -1) + (text.endsWith('1') ? '2' : '1')
    for (const field of ['encryptedSecretApiKey', 'encryptedPrivateApiKey'] as const) {
      for (const text of [last(onRamp[field]), encryptOnRampSecret(newSecret('elsewhere'))]) {
        const refused = answered(client.createFiatOnRampCredential({ ...onRamp, [field]: text }))
        await expect(refused).rejects.toThrow(`Turnkey error 3: invalid request: parameters.${field}`)
      }
    }
    for (const encryptedClientSecret of [
      last(oauth2.encryptedClientSecret),
      await encryptOauth2ClientSecret(newSecret('elsewhere')),
    ]) {
      const refused = answered(client.createOauth2Credential({ ...oauth2, encryptedClientSecret }))
      await expect(refused).rejects.toThrow('Turnkey error 3: invalid request: parameters.encryptedClientSecret')
    }
  })
})

test('no secret stands in an answer, in an activity, in the log or in any file of the server', async () => {
  const client = serverClient(server)
  for (let after = ''; ; ) {
    const paginationOptions = { limit: '100', ...(after === '' ? {} : { after }) }
    const { activities } = await answered(client.getActivities({ paginationOptions }))
    after = activities.at(-1)?.id ?? ''
    if (after === '') break
  }
  const files = readdirSync(server.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const database = Buffer.from(databaseText(server.folder), 'latin1')
  const places = new Map([
    ['the answers', Buffer.from(JSON.stringify(answers))],
    ['the log', Buffer.from(server.lines.join('\n'))],
    ['the database', database],
    ...files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name))] as const),
  ])
  // Were the search wrong, it would find nothing that stands there in plain either.
  expect(places.get('the answers')?.includes('publishable')).toBe(true)
  expect(database.includes(server.credentials.organizationId)).toBe(true)

  expect(secrets.length).toBeGreaterThan(10)
  for (const secret of secrets) {
    for (const encoding of ['utf8', 'hex', 'base64url'] as const) {
      const text = Buffer.from(secret).toString(encoding)
      for (const [place, bytes] of places) expect(bytes.includes(text), `${text} in ${place}`).toBe(false)
    }
  }
})
