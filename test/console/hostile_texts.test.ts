import { afterAll, beforeAll, expect, test } from 'vitest'
import { ethereumAccount, newUserOf, serverClient } from '../support/clients.ts'
import { type ConsolePage, logInByFile, openConsole, phone } from '../support/console.ts'
import { mailInFolder } from '../support/http_organization.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'
import { generateApiKey } from '../support/stamping.ts'

/** Texts that users set, as an attacker would set them: markup, and names as long as the server takes them. */

const pagesMsMax = 180_000
const longest = 256

/** Markup that would leave a trace: an image that cannot load, and a script beside it. */
const markup = (what: string) => `<img src=x onerror="globalThis.owned='${what}'"><script>owned=1</script> ${what}`
/** A name without a blank at which a line could break. */
const long = (what: string) => what.padEnd(longest, 'n')

let server: RunningServer
beforeAll(async () => {
  server = await startRunningServer({ flags: ['--public-url', 'https://keys.example'] })
})
afterAll(() => server.stop())

/** An organization in which everything that has a text has such a text. Returns the ids that stand in paths. */
async function fillOrganization(client: ReturnType<typeof serverClient>, text: (what: string) => string) {
  const { userTagId } = await client.createUserTag({ userTagName: text('user tag'), userIds: [] })
  const { publicKey } = generateApiKey()
  const apiKeys = [{ apiKeyName: text('API key'), publicKey, curveType: 'API_KEY_CURVE_P256' as const }]
  const user = { userName: text('user'), apiKeys, authenticators: [], oauthProviders: [], userTags: [userTagId] }
  const { userIds } = await client.createUsers({ users: [user] })
  const [userId = ''] = userIds
  const { walletId } = await client.createWallet({ walletName: text('wallet'), accounts: [] })
  await client.createWalletAccounts({ walletId, accounts: [{ ...ethereumAccount(), name: text('account') }] })
  const { privateKeyTagId } = await client.createPrivateKeyTag({
    privateKeyTagName: text('key tag'),
    privateKeyIds: [],
  })
  const key = { privateKeyName: text('private key'), curve: 'CURVE_SECP256K1' as const, addressFormats: [] }
  const { privateKeys } = await client.createPrivateKeys({
    privateKeys: [{ ...key, privateKeyTags: [privateKeyTagId] }],
  })
  const policy = { policyName: text('policy'), effect: 'EFFECT_ALLOW', condition: 'true', consensus: 'true' } as const
  const { policyId } = await client.createPolicy({ ...policy, notes: text('notes') })
  await client.createMfaPolicy({
    ...{ userId, mfaPolicyName: text('MFA policy'), condition: 'true', order: 1, notes: text('MFA notes') },
    requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] }],
  })
  await client.createInvitations({
    invitations: [
      {
        ...{ receiverUserName: text('invited'), receiverUserEmail: 'ada@example.com', receiverUserTags: [] },
        ...{ accessType: 'ACCESS_TYPE_WEB', senderUserId: server.credentials.userId },
      },
    ],
  })
  const root = { userName: text('root'), apiKeys, authenticators: [], oauthProviders: [] }
  const { subOrganizationId } = await client.createSubOrganization({
    ...{ subOrganizationName: text('sub-organization'), rootUsers: [root], rootQuorumThreshold: 1 },
  })
  await client.createWebhookEndpoint({ name: text('webhook'), url: 'https://hooks.example/<script>' })
  return { userId, walletId, privateKeyId: privateKeys[0]?.privateKeyId ?? '', policyId, subOrganizationId }
}

