import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { serverClient } from '../support/clients.ts'
import { logInByFile, openConsole } from '../support/console.ts'
import { type ReachableServer, startRunningServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'
import { startReceiver } from '../support/webhook_receiver.ts'

const phone = { width: 375, height: 720, colours: 'dark' } as const

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

test('an IP allowlist without the own address is not saved before the name of the organization is typed', async (context) => {
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await page.go('/ip-allowlist')
  await page.shows('Requests may come from every address.')
  await page.click('Edit the list')
  await page.fill('Ranges', '203.0.113.0/24 Office')
  await page.click('Save')
  await page.shows('You would lock yourself out: the list lacks 127.0.0.1')
  await page.picture('allowlist_lockout')
  const rules = async () => (await serverClient(server).getIpAllowlist({})).allowlist?.rules
  expect(await rules()).toEqual([])
  expect(
    await page.evaluate(
      `() => [...document.querySelectorAll('button')].find((one) => one.innerText === 'Save all the same').disabled`,
    ),
  ).toBe(true)
  await page.fill('Ranges', '203.0.113.0/24 Office\n127.0.0.1/32 This machine')
  await page.click('Save')
  await page.shows('This machine')
  await page.picture('allowlist')
  expect(await rules()).toMatchObject([{ label: 'Office' }, { cidr: '127.0.0.1/32' }])
  await page.click('Remove the list')
  await page.fill('Type My organization to go on', 'My organization')
  await page.evaluate(`() => document.querySelector('.form').requestSubmit()`)
  await page.shows('Requests may come from every address.')
  expect(await rules()).toEqual([])
})

test('the organization is renamed, and features are switched on and off', async (context) => {
  const page = await openConsole(context, server, { view: phone })
  await logInByFile(page, server)
  await page.go('/settings')
  await page.shows('Origins of passkeys')
  await page.picture('settings')
  const features = async () => (await serverClient(server).getOrganizationConfigs({})).configs.features
  expect(await features()).not.toContainEqual(expect.objectContaining({ name: 'FEATURE_NAME_WEBAUTHN_ORIGINS' }))
  await page.click('Edit')
  await page.fill('Value', server.url.replace('127.0.0.1', 'localhost'))
  await page.click('Save')
  await page.shows('Done.')
  expect(await features()).toContainEqual(expect.objectContaining({ name: 'FEATURE_NAME_WEBAUTHN_ORIGINS' }))
  await page.click('Rename')
  await page.fill('Name', 'Keys of Ada')
  await page.click('Save')
  await page.shows('Keys of Ada')
})

test('a webhook is made, paused and deleted', async (context) => {
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await page.go('/webhooks')
  await page.shows('No webhooks')
  await page.click('New webhook')
  await page.fill('Name', 'Ledger')
  await page.fill('Address', 'https://ledger.example/events')
  await page.click('Create')
  await page.click('Pause')
  await page.shows('Paused')
  await page.picture('webhooks')
  await page.click('Ledger')
  await page.shows('Nothing failed.')
  await page.picture('webhook')
  await page.click('All webhooks')
  await page.click('Delete')
  await page.fill('Type Ledger to go on', 'Ledger')
  await page.click('Delete webhook')
  await page.shows('No webhooks')
})

test('an event that a receiver refused is shown with the reason, and sent again', async (context) => {
  const receiver = await startReceiver((_, count) => ({ status: count === 1 ? 400 : 204 }))
  const own = await startRunningServer({ flags: ['--ca-file', receiver.caFile] })
  onTestFinished(() => own.stop())
  const page = await openConsole(context, own, { view: phone })
  await logInByFile(page, own)
  await page.go('/webhooks')
  await page.click('New webhook')
  await page.fill('Name', 'Ledger')
  await page.fill('Address', receiver.url)
  await page.click('Create')
  await page.shows('Ledger')
  await serverClient(own).createWallet({ walletName: 'Treasury', accounts: [] })
  await expect.poll(() => own.complaints.join('\n'), { timeout: 20_000 }).toContain('refuses events')
  await page.click('Ledger')
  await page.shows('Send again')
  await page.shows('400')
  await page.picture('webhook_failed')
  await page.click('Send again')
  // The event of the request to send again comes before it or after it.
  const [first, ...later] = (await receiver.got(3)).map(({ body }) => JSON.parse(body.toString()))
  expect(later).toContainEqual(first)
  await page.hides('400')
})

test('a sub-organization is found by its name and shown', async (context) => {
  const client = serverClient(server)
  const { subOrganizationId } = await client.createSubOrganization({
    subOrganizationName: 'Customer 7',
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: 'Grace',
        apiKeys: [],
        authenticators: [],
        oauthProviders: [],
        userEmail: 'grace@example.com',
      },
    ],
  })
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await page.go('/sub-organizations')
  await page.fill('Exact text', 'Customer 8')
  await page.click('Search')
  await page.shows('None has exactly this text.')
  await page.fill('Exact text', 'Customer 7')
  await page.click('Search')
  await page.click(subOrganizationId)
  await page.shows('Customer 7')
  await page.shows('grace@example.com')
  await page.picture('sub_organization')
})
