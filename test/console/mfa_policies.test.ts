import { beforeAll, expect, test } from 'vitest'
import { newUserOf, serverClient } from '../support/clients.ts'
import { type ConsolePage, logInByFile, openConsole } from '../support/console.ts'
import { choose, isSound, soundTestMsMax, write } from '../support/console_pages.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

async function chooseUser(page: ConsolePage, userId: string): Promise<void> {
  await page.evaluate(
    `(userId) => {
      const field = document.querySelector('.policy-form select')
      const { set } = Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value')
      set.call(field, userId)
      field.dispatchEvent(new Event('change', { bubbles: true }))
    }`,
    userId,
  )
}

test('an MFA policy of a user is made, changed and deleted', { timeout: soundTestMsMax }, async (context) => {
  const client = serverClient(server)
  const { userId } = await newUserOf(client, 'Ada')
  const policies = async () => (await client.getMfaPolicies({ userId })).mfaPolicies
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await page.go('/mfa-policies')
  await page.shows('No MFA policies yet')
  await page.click('New MFA policy')
  await page.shows('Step 1')
  await chooseUser(page, userId)
  await page.fill('Name of the policy', 'Exports')
  await write(page, 'For which activities', 'controls.daily')
  await page.shows('Column 1: spending limits and velocity controls are for policies')
  await page.click('Save')
  await page.shows('Choose at least one for each step.')
  await page.click('MFA policies')
  await page.click('Leave')
  await page.click('New MFA policy')
  await page.shows('Step 1')
  await chooseUser(page, userId)
  await page.fill('Name of the policy', 'Exports')
  await write(page, 'For which activities', "activity.action == 'EXPORT'")
  await choose(page, 'an API key')
  await choose(page, 'a code by e-mail')
  await isSound(page, 'mfa_policy')
  await page.click('Save')
  await page.shows('Done.')
  await page.shows('an API key or a code by e-mail')
  await isSound(page, 'mfa_policies')
  const any = [{ type: 'AUTHENTICATION_TYPE_API_KEY' }, { type: 'AUTHENTICATION_TYPE_EMAIL_OTP' }]
  expect(await policies()).toMatchObject([
    { mfaPolicyName: 'Exports', condition: "activity.action == 'EXPORT'", requiredAuthenticationMethods: [{ any }] },
  ])
  await page.click('Exports')
  await page.shows('Step 1')
  await page.fill('Order', '7')
  await page.click('Save')
  await page.shows('Order: 7')
  expect(await policies()).toMatchObject([{ order: 7, requiredAuthenticationMethods: [{ any }] }])
  await page.click('Delete')
  await page.fill('Type Exports to go on', 'Exports')
  await page.evaluate(`() => document.querySelector('.form').requestSubmit()`)
  await page.shows('No MFA policies yet')
  expect(await policies()).toEqual([])
})
