import axe from 'axe-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serverClient } from '../support/clients.ts'
import { type ConsolePage, desktop, logInByFile, openConsole, setView } from '../support/console.ts'
import { firstLoad, firstLoadBytesMax } from '../support/console_sizes.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startRunningServer()
})
afterAll(() => server.stop())

/** What the browser keeps for the console: the kinds of keys in IndexedDB. */
const keptKeys = (page: ConsolePage) =>
  page.evaluate<{ extractable: boolean; kind: string }[]>(`() => new Promise((resolve, reject) => {
    const request = indexedDB.open('claviger', 1)
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      const all = request.result.transaction('session').objectStore('session').getAll()
      all.onsuccess = () => {
        request.result.close()
        resolve(all.result.map(({ kind, key }) => ({ kind, extractable: key.extractable })))
      }
    }
  })`)

test('a first load stays within its budget', () => {
  expect(firstLoad().bytes).toBeLessThanOrEqual(firstLoadBytesMax)
})

test('logs in with credentials.json, makes a wallet, and leaves no key after the log-out', async (context) => {
  const page = await openConsole(context, server)
  await page.shows('Log in')
  await page.picture('login')
  await logInByFile(page, server)
  expect(await keptKeys(page)).toEqual([{ kind: 'apiKey', extractable: false }])
  await page.go('/wallets')
  await page.click('New wallet')
  await page.fill('Name of the wallet', 'Treasury')
  await page.picture('new_wallet')
  await page.click('Create')
  await page.shows('Done.')
  await page.picture('wallets')
  await page.click('Treasury')
  await page.shows('ethereum'.replace('e', 'E'))
  const { accounts } = await serverClient(server).getWalletAccounts({})
  await page.shows(accounts[0]?.address ?? 'an address')
  await page.picture('wallet')
  await page.click('Log out')
  await page.shows('You are logged out.')
  expect(await keptKeys(page)).toEqual([])
})

test('a passkey that was added opens a session, and a log-out ends it here and at the server', async (context) => {
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await page.go('/account')
  await page.click('Add a passkey of this device')
  await page.fill('Name of the passkey', 'Laptop')
  await page.evaluate(`() => document.querySelector('.form').requestSubmit()`)
  await page.shows('Laptop')
  await page.picture('account')
  await page.click('Log out')
  await page.shows('You are logged out.')

  // A browser that knows no organization finds it by the passkey.
  await page.click('Forget the organizations used in this browser')
  await page.click('Continue with passkey')
  await page.shows('Latest activities')
  expect(await keptKeys(page)).toEqual([{ kind: 'login', extractable: false }])
  const sessions = async () => {
    const { userId } = server.credentials
    const { apiKeys } = await serverClient(server).getApiKeys({ userId })
    return apiKeys.filter(({ credential }) => credential.type === 'CREDENTIAL_TYPE_LOGIN')
  }
  expect(await sessions()).toHaveLength(1)
  await page.click('Log out')
  await page.shows('You are logged out.')
  expect(await keptKeys(page)).toEqual([])
  expect(await sessions()).toEqual([])
})

test('an activity that waits is approved in the inbox by a passkey', async (context) => {
  const own = await startRunningServer()
  try {
    const client = serverClient(own)
    const { userIds } = await client.createUsers({
      users: [{ userName: 'Ada \u202elived', apiKeys: [], authenticators: [], oauthProviders: [], userTags: [] }],
    })
    const page = await openConsole(context, own)
    await logInByFile(page, own)
    await page.go('/users')
    await page.shows('U+202E')
    await page.picture('users')
    expect(userIds).toHaveLength(1)
    await page.go('/inbox')
    await page.shows('Nothing waits')
    await page.picture('inbox_empty')
    await page.go('/activities')
    await page.shows('Create users')
    await page.picture('activities')
    await page.click('Create users')
    await page.shows('Votes and stamps')
    await page.picture('activity')
  } finally {
    await own.stop()
  }
})

describe('axe finds nothing', () => {
  const views = [desktop, { ...desktop, colours: 'dark' }, { width: 375, height: 720, colours: 'light' }] as const
  const pages = ['/', '/inbox', '/activities', '/wallets', '/users', '/account'] as const

  test('on any page, in light and dark and on a narrow screen', async (context) => {
    const page = await openConsole(context, server)
    const findings = async () => {
      for (const view of views) {
        await setView(page.send, view)
        const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
          `() => axe.run(document, { resultTypes: ['violations'] })`,
        )
        const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])
        const at = await page.evaluate<string>(`() => location.hash`)
        expect(found, `${at} ${JSON.stringify(view)}`).toEqual([])
        await page.picture(`axe${at.replaceAll('/', '_')}_${view.width}_${view.colours}`)
      }
    }
    await page.evaluate(`(text) => { (0, eval)(text) }`, axe.source)
    await page.shows('Log in')
    await findings()
    await logInByFile(page, server)
    for (const path of pages) {
      await page.go(path)
      await page.evaluate(`() => new Promise((resolve) => setTimeout(resolve, 200))`)
      await findings()
    }
  })
})
