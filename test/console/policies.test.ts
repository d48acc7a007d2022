import { beforeAll, expect, test } from 'vitest'
import { newUserOf, serverClient } from '../support/clients.ts'
import { addPasskeyToAccount, type ConsolePage, logInByFile, openConsole } from '../support/console.ts'
import { choose, isSound, press, soundTestMsMax, write } from '../support/console_pages.ts'
import { editorBytesMax, editorLoad } from '../support/console_sizes.ts'
import { organizationOver } from '../support/http_organization.ts'
import { newPolicy } from '../support/organization.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

async function namesOf(client: ReturnType<typeof serverClient>): Promise<readonly string[]> {
  return (await client.getPolicies()).policies.map(({ policyName }) => policyName)
}

const markedText = (page: ConsolePage) =>
  page.evaluate<string>(`async () => {
    for (const end = Date.now() + 10_000; Date.now() < end; ) {
      const marked = document.querySelector('.cm-lintRange-error')
      if (marked !== null) return marked.innerText
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    return 'nothing is marked'
  }`)

test(
  'all of an expression is replaced, with and without a mistake, and brackets close around a selection',
  async (context) => {
    const page = await openConsole(context, server)
    await logInByFile(page, server)
    await page.go('/policies')
    await page.click('New policy')
    const replaceAll = async (text: string) => {
      const all = { type: 'rawKeyDown', key: 'a', code: 'KeyA', windowsVirtualKeyCode: 65, modifiers: 2 }
      await page.send('Input.dispatchKeyEvent', { ...all, commands: ['selectAll'] })
      await page.send('Input.insertText', { text })
    }
    const written = () => page.evaluate<string>(`() => document.activeElement.innerText`)
    await write(page, 'What it is about', "activity.kind = 'CREATE_WALLET'")
    expect(await markedText(page)).toBe('=')
    await replaceAll("activity.kind == 'CREATE_WALLET'")
    await page.hides('Column 15')
    expect(await written()).toBe("activity.kind == 'CREATE_WALLET'")
    await replaceAll("activity.kind != 'CREATE_WALLET'")
    expect(await written()).toBe("activity.kind != 'CREATE_WALLET'")
    await replaceAll('(')
    expect(await written()).toBe("(activity.kind != 'CREATE_WALLET')")
  },
  soundTestMsMax,
)

test('the editor stays within its budget', () => {
  expect(editorLoad().bytes).toBeLessThanOrEqual(editorBytesMax)
})

test(
  'a policy is written with a mistake, mended, simulated, saved, changed, and deleted',
  async (context) => {
    const client = serverClient(server)
    const { credentials } = await newUserOf(client, 'Ada')
    const open = { policyName: 'Everybody makes wallets', effect: 'EFFECT_ALLOW', notes: '' } as const
    await client.createPolicy({ ...open, condition: "activity.kind == 'CREATE_WALLET'" })
    await serverClient(server, 'spec', credentials).createWallet({ walletName: 'Operations', accounts: [] })
    await client.createWallet({ walletName: 'Treasury', accounts: [] })
    const page = await openConsole(context, server)
    await logInByFile(page, server)
    await addPasskeyToAccount(page)
    await page.go('/policies')
    await page.shows('Everybody makes wallets')
    await page.click('New policy')
    await page.fill('Name of the policy', 'Ada makes none')
    await choose(page, 'Denies')

    // The mistake is marked where it is, and nothing is saved.
    await write(page, 'What it is about', "activity.kind = 'CREATE_WALLET'")
    await page.shows('Column 15: found "="; compare with ==')
    expect(await markedText(page)).toBe('=')
    await page.click('Save')
    await page.shows('Mend the marked expressions first.')
    await isSound(page, 'policy_mistake')
    expect(await namesOf(client)).toEqual(['Everybody makes wallets'])

    // Backspaces over the rest, and writes it again.
    await write(page, 'What it is about', '')
    for (let index = 0; index < "= 'CREATE_WALLET'".length; index++) await press(page, 'Backspace', 8)
    await write(page, 'What it is about', "== 'CREATE_WALLET'")
    await write(page, 'Whose requests', 'approvers.')
    await page.shows('filter')
    await isSound(page, 'policy_completion')
    await press(page, 'Escape', 27)
    await write(page, 'Whose requests', "any(user, user.alias == 'Ada')")
    await page.click('Simulate on the last 100 activities')
    await page.shows('1 of 5 activities would have been decided otherwise.')
    await page.click('Show all')
    await page.shows('Create wallet')
    await page.shows('does not match')
    await page.shows('No signing request is known that this denial does not see.')
    await isSound(page, 'policy_simulated')
    await page.click('Save')
    await page.shows('Done.')
    await page.shows('History')
    const policyId = (await client.getPolicies()).policies.at(-1)?.policyId ?? ''
    const { policy } = await client.getPolicy({ policyId })
    expect(policy).toMatchObject({
      policyName: 'Ada makes none',
      effect: 'EFFECT_DENY',
      condition: "activity.kind == 'CREATE_WALLET'",
      consensus: "approvers.any(user, user.alias == 'Ada')",
    })
    const { activities } = await client.getActivities({ filterByType: ['ACTIVITY_TYPE_CREATE_POLICY_V3'] })
    expect(activities[0]?.votes[0]?.scheme).toContain('WEBAUTHN')

    await page.click('Edit')
    await write(page, 'What it is about', " &&\nactivity.resource == 'WALLET'")
    await page.fill('Notes', 'From the board of May')
    await page.click('Save')
    await page.shows('Changed')
    await page.shows("activity.resource == 'WALLET'")
    await isSound(page, 'policy_history')
    const lines = await page.evaluate(
      `() => [...document.querySelectorAll('.difference-line')].map((line) => line.innerText)`,
    )
    expect(lines).toEqual([
      expect.stringMatching(/−\s*activity.kind == 'CREATE_WALLET'/),
      expect.stringMatching(/\+\s*activity.kind == 'CREATE_WALLET' &&/),
      expect.stringMatching(/\+\s*activity.resource == 'WALLET'/),
      expect.stringMatching(/\+\s*From the board of May/),
    ])
    await page.go('/policies')
    await page.shows('From the board of May')
    await isSound(page, 'policies')
    await page.click('Ada makes none')
    await page.click('Delete policy')
    await page.fill('Type Ada makes none to go on', 'Ada makes none')
    await page.evaluate(`() => document.querySelector('.form').requestSubmit()`)
    await page.shows('Everybody makes wallets')
    expect(await namesOf(client)).toEqual(['Everybody makes wallets'])
  },
  soundTestMsMax,
)

