import { expect, test } from 'vitest'
import { newUserOf, serverClient } from '../support/clients.ts'
import { logInByFile, openConsole } from '../support/console.ts'
import { startRunningServer } from '../support/running_server.ts'

test('the meaning of one activity never stands above the buttons of another', async (context) => {
  const server = await startRunningServer()
  context.onTestFinished(() => server.stop())
  const root = serverClient(server)
  const { userId, credentials } = await newUserOf(root, 'Grace')
  await root.updateRootQuorum({ threshold: 2, userIds: [server.credentials.userId, userId] })
  const asker = serverClient(server, 'spec', credentials)
  const idOf = new Map<string, string>()
  for (const walletName of ['Petty cash', 'Everything']) {
    await asker.createWallet({ walletName, accounts: [] }).catch(() => undefined)
    const [newest] = (await root.getActivities({ paginationOptions: { limit: '1' } })).activities
    idOf.set(walletName, newest?.id ?? '')
  }
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  // The vault takes its time for one of them.
  await page.evaluate(
    `(slowId) => {
      const given = globalThis.fetch
      globalThis.fetch = (url, options) => {
        const isSlow = String(url).endsWith('explain_activity') && new TextDecoder().decode(options.body).includes(slowId)
        return isSlow ? new Promise(() => {}) : given(url, options)
      }
    }`,
    idOf.get('Everything'),
  )
  const isAtActivity = async (name: string) => {
    await page.go(`/activities/${idOf.get(name)}`)
    await page.shows('Fingerprint')
    await page.evaluate(`() => new Promise((resolve) => setTimeout(resolve, 200))`)
  }
  await isAtActivity('Petty cash')
  await page.shows('Petty cash')
  await isAtActivity('Everything')
  await isAtActivity('Petty cash')
  await page.shows('Petty cash')
  await isAtActivity('Everything')
  const shown = await page.evaluate<object>(`() => ({
    meaning: document.querySelector('.meaning')?.innerText ?? 'none',
    canBeApproved: [...document.querySelectorAll('.vote-buttons button')].some((one) => one.innerText === 'Approve' && !one.disabled),
  })`)
  expect(shown).toEqual({ meaning: 'none', canBeApproved: false })
})
