import { afterAll, beforeAll, expect, test } from 'vitest'
import { ethereumAccount, newUserOf, serverClient } from '../support/clients.ts'
import {
  addPasskeyToAccount,
  type ConsolePage,
  desktop,
  logInByFile,
  openConsole,
  setView,
} from '../support/console.ts'
import { axeFindings, loadAxe, press } from '../support/console_pages.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startRunningServer()
})
afterAll(() => server.stop())

const testMsMax = 300_000
const views = [desktop, { ...desktop, colours: 'dark' }, { width: 375, height: 720, colours: 'dark' }] as const
/** Rows of a table open the same dialog, each for its own thing. */
const sameLabelMax = 2

/** One of each thing that a dialog is about. Returns the pages and tabs that have dialogs. */
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
  const keys = ['/wallets', `/wallets/${walletId}`, '/private-keys', `/private-keys/${made[0]?.privateKeyId}`]
  const tags = ['/private-keys tab Tags', '/users tab Tags']
  const people = ['/users', `/users/${userId}`, '/quorum', '/account']
  return [
    ...keys,
    ...people,
    ...tags,
    `/policies/${policyId}`,
    '/mfa-policies',
    '/ip-allowlist',
    '/webhooks',
    '/settings',
  ]
}

const buttons = `[...document.querySelectorAll('button[aria-haspopup=dialog]')].filter((one) => one.checkVisibility())`

/** Goes to a page, and resolves once it stands in the place of the one before. */
async function open(page: ConsolePage, path: string): Promise<void> {
  await page.evaluate(`() => document.querySelector('h1')?.setAttribute('data-before', '')`)
  await page.go(path)
  const isThere = `() => document.querySelector('h1:not([data-before])') !== null`
  await expect.poll(() => page.evaluate(isThere), { timeout: 10_000 }).toBe(true)
}

/** The labels of the buttons that open a dialog, once the page is loaded. */
async function labelsOn(page: ConsolePage): Promise<readonly string[]> {
  await page.hides('Loading')
  await page.evaluate('() => new Promise((resolve) => setTimeout(resolve, 300))')
  return page.evaluate<string[]>(`() => ${buttons}.map((one) => one.innerText.trim())`)
}

const isOpen = (page: ConsolePage) => page.evaluate(`() => document.querySelector('[role=dialog]') !== null`)

test('axe finds nothing in any dialog that a page opens, in light and dark', {
  timeout: testMsMax,
}, async (context) => {
  const client = serverClient(server)
  const pages = await furnish(client)
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await addPasskeyToAccount(page)
  await loadAxe(page)
  const opened: string[] = []
  const findings: unknown[] = []
  for (const place of pages) {
    const [path = '', tab] = place.split(' tab ')
    await open(page, path)
    if (tab !== undefined) await page.click(tab)
    const labels = await labelsOn(page)
    expect(labels, `dialogs of ${place}`).not.toEqual([])
    for (const [index, label] of labels.entries()) {
      if (labels.slice(0, index).filter((one) => one === label).length >= sameLabelMax) continue
      await page.evaluate(`(index) => ${buttons}[index].click()`, index)
      await expect.poll(() => isOpen(page), { timeout: 10_000 }).toBe(true)
      await page.hides('Loading')
      opened.push(`${place} ${label}`)
      for (const view of views) {
        await setView(page.send, view)
        const found = await axeFindings(page)
        if (found.length > 0) findings.push([place, label, view.colours, view.width, ...found])
      }
      await setView(page.send, desktop)
      await press(page, 'Escape', 27)
      await expect.poll(() => isOpen(page), { timeout: 10_000 }).toBe(false)
    }
  }
  expect(findings).toEqual([])
  expect(opened.length, opened.join('\n')).toBeGreaterThanOrEqual(30)
})
