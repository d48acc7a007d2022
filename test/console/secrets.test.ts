import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, expect, test } from 'vitest'
import { newUserOf, serverClient } from '../support/clients.ts'
import { logInByFile, openConsole } from '../support/console.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const shownPhrase = `() => document.querySelector('.mantine-Modal-content .code-block, main .code-block[aria-label^="Recovery phrase"]').innerText.trim()`

/** The page has a button of the same name behind the dialog. */
const confirmExport = `() => [...document.querySelectorAll('.mantine-Modal-content button')].find((one) => one.innerText === 'Export').click()`

test('a wallet is imported by its phrase and exported again in the page, and no request holds the phrase', async (context) => {
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  // Notes what leaves the page.
  await page.evaluate(`() => {
    window.sent = []
    const before = window.fetch
    window.fetch = (address, options) => {
      window.sent.push(String(address) + new TextDecoder().decode(options.body ?? new Uint8Array()))
      return before(address, options)
    }
  }`)
  await page.go('/wallets')
  await page.click('Import wallet')
  await page.fill('Name of the wallet', 'Brought along')
  await page.fill('Recovery phrase, 12 to 24 English words', 'only three words')
  await page.evaluate(`() => document.querySelector('form.form').requestSubmit()`)
  await page.shows('A recovery phrase has 12, 15, 18, 21 or 24 words.')
  await page.fill('Recovery phrase, 12 to 24 English words', phrase)
  await page.picture('import_wallet')
  await page.evaluate(`() => document.querySelector('form.form').requestSubmit()`)
  await page.shows('Brought along')
  const { accounts } = await serverClient(server).getWalletAccounts({})
  expect(accounts[0]?.address).toBe(mnemonicToAccount(phrase).address)

  await page.click('Brought along')
  await page.shows('Ethereum')
  await page.click('Export')
  await page.shows('Whoever sees this secret')
  await page.picture('export_wallet')
  await page.evaluate(confirmExport)
  await page.click('Show the secret')
  await page.shows(phrase)
  await page.picture('exported_wallet')
  expect(await page.evaluate(shownPhrase)).toBe(phrase)
  await page.click('Hide the secret')
  const { html, sent } = await page.evaluate<{ html: string; sent: string[] }>(
    `() => ({ html: document.documentElement.outerHTML, sent: window.sent })`,
  )
  expect(html).not.toContain('sausage')
  expect(sent.some((request) => request.includes('export_wallet'))).toBe(true)
  expect(sent.some((request) => request.includes('import_wallet'))).toBe(true)
  expect(sent.filter((request) => request.includes('sausage'))).toEqual([])
})

test('a private key is imported and exported again in the page', async (context) => {
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await page.go('/private-keys')
  await page.click('Import private key')
  await page.fill('Name of the key', 'Cold')
  const key = `0x${'c0ffee'.padStart(64, '1')}` as const
  await page.fill('Private key, 64 hexadecimal digits', key)
  await page.evaluate(`() => document.querySelector('form.form').requestSubmit()`)
  await page.shows('Cold')
  const { privateKeys } = await serverClient(server).getPrivateKeys({})
  expect(privateKeys[0]?.addresses[0]?.address).toBe(privateKeyToAccount(key).address)
  await page.click('Cold')
  await page.click('Export')
  await page.evaluate(confirmExport)
  await page.click('Show the secret')
  await page.shows(key.slice(2))
})

test('an export that waited for approval is opened in the browser that asked for it, until its log-out', async (context) => {
  const own = await organizationOnSharedServer()
  const client = serverClient(own)
  await client.createWallet({ walletName: 'Treasury', accounts: [] })
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
  await serverClient(own, 'spec', credentials).approveActivity({ fingerprint: String(waiting?.fingerprint) })
  await page.click('Open the activity')
  await page.click('Show the secret')
  await page.shows('Hide the secret')
  const words = await page.evaluate<string>(shownPhrase)
  expect(words.split(' ')).toHaveLength(12)

  await page.click('Log out')
  await page.shows('You are logged out.')
  await logInByFile(page, own)
  await page.go(`/activities/${waiting?.id}`)
  await page.click('Show the secret')
  await page.shows('This browser has no longer the key for this export.')
})

test('a bundle that another server signed is not opened', async (context) => {
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await serverClient(server).createWallet({ walletName: 'Other', accounts: [] })
  // A server between page and vault that puts its own key in place of the vault's.
  await page.evaluate(`() => {
    const before = window.fetch
    window.fetch = async (address, options) => {
      if (!String(address).includes('claviger-keys')) return before(address, options)
      return new Response(JSON.stringify({ bundleSigning: { uncompressed: '04' + '11'.repeat(64) } }))
    }
  }`)
  await page.go('/wallets')
  await page.click('Other')
  await page.click('Export')
  await page.evaluate(confirmExport)
  await page.click('Show the secret')
  await page.shows('it was not opened')
})
