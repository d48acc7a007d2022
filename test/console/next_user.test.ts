import { expect, type TestContext, test } from 'vitest'
import { addAuthenticator } from '../support/browser.ts'
import { newUserOf, serverClient } from '../support/clients.ts'
import { addPasskeyToAccount, type ConsolePage, logInByFile, openConsole } from '../support/console.ts'
import { organizationOver } from '../support/http_organization.ts'
import { keptBy } from '../support/kept_keys.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'
import { generateApiKey } from '../support/stamping.ts'

/** A browser in which one user is logged in, and then another one. */

const confirmExport = `() => [...document.querySelectorAll('.mantine-Modal-content button')].find((one) => one.innerText === 'Export').click()`
const shownPhrase = `() => document.querySelector('main .code-block[aria-label^="Recovery phrase"]').innerText.trim()`
const clickInTab = `(index, name) => {
  const found = [...tabs[index].document.querySelectorAll('button')].find((one) => one.innerText === name)
  found?.click()
  return found !== undefined
}`
const keyLost = 'This browser has no longer the key for this export.'

type Asked = {
  readonly own: ReachableServer
  readonly page: ConsolePage
  /** The path of the activity. */
  readonly path: string
  readonly eveLink: string
  readonly approve: () => Promise<unknown>
}

/** The root user asks for the export of a wallet in a browser. It waits for Paul. */
async function askForExport(context: TestContext): Promise<Asked> {
  const own = await organizationOnSharedServer()
  const client = serverClient(own)
  await client.createWallet({ walletName: 'Treasury', accounts: [] })
  const eveLink = await linkForEve(own)
  const { userId, credentials } = await newUserOf(client, 'Paul')
  await client.updateRootQuorum({ threshold: 2, userIds: [own.credentials.userId, userId] })
  const page = await openConsole(context, own)
  await logInByFile(page, own)
  await page.go('/wallets')
  await page.click('Treasury')
  await page.click('Export')
  await page.evaluate(confirmExport)
  await page.shows('The export waits for approvals.')
  const { activities } = await client.getActivities({ filterByType: ['ACTIVITY_TYPE_EXPORT_WALLET'] })
  const [waiting] = activities
  return {
    ...{ own, page, eveLink, path: `/activities/${waiting?.id}` },
    approve: () => serverClient(own, 'spec', credentials).approveActivity({ fingerprint: `${waiting?.fingerprint}` }),
  }
}

/** The path of a link that makes a passkey for Eve, who may do nothing but read. */
async function linkForEve(own: ReachableServer): Promise<string> {
  const eve = await newUserOf(serverClient(own), 'Eve')
  const link = generateApiKey()
  const asEve = organizationOver({ url: own.url, credentials: { ...own.credentials, ...eve.credentials } })
  await asEve.done('create_passkey_link', { userId: eve.userId, publicKey: link.publicKey })
  return `/passkey/${own.credentials.organizationId}/${eve.userId}/${link.privateKeyHex}`
}

/** Has the passkey of the page log in, at a session that is about to end. */
async function renew(page: ConsolePage): Promise<void> {
  await page.evaluate(`async () => {
    const done = (request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    const database = await done(indexedDB.open('claviger'))
    const store = () => database.transaction('session', 'readwrite').objectStore('session')
    const session = await done(store().get('current'))
    await done(store().put({ ...session, expiresAtMs: Date.now() + 240_000 }, 'current'))
    database.close()
  }`)
  await page.reload()
  await page.click('Renew with passkey')
}

test('the next user of a browser, who comes by a link, finds nothing of the one before, in no tab', async (context) => {
  const { page, path, eveLink, approve } = await askForExport(context)
  await approve()
  await page.go(path)
  await page.click('Show the secret')
  await page.shows('Hide the secret')
  const phrase = await page.evaluate<string>(shownPhrase)
  expect(phrase.split(' ')).toHaveLength(12)
  // Another tab shows it too, and a third one has a phrase in a form.
  const shown = async (condition: string, ...args: readonly unknown[]) =>
    expect.poll(() => page.evaluate(condition, ...args), { timeout: 10_000 }).toBe(true)
  await page.evaluate(`(path) => { globalThis.tabs = [window.open('/#' + path), window.open('/#/wallets')] }`, path)
  await shown(clickInTab, 0, 'Show the secret')
  await shown(`(phrase) => tabs[0].document.body.innerText.includes(phrase)`, phrase)
  await shown(clickInTab, 1, 'Import wallet')
  await shown(`() => tabs[1].document.querySelector('textarea') !== null`)
  await page.evaluate(`() => {
    tabs[1].document.querySelector('textarea').focus()
    tabs[1].document.execCommand('insertText', false, 'typed by the root user')
  }`)
  await shown(`() => tabs[1].document.querySelector('textarea').value === 'typed by the root user'`)

  await page.go(eveLink)
  await page.shows('Eve')
  await page.click('Make the passkey')
  await page.shows('Latest activities')
  await shown(`() => tabs.every((tab) => tab.document.querySelector('.session-name')?.innerText === 'Eve')`)
  await shown(`(phrase) => !tabs[0].document.body.innerText.includes(phrase)`, phrase)
  await shown(`() => tabs[1].document.querySelector('textarea') === null`)
  expect((await keptBy(page)).entries).toBe(1) // her session
  await page.go(path)
  await page.click('Show the secret')
  await page.shows(keyLost)
})

test('a session is renewed by its own user alone, who keeps the key of an export that waits', async (context) => {
  const { own, page, path, eveLink, approve } = await askForExport(context)
  await page.click('Close')
  await addPasskeyToAccount(page)
  await renew(page)
  await page.hides('Renew with passkey')
  await approve()
  await page.go(path)
  await page.click('Show the secret')
  await page.shows('Hide the secret')
  await page.click('Log out')
  await page.shows('You are logged out.')

  await page.send('WebAuthn.disable', {})
  await addAuthenticator(page)
  await page.go(eveLink)
  await page.click('Make the passkey')
  await page.shows('Latest activities')
  await page.click('Log out')
  await page.shows('You are logged out.')
  await logInByFile(page, own)
  await renew(page)
  await page.shows('This passkey belongs to another user')
  expect(await page.evaluate(`() => document.querySelector('.session-name').innerText`)).toBe('Root user')
})

test('a passkey of another organization than the chosen one logs in to none', async (context) => {
  const own = await organizationOnSharedServer()
  const other = await organizationOnSharedServer()
  const page = await openConsole(context, own)
  await page.go(await linkForEve(own))
  await page.click('Make the passkey')
  await page.shows('Latest activities')
  await page.click('Log out')
  await page.shows('You are logged out.')
  await page.choose('Organization', 'Another organization')
  await page.fill('Organization ID', other.credentials.organizationId)
  await page.click('Continue with passkey')
  await page.shows('This passkey belongs to another organization.')
  await page.choose('Organization', 'Find it by the passkey')
  await page.click('Continue with passkey')
  await page.shows('Latest activities')
})
