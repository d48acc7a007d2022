import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { newUserOf, serverClient } from '../support/clients.ts'
import { type ConsolePage, logInByFile, openConsole } from '../support/console.ts'
import { mailInFolder } from '../support/http_organization.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

const phone = { width: 375, height: 720, colours: 'light' } as const

let server: RunningServer
beforeAll(async () => {
  server = await startRunningServer({ flags: ['--public-url', 'https://keys.example'] })
})
afterAll(() => server.stop())

test('a person is invited with a tag, and the invitation is withdrawn once its name is typed', async (context) => {
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await page.go('/users')
  await page.click('Tags')
  await page.click('New tag')
  await page.fill('Name of the tag', 'Finance')
  await page.check('Root user')
  await page.picture('new_tag')
  await page.click('Create')
  await page.shows('Finance')
  await page.picture('tags')

  await page.click('Invite a person')
  await page.fill('Name of the person', 'Ada')
  await page.fill('E-mail', 'ada@example.com')
  await page.check('Finance')
  await page.picture('invite')
  await page.click('Send the invitation')
  expect(await mailInFolder(server, 'ada@example.com')).toContain('/#/invitation/')
  await page.click('Invitations (1)')
  await page.shows('ada@example.com')
  await page.picture('invitations')
  await page.shows('Finance')
  await page.shows('Open')

  await page.click('Delete')
  await page.fill('Type Ada to go on', 'Eve')
  expect(await isOffered(page, 'Withdraw invitation')).toBe(false)
  await page.fill('Type Ada to go on', 'Ada')
  await page.click('Withdraw invitation')
  await page.shows('Withdrawn')
})

test('tags and credentials of a user are taken off, and the user is deleted', async (context) => {
  const client = serverClient(server)
  const { userId } = await newUserOf(client, 'Grace')
  await client.createUserTag({ userTagName: 'Auditors', userIds: [] })
  const page = await openConsole(context, server, { view: phone })
  await logInByFile(page, server)
  await page.go('/users')
  await page.click('Grace')
  await page.choose('Add a tag', 'Auditors')
  await page.shows('Done.')
  const tagsOf = async () => (await client.getUser({ userId })).user.userTags
  expect(await tagsOf()).toHaveLength(1)
  await page.picture('user')
  await page.click('Remove the tag Auditors')
  await page.shows('No tags')
  expect(await tagsOf()).toEqual([])

  await page.click('Delete')
  await page.fill('Type laptop to go on', 'laptop')
  await page.click('Delete API key')
  await page.hides('API keys')
  expect((await client.getUser({ userId })).user.apiKeys).toEqual([])
  await page.click('Delete user')
  await page.fill('Type Grace to go on', 'Grace')
  await page.picture('delete_user')
  await page.evaluate(`() => document.querySelector('.form').requestSubmit()`)
  await page.shows('Invite a person')
  expect((await client.getUsers()).users.map(({ userName }) => userName)).not.toContain('Grace')
})

test('the name, the address and the phone number of a user are changed, and an empty address is removed', async (context) => {
  const client = serverClient(server)
  const { userId } = await newUserOf(client, 'Grac')
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await page.go(`/users/${userId}`)
  const change = async (button: string, label: string, text: string) => {
    await page.click(button)
    await page.fill(label, text)
    await page.click('Save')
    await page.hides('Save')
  }
  await change('Change name', 'Name', 'Grace')
  await change('Change e-mail', 'E-mail', 'grace@example.com')
  await change('Change phone number', 'Phone', '+14155550123')
  const user = async () => (await client.getUser({ userId })).user
  expect(await user()).toMatchObject({
    ...{ userName: 'Grace', userEmail: 'grace@example.com', userPhoneNumber: '+14155550123' },
  })
  await change('Change e-mail', 'E-mail', '')
  expect(await user()).not.toHaveProperty('userEmail')

  // The first user gets notices once it has an address, and needs nobody's page for it but its own.
  await page.go('/account')
  await page.hides('Change phone number')
  await change('Change e-mail', 'E-mail', 'root@example.com')
  const own = await client.getUser({ userId: server.credentials.userId })
  expect(own.user).toMatchObject({ userEmail: 'root@example.com' })
})