test('a template fills a denial, whose gaps are shown and closed', { timeout: soundTestMsMax }, async (context) => {
  const own = await organizationOnSharedServer()
  const client = serverClient(own)
  const page = await openConsole(context, own)
  await logInByFile(page, own)
  await page.go('/policies/new')
  await page.fill('Name of the policy', '<b>Never</b> to them')
  await page.fill('Notes', 'Ask\u202e first')
  await page.evaluate(`() => { document.querySelector('.template-panel').open = true }`)
  await page.evaluate(
    `() => {
      const field = document.querySelector('.template-panel select')
      const { set } = Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value')
      set.call(field, 'recipient')
      field.dispatchEvent(new Event('change', { bubbles: true }))
    }`,
  )
  await page.fill('Address', '0x12')
  await page.click('Add to the policy')
  await page.shows('An Ethereum address: 0x and 40 hex digits.')
  await page.fill('Address', '0x1f9090aaE28b8a3dCeaDf281B0F12828e676c326')
  await page.click('Add to the policy')
  await page.shows("eth.tx.to == '0x1f9090aaE28b8a3dCeaDf281B0F12828e676c326'")
  await isSound(page, 'policy_template')
  await choose(page, 'Denies')
  await page.click('Simulate on the last 100 activities')
  await page.shows('This condition of a second denial denies them')
  await isSound(page, 'policy_gaps')
  await page.click('Save')
  await page.shows('History')
  const [saved] = (await client.getPolicies()).policies
  expect(saved?.condition).toContain("eth.tx.data == '0x' &&\n")
  await page.shows('U+202E')
  await page.shows('New denial with this clause') // the findings come after the policy
  const clause = await page.evaluate<string>(`() => document.querySelector('.finding .expression').innerText`)
  await page.click('New denial with this clause')
  await page.shows('New policy')
  await page.shows(clause)

  await page.evaluate(`() => localStorage.setItem('claviger.language', 'de')`)
  await page.reload()
  await page.shows('Neue Regel')
  await page.go('/policies')
  await page.shows('Verbote, die nicht jede Anfrage sehen')
  await isSound(page, 'policies_german')
  await page.go('/policies/new')
  await write(page, 'Worum es geht', "activity.kind = 'CREATE_WALLET'")
  await page.shows('Spalte 15: Gefunden: "="; verglichen wird mit ==')
  expect(await markedText(page)).toBe('=')
  await page.picture('policy_mistake_german')
})

test('a long history is found over several pages, and what lies further back on demand', {
  timeout: soundTestMsMax,
}, async (context) => {
  const own = await organizationOnSharedServer()
  const { done } = organizationOver(own)
  const made = async () => {
    const { policyId } = await done('create_policy', newPolicy({ policyName: 'New' }))
    return String(policyId)
  }
  const change = async (policyId: string, count: number) => {
    const rest = Array.from({ length: count }, (_, index) => `Version ${index} of ${policyId}`)
    const writer = async () => {
      for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
        await done('update_policy', { policyId, policyName: name })
      }
    }
    await Promise.all(Array.from({ length: 8 }, writer))
  }
  const policyId = await made()
  await change(policyId, 101)
  const page = await openConsole(context, own)
  await logInByFile(page, own)
  const versions = () => page.evaluate<number>(`() => document.querySelectorAll('.versions > li').length`)
  await page.go(`/policies/${policyId}`)
  await expect.poll(versions, { timeout: 10_000 }).toBe(102)
  await page.hides('Older versions were not found')

  // The page looks at the 500 latest activities, of which the other policy now has 401.
  await change(await made(), 400)
  await page.reload()
  await page.shows('Older versions were not found')
  expect(await versions()).toBe(99)
  await page.click('Look further back')
  await expect.poll(versions, { timeout: 10_000 }).toBe(102)
  await page.hides('Older versions were not found')
})
