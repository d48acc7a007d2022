import { afterAll, beforeAll, expect, test } from 'vitest'
import { serverClient } from '../support/clients.ts'
import { type ConsolePage, openConsole } from '../support/console.ts'
import { mailInFolder } from '../support/http_organization.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'

const phone = { width: 375, height: 720, colours: 'light' } as const

let server: RunningServer
beforeAll(async () => {
  server = await startRunningServer({ flags: ['--public-url', 'https://keys.example'] })
})
afterAll(() => server.stop())

const address = (page: ConsolePage) => page.evaluate<string>('() => location.href')

test('the printed link makes a passkey and logs in with it, once', async (context) => {
  const link = server.lines.join('\n').match(/http:\S+\/#\/first-start\/\S+/)?.[0] ?? ''
  const page = await openConsole(context, server, { view: phone, path: new URL(link).hash })
  await page.shows('Root user')
  await page.shows('My organization')
  // Both names may be chosen by anybody, so the ids stand beside them.
  const { userId, organizationId } = server.credentials
  for (const id of [userId, organizationId]) await page.shows(`${id.slice(0, 8)}…${id.slice(-4)}`)
  expect(await address(page)).toBe(`${new URL(link).origin}/#/`)
  await page.picture('first_start')
  await page.fill('Name of the passkey', 'Laptop')
  await page.click('Make the passkey')
  await page.shows('Latest activities')
  expect(await address(page)).toBe(`${new URL(link).origin}/#/`)
  const { authenticators } = await serverClient(server).getAuthenticators({ userId })
  expect(authenticators).toMatchObject([{ authenticatorName: 'Laptop' }])

  // It is refused before a second passkey is made. The session stays as it is, and the address bar is without a key.
  await page.go(new URL(link).hash.slice(1))
  await page.shows('This link was used or has expired.')
  expect(await address(page)).toBe(`${new URL(link).origin}/#/`)
  await page.picture('first_start_refused')
  await page.click('Go on without the link')
  await page.shows('Latest activities')
})

test('a link that lost its end is refused in words', async (context) => {
  const page = await openConsole(context, server, { view: phone })
  await page.go(`/first-start/${server.credentials.organizationId}/`)
  await page.shows('This link is not complete.')
  await page.click('Go on without the link')
  await page.shows('Log in')
})

test('the link of an invitation makes the person a user, who is logged in', async (context) => {
  const { userId } = server.credentials
  const invitation = { receiverUserName: 'Ada', receiverUserEmail: 'ada@example.com', receiverUserTags: [] }
  await serverClient(server).createInvitations({
    invitations: [{ ...invitation, accessType: 'ACCESS_TYPE_WEB', senderUserId: userId }],
  })
  const path = (await mailInFolder(server, 'ada@example.com')).match(/#\/invitation\/\S+/)?.[0] ?? ''
  const page = await openConsole(context, server, { path })
  await page.shows('Ada')
  await page.picture('invitation')
  await page.click('Make the passkey')
  await page.shows('Latest activities')
  await page.go(`/${path.slice(2)}`)
  await page.shows('This invitation was accepted or withdrawn, or has expired.')
})