test('a lost passkey is recovered by the quorum: one starts, another approves, the link adds a passkey', async (context) => {
  const own = await organizationOnSharedServer()
  const client = serverClient(own)
  const ada = await newUserOf(client, 'Ada')
  const second = await newUserOf(client, 'Paul')
  await client.updateRootQuorum({ threshold: 2, userIds: [own.credentials.userId, second.userId] })

  const administrator = await openConsole(context, own)
  await logInByFile(administrator, own)
  await administrator.go(`/users/${ada.userId}`)
  await administrator.click('Link for a passkey')
  await administrator.click('Make the link')
  await administrator.shows('The link works once the others have approved.')
  await administrator.picture('passkey_link')
  const path = await administrator.evaluate<string>(
    `() => document.querySelector('.made-link pre').textContent.replace(/^[^#]*/, '')`,
  )

  const person = await openConsole(context, own, { view: phone, path })
  await person.shows('others have not approved it yet')
  await person.picture('passkey_link_waits')
  const { activities } = await client.getActivities({ filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] })
  const [{ fingerprint = '' } = {}] = activities
  await serverClient(own, 'spec', second.credentials).approveActivity({ fingerprint })
  await person.click('Try again')
  await person.shows('Ada')
  await person.click('Make the passkey')
  await person.shows('Latest activities')
  const { authenticators } = await client.getAuthenticators({ userId: ada.userId })
  expect(authenticators).toHaveLength(1)

  // The link is used up.
  await person.go(path.slice(1))
  await person.shows('This link was used or has expired')
})

test('the server mails the link of a user with an address, and no administrator sees it', async (context) => {
  const own = await startRunningServer({ flags: ['--public-url', 'https://keys.example'] })
  onTestFinished(() => own.stop())
  const client = serverClient(own)
  const ada = await newUserOf(client, 'Ada')
  await client.updateUserEmail({ userId: ada.userId, userEmail: 'ada@example.com' })
  const administrator = await openConsole(context, own)
  await logInByFile(administrator, own)
  await administrator.go(`/users/${ada.userId}`)
  await administrator.click('Link for a passkey')
  await administrator.shows('Mail the link to ada@example.com')
  await administrator.picture('passkey_link_mail')
  await administrator.click('Mail the link')
  await administrator.shows('The link is on its way.')
  expect(await administrator.evaluate(`() => document.body.innerHTML.includes('#/passkey/')`)).toBe(false)

  const path = (await mailInFolder(own, 'ada@example.com')).match(/#\/passkey\/\S+/)?.[0] ?? ''
  const person = await openConsole(context, own, { view: phone, path })
  await person.shows('Ada')
  await person.click('Make the passkey')
  await person.shows('Latest activities')
})

test('a change of the root quorum says first whom it would lock out', async (context) => {
  const own = await organizationOnSharedServer()
  const client = serverClient(own)
  const { userId } = await newUserOf(client, 'Paul')
  const page = await openConsole(context, own)
  await logInByFile(page, own)
  await page.go('/quorum')
  await page.click('Change the quorum')
  await page.check('Paul')
  await page.check('Root user')
  await page.shows('You would lock yourself out of the root quorum.')
  expect(await isOffered(page, 'Save')).toBe(false)
  await page.picture('quorum_lockout')
  await page.check('Root user')
  await page.choose('Approvals needed', '2 of 2')
  await page.shows('Every member would be needed.')
  await page.click('Save')
  await page.shows('Done.')
  await page.picture('quorum')
  const { configs } = await client.getOrganizationConfigs({})
  expect(configs.quorum?.threshold).toBe(2)
  expect(new Set(configs.quorum?.userIds)).toEqual(new Set([own.credentials.userId, userId]))
})

/** Whether the button of this name can be clicked. */
function isOffered(page: ConsolePage, name: string): Promise<boolean> {
  return page.evaluate(
    `(name) => [...document.querySelectorAll('button')].some((one) => one.innerText === name && !one.disabled)`,
    name,
  )
}
