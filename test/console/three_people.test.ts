import { parseEther, parseTransaction, recoverTransactionAddress, serializeTransaction } from 'viem'
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest'
import { newUserOf, serverClient } from '../support/clients.ts'
import { type ConsolePage, openConsole, phone } from '../support/console.ts'
import { mailInFolder } from '../support/http_organization.ts'
import { keptBy } from '../support/kept_keys.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'

/**
 * Three people, each with a browser and an authenticator of their own, from the printed link to a recovered passkey.
 * `npm run pictures` runs this file: its pictures are those of the documentation.
 */

const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
/** Narrow, so that what it shows can be read in a document. */
const laptop = { width: 1_040, height: 780, colours: 'light' } as const
const storyMsMax = 180_000

let server: RunningServer
beforeAll(async () => {
  server = await startRunningServer({ flags: ['--public-url', 'https://keys.example'] })
})
afterAll(() => server.stop())

const unsignedPayment = (nonce: number, ether: string) =>
  serializeTransaction({
    ...{ type: 'eip1559', chainId: 1, nonce, gas: 21_000n, to, value: parseEther(ether) },
    ...{ maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
  } as const)

test(
  'three people begin with a link, pay by two approvals, and recover a lost passkey by the quorum',
  async (context) => {
    // The operator opens the link that the server printed.
    const link = server.lines.join('\n').match(/http:\S+\/#\/first-start\/\S+/)?.[0] ?? ''
    const operator = await openConsole(context, server, { view: laptop, path: new URL(link).hash })
    await operator.shows('My organization')
    await operator.picture('first_start', 'view')
    await makePasskey(operator, 'Laptop')

    await operator.go('/users')
    await operator.click('Tags')
    await operator.click('New tag')
    await operator.fill('Name of the tag', 'Finance')
    await operator.click('Create')
    await operator.shows('Finance')
    const ada = await join(context, operator, 'Ada')
    const ben = await join(context, operator, 'Ben')

    await operator.go('/wallets')
    await operator.click('New wallet')
    await operator.fill('Name of the wallet', 'Treasury')
    await operator.click('Create')
    await operator.click('Treasury')
    await operator.shows('Ethereum')
    const client = serverClient(server)
    const [{ address = '', walletId = '' } = {}] = (await client.getWalletAccounts({})).accounts
    const shop = await programThatAsks(client)

    await operator.go('/quorum')
    await operator.click('Change the quorum')
    await operator.check('Ada')
    await operator.check('Ben')
    await operator.choose('Approvals needed', '2 of 3')
    await operator.click('Save')
    await operator.shows('2 of 3')

    // A program asks for a payment. Both approve it on their phones.
    await shop.signTransaction(paymentOf(address, unsignedPayment(0, '1.5')))
    await ada.go('/inbox')
    await ada.shows(`Send 1.5 ETH to ${to}`)
    await ada.shows('Asked by “Shop”')
    await ada.shows('More than one approval is missing')
    await ada.picture('payment', 'view')
    await ada.click('Approve')
    await ada.shows('Approved. It waits for more approvals.')
    await ben.go('/inbox')
    await ben.shows(`Send 1.5 ETH to ${to}`)
    await ben.click('Approve')
    await ben.shows('Nothing waits')
    const [paid] = await paymentsOf(client)
    expect(paid?.status).toBe('ACTIVITY_STATUS_COMPLETED')
    expect(paid?.votes.map(({ scheme }) => scheme).filter((scheme) => scheme.includes('WEBAUTHN'))).toHaveLength(2)
    await expectPayment(paid?.result.signTransactionResult?.signedTransaction, address, '1.5')

    // One rejects another, which ends it for all.
    await shop.signTransaction(paymentOf(address, unsignedPayment(1, '900')))
    await ben.go('/')
    await ben.go('/inbox')
    await ben.shows(`Send 900 ETH to ${to}`)
    await ben.click('Reject')
    await ben.shows('Rejected.')
    await ada.go('/activities')
    await ada.shows('Rejected')
    const [rejected] = await paymentsOf(client)
    expect(rejected).toMatchObject({ status: 'ACTIVITY_STATUS_REJECTED', result: {} })

    // Ada asks for one herself, on the page of the wallet. One other is enough.
    await ada.go(`/wallets/${walletId}`)
    await ada.click('Sign a transaction')
    await ada.fill('Unsigned transaction', unsignedPayment(1, '0.25'))
    await ada.picture('ask', 'view')
    await ada.click('Sign')
    await ada.shows('Submitted. It waits for approvals.')
    await ben.shows(`Send 0.25 ETH to ${to}`)
    await ben.click('Approve')
    await ben.shows('Nothing waits')
    const [asked] = await paymentsOf(client)
    await expectPayment(asked?.result.signTransactionResult?.signedTransaction, address, '0.25')
    await operator.go('/')
    await operator.shows('Latest activities')
    await operator.shows('Nothing waits for your approval.')
    await operator.picture('overview', 'view')

    // Ada loses the phone. The operator makes a link, Ben approves it, and Ada opens it on a new phone.
    const { users } = await client.getUsers()
    const adaId = users.find(({ userName }) => userName === 'Ada')?.userId ?? ''
    await operator.go(`/users/${adaId}`)
    await operator.click('Link for a passkey')
    // Ada cannot read mail without the phone.
    await operator.check('Mail the link to ada@example.com')
    await operator.click('Make the link')
    await operator.shows('The link works once the others have approved.')
    await operator.hides('Loading')
    await operator.picture('lost_passkey', 'view')
    const path = await operator.evaluate<string>(
      `() => document.querySelector('.made-link pre').textContent.replace(/^[^#]*/, '')`,
    )
    await ben.shows('Create passkey link: “Ada”')
    await ben.picture('approve_recovery', 'view')
    await ben.click('Approve')
    await ben.shows('Nothing waits')
    const newPhone = await openConsole(context, server, { view: phone, path })
    await newPhone.shows('Ada')
    await makePasskey(newPhone, 'New phone')

    // The lost passkey goes, and the session that it opened with it. Somebody finds the phone, and it opens nothing.
    await newPhone.go('/account')
    await deleteRow(newPhone, 'Phone', 'Delete passkey')
    await ada.go('/inbox')
    await ada.shows('The server no longer accepts this session.')
    await ada.click('Continue with passkey')
    await ada.shows('This did not work')
    expect(await keptBy(ada)).toMatchObject({ keys: [], entries: 0 })

    // A log-out leaves no key, in no database or storage of the browser.
    expect((await keptBy(newPhone)).keys).toEqual([{ kind: 'login', extractable: false }])
    await logOutOnPhone(newPhone)
    const left = await keptBy(newPhone)
    expect(left).toMatchObject({ keys: [], entries: 0 })
    expect(left.texts).not.toMatch(/[0-9a-f]{64}/)
    const { apiKeys } = await client.getApiKeys({ userId: adaId })
    expect(apiKeys.filter(({ credential }) => credential.type === 'CREDENTIAL_TYPE_LOGIN')).toEqual([])
  },
  storyMsMax,
)

async function makePasskey(page: ConsolePage, name: string): Promise<void> {
  await page.fill('Name of the passkey', name)
  await page.click('Make the passkey')
  await page.shows('Latest activities')
}

/** Invites a person, who opens the link of the mail on a phone and registers a passkey there. */
async function join(context: TestContext, operator: ConsolePage, name: string): Promise<ConsolePage> {
  const email = `${name.toLowerCase()}@example.com`
  await operator.click('Invite a person')
  await operator.fill('Name of the person', name)
  await operator.fill('E-mail', email)
  await operator.check('Finance')
  if (name === 'Ada') await operator.picture('invite', 'view')
  await operator.click('Send the invitation')
  await operator.hides('Send the invitation')
  const path = (await mailInFolder(server, email)).match(/#\/invitation\/\S+/)?.[0] ?? ''
  const person = await openConsole(context, server, { view: phone, path })
  await person.shows(name)
  if (name === 'Ada') await person.picture('join', 'view')
  await makePasskey(person, 'Phone')
  return person
}

/** A program that may ask for payments, which two people with the tag Finance approve. */
async function programThatAsks(client: ReturnType<typeof serverClient>) {
  const { userTags } = await client.listUserTags()
  const { credentials } = await newUserOf(client, 'Shop')
  await client.createPolicy({
    policyName: 'Payments need two of Finance',
    effect: 'EFFECT_ALLOW',
    consensus: `approvers.filter(user, user.tags.contains('${userTags[0]?.tagId}')).count() >= 2`,
    condition: "activity.kind == 'SIGN_TRANSACTION'",
    notes: '',
  })
  const program = serverClient(server, 'spec', credentials)
  return {
    /** The client takes an activity that waits for an error. */
    signTransaction: (parameters: Parameters<typeof program.signTransaction>[0]) =>
      program.signTransaction(parameters).catch(() => undefined),
  }
}

const paymentOf = (signWith: string, unsignedTransaction: string) =>
  ({ signWith, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction }) as const

/** The latest first. */
async function paymentsOf(client: ReturnType<typeof serverClient>) {
  return (await client.getActivities({ filterByType: ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2'] })).activities
}

async function expectPayment(signed: string | undefined, from: string, ether: string): Promise<void> {
  const serializedTransaction = `0x02${String(signed).replace(/^(0x)?02/, '')}` as const
  expect(parseTransaction(serializedTransaction)).toMatchObject({ value: parseEther(ether), to: to.toLowerCase() })
  expect(await recoverTransactionAddress({ serializedTransaction })).toBe(from)
}

/** Deletes what stands in the first row that has the text and can be deleted, after its name is typed. */
async function deleteRow(page: ConsolePage, text: string, action: string): Promise<void> {
  const label = await page.evaluate<string>(
    `async (text) => {
      for (const end = Date.now() + 10_000; Date.now() < end; ) {
        const field = document.querySelector('.mantine-Modal-content label')
        if (field !== null) return field.innerText
        const rows = [...document.querySelectorAll('tbody tr')].filter((one) => one.innerText.includes(text))
        const buttons = rows.flatMap((row) => [...row.querySelectorAll('button')])
        buttons.find((one) => one.innerText === 'Delete')?.click()
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return document.body.innerText
    }`,
    text,
  )
  await page.fill(label, /^Type (.*) to go on/.exec(label)?.[1] ?? '')
  await page.click(action)
  await page.hides(action)
}

async function logOutOnPhone(page: ConsolePage): Promise<void> {
  await page.click('Open navigation')
  await page.click('Log out')
  await page.shows('You are logged out.')
}
