import { verifyMessage } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { serverClient } from '../support/clients.ts'
import { logInByFile, openConsole } from '../support/console.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

test('an account is derived at the next free path, shown as a QR code, and signs a message that viem verifies', async (context) => {
  const client = serverClient(server)
  const { walletId } = await client.createWallet({ walletName: 'Treasury', accounts: [] })
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await page.go(`/wallets/${walletId}`)
  await page.click('Derive an account')
  await page.fill('Name of the account, if any', 'Payroll')
  await page.picture('derive')
  await page.click('Create')
  await page.shows('Payroll')
  await page.click('Derive an account')
  await page.choose('Chain', 'Ethereum')
  await page.click('Create')
  await page.shows("m/44'/60'/0'/0/1")
  const { accounts } = await client.getWalletAccounts({ walletId })
  expect(accounts.map(({ path }) => path)).toEqual(["m/44'/60'/0'/0/0", "m/44'/60'/0'/0/1"])
  const [{ address = '' } = {}] = accounts

  await page.click('QR code')
  await page.shows(address)
  const named = await page.evaluate<string>(`async () => {
    while (document.querySelector('.qr-code') === null) await new Promise((resolve) => setTimeout(resolve, 20))
    return document.querySelector('.qr-code').getAttribute('aria-label')
  }`)
  expect(named).toContain(address)
  await page.picture('address_code')
  await page.evaluate(`() => document.querySelector('.form').requestSubmit()`)

  await page.click('Sign a message')
  const message = 'Grüße from the treasury'
  await page.fill('Message', message)
  await page.click('Sign')
  await page.shows('Close')
  await page.picture('sign_message')
  const signature = await page.evaluate<`0x${string}`>(
    `() => document.querySelector('.made-link-text pre').textContent`,
  )
  expect(await verifyMessage({ address: address as `0x${string}`, message, signature })).toBe(true)
})

test('a private key is made with a tag, and the server says why it may not be deleted', async (context) => {
  const client = serverClient(server)
  await client.createPrivateKeyTag({ privateKeyTagName: 'Cold', privateKeyIds: [] })
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await page.go('/private-keys')
  await page.shows('No private keys')
  await page.click('New private key')
  await page.fill('Name of the key', 'Old vault')
  await page.choose('Chain', 'Solana')
  await page.check('Cold')
  await page.picture('new_private_key')
  await page.click('Create')
  await page.click('Old vault')
  await page.shows('Addresses')
  await page.picture('private_key')
  const { privateKeys } = await client.getPrivateKeys()
  expect(privateKeys).toMatchObject([{ privateKeyName: 'Old vault', privateKeyTags: [expect.any(String)] }])
  await page.click('Remove the tag Cold')
  await page.shows('No tags')
  await page.evaluate(
    `() => [...document.querySelectorAll('button')].find((one) => one.innerText === 'Delete private key').click()`,
  )
  await page.fill('Type Old vault to go on', 'Old vault')
  await page.evaluate(`() => document.querySelector('.form').requestSubmit()`)
  await page.shows('This did not work')
  expect((await client.getPrivateKeys()).privateKeys).toHaveLength(1)
})
