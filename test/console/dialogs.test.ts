import { afterAll, beforeAll, expect, test } from 'vitest'
import { ethereumAccount, newUserOf, serverClient } from '../support/clients.ts'
import {
  addPasskeyToAccount,
  type ConsolePage,
  credentialsFile,
  desktop,
  logInByFile,
  openConsole,
  phone,
  setView,
} from '../support/console.ts'
import { axeFindings, cutButtons, loadAxe, press, untilAtRest } from '../support/console_pages.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'

let server: RunningServer
/** The pages and tabs that have dialogs. */
let places: readonly string[]
beforeAll(async () => {
  server = await startRunningServer({ flags: ['--public-url', 'https://keys.example'] })
  places = await furnish(serverClient(server))
})
afterAll(() => server.stop())

const testMsMax = 300_000
const views = [
  { ...desktop, rules: 'all' },
  { ...desktop, colours: 'dark', rules: 'colours' },
  { width: 375, height: 720, colours: 'dark', rules: 'all' },
] as const
/** Rows of a table open the same dialog, each for its own thing. */
const sameLabelMax = 2

/** Makes one of each thing that a dialog is about. Returns the pages that have dialogs, each with its tab from the left. */
async function furnish(client: ReturnType<typeof serverClient>): Promise<readonly string[]> {
  const { userId } = await newUserOf(client, 'Ada')
  const accounts = [ethereumAccount()]
  const { walletId } = await client.createWallet({ walletName: 'Treasury', accounts })
  const key = { privateKeyName: 'Hot', curve: 'CURVE_SECP256K1' as const, privateKeyTags: [] }
  const privateKeys = [{ ...key, addressFormats: ['ADDRESS_FORMAT_ETHEREUM' as const] }]
  const { privateKeys: made } = await client.createPrivateKeys({ privateKeys })
  await client.createUserTag({ userTagName: 'Finance', userIds: [userId] })
  await client.createPrivateKeyTag({ privateKeyTagName: 'Mining', privateKeyIds: [] })
  const policy = { policyName: 'Wallets', effect: 'EFFECT_ALLOW', notes: '' } as const
  const { policyId } = await client.createPolicy({ ...policy, condition: "activity.kind == 'CREATE_WALLET'" })
  await client.createWebhookEndpoint({ name: 'Books', url: 'https://hooks.example.com/in' })
  const any = [{ type: 'AUTHENTICATION_TYPE_API_KEY' as const }]
  await client.createMfaPolicy({
    ...{ userId, mfaPolicyName: 'Exports', condition: "activity.action == 'EXPORT'", order: 0, notes: '' },
    requiredAuthenticationMethods: [{ any }],
  })
  const invitation = { receiverUserName: 'Eve', receiverUserEmail: 'eve@example.com', receiverUserTags: [] }
  await client.createInvitations({
    invitations: [{ ...invitation, accessType: 'ACCESS_TYPE_WEB', senderUserId: server.credentials.userId }],
  })
  const keys = ['/wallets', `/wallets/${walletId}`, '/private-keys', `/private-keys/${made[0]?.privateKeyId}`]
  const tabs = ['/users tab 1', '/private-keys tab 1', '/users tab 2'] // each page after another one
  const people = ['/users', `/users/${userId}`, '/quorum', '/account']
  return [
    ...keys,
    ...people,
    ...tabs,
    `/policies/${policyId}`,
    '/mfa-policies',
    '/ip-allowlist',
    '/webhooks',
    '/settings',
  ]
}

const buttons = `[...document.querySelectorAll('button[aria-haspopup=dialog]')].filter((one) => one.checkVisibility())`

/** Pages on which no button opens a dialog. */
const withoutDialogs = [
  ...['/', '/inbox', '/activities', '/policies', '/policies/new', '/mfa-policies/new', '/sub-organizations'],
]

const isLoading = `() => document.querySelector('.loading') !== null`

/** Goes to a page and its tab, and resolves once they stand in the place of what was there before. */
async function open(page: ConsolePage, place: string): Promise<void> {
  const [path = '', tab] = place.split(' tab ')
  await page.evaluate(`() => document.querySelector('h1')?.setAttribute('data-before', '')`)
  await page.go(path)
  const isThere = `() => document.querySelector('h1:not([data-before])') !== null`
  await expect.poll(() => page.evaluate(isThere), { timeout: 10_000 }).toBe(true)
  await isLoaded(page)
  if (tab !== undefined)
    await page.evaluate(`(index) => document.querySelectorAll('[role=tab]')[index].click()`, Number(tab))
  await untilAtRest(page)
  await isLoaded(page)
}

async function isLoaded(page: ConsolePage): Promise<void> {
  await expect.poll(() => page.evaluate(isLoading), { timeout: 10_000 }).toBe(false)
}

/** Opens each dialog of a page, looks at it, and closes it. Returns the labels of the buttons that opened them. */
async function lookAtDialogs(
  page: ConsolePage,
  place: string,
  look: (label: string) => Promise<void>,
): Promise<readonly string[]> {
  const labels = await page.evaluate<string[]>(`() => ${buttons}.map((one) => one.innerText.trim())`)
  expect(labels, `dialogs of ${place}`).not.toEqual([])
  const opened: string[] = []
  for (const [index, label] of labels.entries()) {
    if (opened.filter((one) => one === label).length >= sameLabelMax) continue
    opened.push(label)
    await page.evaluate(`(index) => ${buttons}[index].click()`, index)
    await expect.poll(() => isOpen(page), { timeout: 10_000 }).toBe(true)
    await isLoaded(page)
    await look(label)
    await press(page, 'Escape', 27)
    await expect.poll(() => isOpen(page), { timeout: 10_000 }).toBe(false)
  }
  return opened
}

const isOpen = (page: ConsolePage) => page.evaluate(`() => document.querySelector('[role=dialog]') !== null`)

test('axe finds nothing in any dialog that a page opens, in light and dark', {
  timeout: testMsMax,
}, async (context) => {
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await addPasskeyToAccount(page)
  await loadAxe(page)
  const opened: string[] = []
  const findings: unknown[] = []
  for (const place of places) {
    await open(page, place)
    const labels = await lookAtDialogs(page, place, async (label) => {
      for (const { rules, ...view } of views) {
        await setView(page.send, view)
        const found = await axeFindings(page, rules)
        if (found.length > 0) findings.push([place, label, view.colours, view.width, ...found])
      }
      await setView(page.send, desktop)
    })
    opened.push(...labels.map((label) => `${place} ${label}`))
  }
  expect(findings).toEqual([])
  expect(opened.length, opened.join('\n')).toBeGreaterThanOrEqual(34)
})

test('no button is cut off on a phone in German, on any page or in any dialog', {
  timeout: testMsMax,
}, async (context) => {
  const page = await openConsole(context, server, { view: phone })
  await page.evaluate(`() => localStorage.setItem('claviger.language', 'de')`)
  await page.reload()
  expect(await cutButtons(page)).toEqual([])
  await page.click('API-Schlüssel')
  await page.upload('credentials.json auswählen', credentialsFile(server))
  await page.shows('Letzte Vorgänge')
  const cut: unknown[] = []
  for (const place of [...places, ...withoutDialogs]) {
    await open(page, place)
    for (const text of await cutButtons(page)) cut.push([place, text])
    if (withoutDialogs.includes(place)) continue
    await lookAtDialogs(page, place, async (label) => {
      for (const text of await cutButtons(page)) cut.push([place, label, text])
    })
  }
  expect(cut).toEqual([])
})
