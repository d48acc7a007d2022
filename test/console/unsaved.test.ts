import { beforeAll, expect, test } from 'vitest'
import { type ConsolePage, logInByFile, openConsole } from '../support/console.ts'
import { isSound, soundTestMsMax, write } from '../support/console_pages.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

const question = 'Leave without saving?'
const pathOf = (page: ConsolePage) => page.evaluate<string>('() => location.hash')
const typedName = (page: ConsolePage) => page.evaluate<string>(`() => document.querySelector('form input').value`)

/** Answers the browser's own question before the page is loaded anew. */
async function stayAtReload(page: ConsolePage): Promise<void> {
  const loadedAnew = page.send('Page.reload', {}).catch(() => undefined)
  const answer = () => page.send('Page.handleJavaScriptDialog', { accept: false }).then(() => true)
  await expect.poll(() => answer().catch(() => false), { timeout: 10_000 }).toBe(true)
  await loadedAnew
}

test(
  'a policy with unsaved text is left only on purpose, by links, by the back button and by a reload',
  async (context) => {
    const page = await openConsole(context, server)
    await logInByFile(page, server)
    await page.go('/policies')
    await page.click('New policy')
    await page.shows('Name of the policy')
    await page.click('Wallets')
    await page.shows('New wallet')
    await page.click('Policies')
    await page.click('New policy')
    await page.fill('Name of the policy', 'Draft')

    await page.click('Wallets')
    await page.shows(question)
    await isSound(page, 'unsaved')
    await page.click('Cancel')
    await page.hides(question)
    await page.evaluate('() => history.back()')
    await page.shows(question)
    await page.click('Cancel')
    await page.hides(question)
    await expect.poll(() => pathOf(page), { timeout: 10_000 }).toBe('#/policies/new')
    await stayAtReload(page)
    expect([await pathOf(page), await typedName(page)]).toEqual(['#/policies/new', 'Draft'])

    await page.click('Wallets')
    await page.shows(question)
    await page.click('Leave')
    await page.shows('New wallet')
    expect(await pathOf(page)).toBe('#/wallets')
  },
  soundTestMsMax,
)

test('an MFA policy asks too, and an expression alone is text', async (context) => {
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await page.go('/mfa-policies/new')
  await write(page, 'For which activities', "activity.resource == 'POLICY'")
  await page.click('Users')
  await page.shows(question)
  await page.click('Leave')
  await page.shows('Invite a person')
})

test('a list of IP ranges asks when its tab is loaded anew', async (context) => {
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await page.go('/ip-allowlist')
  await page.click('Edit the list')
  await page.fill('Ranges', '10.0.0.0/8')
  await stayAtReload(page)
  await page.shows('Ranges')
})