test(
  'show as text on every page and widen none, whatever they are',
  async (context) => {
    const client = serverClient(server)
    const page = await openConsole(context, server, { view: phone })
    const idsOf = new Map([
      [markup, await fillOrganization(client, markup)],
      [long, await fillOrganization(client, long)],
    ])
    for (const [text, ids] of idsOf) {
      await client.updateOrganizationName({ organizationName: text('organization') })
      await page.go('/')
      if (text === markup) await logInByFile(page, server)
      // A page shows for some seconds what it has asked for already.
      else await page.reload()
      const shown: readonly (readonly [string, string])[] = [
        ['/', ''],
        ['/activities', ''],
        ['/users', 'user'],
        [`/users/${ids.userId}`, 'API key'],
        ['/wallets', 'wallet'],
        [`/wallets/${ids.walletId}`, 'account'],
        ['/private-keys', 'private key'],
        [`/private-keys/${ids.privateKeyId}`, 'key tag'],
        ['/policies', 'policy'],
        [`/policies/${ids.policyId}`, 'notes'],
        ['/mfa-policies', 'MFA policy'],
        ['/sub-organizations', ''],
        [`/sub-organizations/${ids.subOrganizationId}`, 'sub-organization'],
        ['/webhooks', 'webhook'],
        ['/settings', 'organization'],
      ]
      for (const [path, what] of shown) {
        await page.go(path)
        if (what !== '') await page.shows(text(what).slice(0, 60))
        await isUnharmed(page, path)
      }
      await page.go('/users')
      await page.click('Tags')
      await page.shows(text('user tag').slice(0, 60))
      await isUnharmed(page, 'tags')
    }
    await page.picture('hostile_users')

    // The invitation names the organization and the person on the page that anybody can open.
    const path = (await mailInFolder(server, 'ada@example.com')).match(/#\/invitation\/\S+/)?.[0] ?? ''
    const invited = await openConsole(context, server, { view: phone, path })
    await invited.shows('in the organization')
    await isUnharmed(invited, 'invitation')
    await invited.picture('hostile_invitation')
  },
  pagesMsMax,
)

async function isUnharmed(page: ConsolePage, path: string): Promise<void> {
  const found = await page.evaluate<object>(`async () => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    return {
      owned: globalThis.owned ?? 'nobody',
      markup: document.querySelectorAll('#root img, body script:not([src])').length,
      isAsWideAsThePhone: document.documentElement.scrollWidth <= innerWidth,
    }
  }`)
  expect(found, path).toEqual({ owned: 'nobody', markup: 0, isAsWideAsThePhone: true })
}

test('a name of 10,000 characters is refused by its field, and one in typed data is cut with its length said', async (context) => {
  const own = await organizationOnSharedServer()
  const client = serverClient(own)
  const name = 'n'.repeat(10_000)
  await expect(client.createWallet({ walletName: name, accounts: [] })).rejects.toThrow(/walletName.*256/s)
  await expect(client.createUserTag({ userTagName: name, userIds: [] })).rejects.toThrow(/userTagName.*256/s)
  expect((await client.getWallets()).wallets).toEqual([])

  const { addresses } = await client.createWallet({ walletName: 'Treasury', accounts: [ethereumAccount()] })
  const { userId, credentials } = await newUserOf(client, 'Grace')
  await client.updateRootQuorum({ threshold: 2, userIds: [own.credentials.userId, userId] })
  const payload = JSON.stringify({
    types: { EIP712Domain: [{ name: 'name', type: 'string' }], Note: [{ name: 'text', type: 'string' }] },
    ...{ primaryType: 'Note', domain: { name }, message: { text: markup('x'.repeat(10_000)) } },
  })
  await serverClient(own, 'spec', credentials).signRawPayload({
    ...{ signWith: addresses[0] ?? '', payload },
    ...{ encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
  })

  const page = await openConsole(context, own, { view: phone })
  await logInByFile(page, own)
  await page.go('/inbox')
  await page.shows('10,000 characters in all')
  await isUnharmed(page, 'inbox')
  await page.picture('hostile_long_name')
  const height = await page.evaluate<number>(`() => document.querySelector('.card').offsetHeight`)
  expect(height).toBeLessThan(4 * phone.height)
})

test('line breaks push no end of a condition or of a signed text out of sight, and the title warns of them', async (context) => {
  const own = await organizationOnSharedServer()
  const client = serverClient(own)
  const { addresses } = await client.createWallet({ walletName: 'Treasury', accounts: [ethereumAccount()] })
  const { userId, credentials } = await newUserOf(client, 'Eve')
  await client.updateRootQuorum({ threshold: 2, userIds: [own.credentials.userId, userId] })
  const eve = serverClient(own, 'spec', credentials)
  const gap = '\n'.repeat(4_700)
  await eve.createPolicy({
    ...{ policyName: 'Pay the shop', effect: 'EFFECT_ALLOW', notes: '' },
    condition: `activity.action == 'SIGN' && eth.tx.data == '0x' && (eth.tx.to == '0x${'b2'.repeat(20)}'${gap}|| true)`,
    consensus: `approvers.any(user, user.id == '${userId}')`,
  })
  await eve.signRawPayload({
    ...{ signWith: addresses[0] ?? '', payload: `Log in to shop.example.${gap}I sell the house to Eve.` },
    ...{ encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' },
  })
  const page = await openConsole(context, own, { view: phone })
  await logInByFile(page, own)
  await page.go('/inbox')
  await page.shows('⟨4,700 line breaks⟩|| true)”')
  await page.shows('“Log in to shop.example.⟨4,700 line breaks⟩I sell the house to Eve.”')
  await page.picture('hostile_gap')
  const shown = await page.evaluate<object>(`() => ({
    warnings: [...document.querySelectorAll('.meaning-title-warning')].map(({ innerText }) => innerText.includes('a gap')),
    tallest: Math.max(...[...document.querySelectorAll('.user-text')].map(({ offsetHeight }) => offsetHeight)) < innerHeight,
  })`)
  expect(shown).toEqual({ warnings: [true, true], tallest: true })
})

test('names that are the same, or look the same, are told apart where one of them is chosen', async (context) => {
  const own = await organizationOnSharedServer()
  const client = serverClient(own)
  for (const userTagName of ['Approvers', 'Appro\u00advers']) await client.createUserTag({ userTagName, userIds: [] })
  const both = [await newUserOf(client, 'Ada'), await newUserOf(client, 'Ada')]
  const page = await openConsole(context, own)
  await logInByFile(page, own)
  await page.go('/policies/new')
  await page.shows('Add from a template')
  await page.evaluate(`() => document.querySelector('.template-panel summary').click()`)
  await page.shows('Approvers · ')
  const options = await page.evaluate<string[]>(
    `() => [...document.querySelectorAll('option')].map(({ text }) => text).filter((text) => text.includes('vers · '))`,
  )
  expect(options.sort()).toEqual([
    expect.stringMatching(/^Approvers · [0-9a-f]{8}…[0-9a-f]{4}$/),
    expect.stringMatching(/^⚠ Appro⟨U\+00AD⟩vers · [0-9a-f]{8}…[0-9a-f]{4}$/),
  ])
  await page.go('/quorum')
  await page.click('Change the quorum')
  for (const { userId } of both) await page.shows(`${userId.slice(0, 8)}…${userId.slice(-4)}`)
  await page.picture('hostile_quorum')
})
