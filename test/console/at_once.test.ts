import { beforeAll, expect, test } from 'vitest'
import { newUserOf, serverClient } from '../support/clients.ts'
import { addPasskeyToAccount, logInByFile, openConsole, phone } from '../support/console.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

test('two people who approve at once are both answered, and what they approved is done once', async (context) => {
  const root = serverClient(server)
  const grace = await newUserOf(root, 'Grace')
  const paul = await newUserOf(root, 'Paul')
  await root.updateRootQuorum({
    ...{ threshold: 2, userIds: [server.credentials.userId, grace.userId, paul.userId] },
  })
  const people = await Promise.all(
    [server, { ...server, credentials: { ...server.credentials, ...paul.credentials } }].map(async (known) => {
      const page = await openConsole(context, server, { view: phone })
      await logInByFile(page, known)
      await addPasskeyToAccount(page)
      return page
    }),
  )
  const asker = serverClient(server, 'spec', grace.credentials)
  const names = ['First', 'Second', 'Third']
  for (const walletName of names) {
    await asker.createWallet({ walletName, accounts: [] })
    await Promise.all(
      people.map(async (page) => {
        await page.go('/')
        await page.go('/inbox')
        await page.shows(walletName)
        await page.shows('One approval is enough')
      }),
    )
    await Promise.all(people.map((page) => page.click('Approve')))
    // One approval was enough. The other person is told that it was done, or that the vote came too late.
    await Promise.all(people.map((page) => page.shows('Nothing waits')))
    const told = await Promise.all(people.map((page) => page.evaluate<string>(`() => document.body.innerText`)))
    for (const text of told) expect(text).toMatch(/Done\.|already decided by others: Completed\./)
  }
  const { wallets } = await root.getWallets()
  expect(wallets.map(({ walletName }) => walletName).toSorted()).toEqual(names)
  await people[1]?.picture('approved_at_once')
})

test('a passkey that was revoked while its page is open approves nothing, and the page says why', async (context) => {
  const own = await organizationOnSharedServer()
  const root = serverClient(own)
  const page = await openConsole(context, own, { view: phone })
  await logInByFile(page, own)
  await addPasskeyToAccount(page)
  const { userId } = own.credentials
  const grace = await newUserOf(root, 'Grace')
  const { authenticators } = await root.getAuthenticators({ userId })
  await root.updateRootQuorum({ threshold: 2, userIds: [userId, grace.userId] })
  const asker = serverClient(own, 'spec', grace.credentials)
  await asker.createWallet({ walletName: 'Late', accounts: [] })
  await page.go('/inbox')
  await page.shows('One approval is enough')
  // The page knows the passkeys, and the passkey is revoked before the stamp arrives.
  await page.evaluate(`() => {
    const given = globalThis.fetch
    globalThis.fetch = async (url, options) => {
      if (String(url).endsWith('/approve_activity')) await new Promise((resolve) => { globalThis.goOn = resolve })
      return given(url, options)
    }
  }`)
  await page.click('Approve')
  await page.evaluate(`async () => {
    while (globalThis.goOn === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
  }`)
  const authenticatorIds = authenticators.map(({ authenticatorId }) => authenticatorId)
  await root.deleteAuthenticators({ userId, authenticatorIds })
  await page.evaluate(`() => globalThis.goOn()`)
  await page.shows('This did not work')
  await page.picture('revoked_while_open')
  expect((await root.getWallets()).wallets).toEqual([])
  const { activities } = await root.getActivities({ filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] })
  expect(activities.map(({ votes }) => votes.length)).toEqual([1])
})
