import { expect, type TestContext, test } from 'vitest'
import { newUserOf, serverClient } from '../support/clients.ts'
import { logInByFile, openConsole } from '../support/console.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

/** Two activities that wait for the user of the page, by their names. */
async function openWithWaiting(context: TestContext) {
  const server = await organizationOnSharedServer()
  const root = serverClient(server)
  const { userId, credentials } = await newUserOf(root, 'Grace')
  await root.updateRootQuorum({ threshold: 2, userIds: [server.credentials.userId, userId] })
  const asker = serverClient(server, 'spec', credentials)
  const idOf = new Map<string, string>()
  for (const walletName of ['Petty cash', 'Everything']) {
    await asker.createWallet({ walletName, accounts: [] })
    const [newest] = (await root.getActivities({ paginationOptions: { limit: '1' } })).activities
    idOf.set(walletName, newest?.id ?? '')
  }
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  const shown = () =>
    page.evaluate<object>(`() => ({
      meaning: document.querySelector('.meaning')?.innerText ?? 'none',
      canBeApproved: [...document.querySelectorAll('.vote-buttons button')].some((one) => one.innerText === 'Approve' && !one.disabled),
    })`)
  return { page, idOf, shown }
}

test('the meaning of one activity never stands above the buttons of another', async (context) => {
  const { page, idOf, shown } = await openWithWaiting(context)
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
  expect(await shown()).toEqual({ meaning: 'none', canBeApproved: false })
})

test('an activity that cannot be explained can be rejected, and approved once it is', async (context) => {
  const { page, idOf, shown } = await openWithWaiting(context)
  await page.evaluate(`() => {
    const given = globalThis.fetch
    const refusal = () => new Response(JSON.stringify({ code: 13, message: 'no', details: [] }), { status: 500 })
    globalThis.fetch = async (url, options) => {
      const isRefused = !globalThis.explains && String(url).endsWith('explain_activity')
      return isRefused ? refusal() : given(url, options)
    }
  }`)
  await page.go(`/activities/${idOf.get('Everything')}`)
  await page.shows('Reject')
  await page.shows('Try again')
  expect(await shown()).toEqual({ meaning: 'none', canBeApproved: false })
  await page.evaluate(`() => void (globalThis.explains = true)`)
  await page.click('Try again')
  await page.shows('Who decides')
  expect(await shown()).toMatchObject({ canBeApproved: true })
})

test('an activity that the vault could not explain is shown as it was stamped, below a warning', async (context) => {
  const { page, idOf, shown } = await openWithWaiting(context)
  const title = { code: 'create_wallet', values: [], warnings: [{ kind: 'note', code: 'notExplained' }] }
  const explanation = {
    ...{ activityId: '', organizationId: '', type: '', status: '', title },
    sections: [{ kind: 'warnings', rows: title.warnings.map((value) => ({ label: 'warning', value })) }],
  }
  await page.evaluate(
    `(explanation) => {
      const given = globalThis.fetch
      globalThis.fetch = async (url, options) =>
        String(url).endsWith('explain_activity') ? new Response(JSON.stringify({ explanation })) : given(url, options)
    }`,
    explanation,
  )
  await page.go(`/activities/${idOf.get('Everything')}`)
  await page.shows('this request could not be explained')
  await page.shows('"walletName": "Everything"')
  expect(await shown()).toMatchObject({ canBeApproved: true })
})
