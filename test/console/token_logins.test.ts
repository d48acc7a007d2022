import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, localOriginOf, logInByFile, openConsole } from '../support/console.ts'
import { isSound, soundTestMsMax } from '../support/console_pages.ts'
import { organizationOver, passcodeInFolder } from '../support/http_organization.ts'
import { type OidcIssuer, oidcClientId, startOidcIssuer } from '../support/oidc_issuer.ts'
import { newPolicy, newUser } from '../support/organization.ts'
import { type RunningServer, startRunningServer } from '../support/running_server.ts'
import { generateApiKey } from '../support/stamping.ts'

/** Logins by a code in a mail and at an OIDC issuer, in the page of an organization that allows them. */

let issuer: OidcIssuer
let server: RunningServer
beforeAll(async () => {
  issuer = await startOidcIssuer()
  const flags = ['--oidc-issuers', issuer.url, '--oidc-audiences', oidcClientId, '--ca-file', issuer.caFile]
  server = await startRunningServer({ flags })
})
afterAll(async () => {
  await server.stop()
  await issuer.close()
})

const trustsAnyIssuer = { flags: ['--ignore-certificate-errors'] }
const contact = 'grace@example.org'
/** No script can read the key of the session, or one that waits for an issuer. */
const keptKeys = `async () => {
  const database = await new Promise((resolve) => {
    const asked = indexedDB.open('claviger')
    asked.onsuccess = () => resolve(asked.result)
  })
  const all = await new Promise((resolve) => {
    const asked = database.transaction('session').objectStore('session').getAll()
    asked.onsuccess = () => resolve(asked.result)
  })
  database.close()
  return all.map(({ key }) => key.extractable)
}`

/** The page of the issuer sends the person back at once, as one who is logged in there. */
function sendBack(answerOf: (asked: URLSearchParams) => Record<string, string>): void {
  issuer.intercept = ({ url = '' }, response) => {
    const asked = new URL(url, issuer.url)
    if (asked.pathname !== '/authorize') return false
    const answer = new URLSearchParams(answerOf(asked.searchParams))
    response.writeHead(302, { location: `${asked.searchParams.get('redirect_uri')}#${answer}` }).end()
    return true
  }
}

/** Leaves the page by the button, and waits until it is there again. Nothing can be asked of a page that is on its way. */
async function goToIssuer(page: ConsolePage, providerName = 'Example'): Promise<void> {
  await page.shows(`localhost:${issuer.port}`)
  await page.evaluate(
    `(name) => {
      globalThis.isBefore = true
      const button = [...document.querySelectorAll('button')].find((one) => one.innerText.trim() === name)
      setTimeout(() => button.click(), 100)
    }`,
    `Continue with ${providerName}`,
  )
  const state = `() => (globalThis.isBefore === true ? 'before' : document.readyState)`
  await expect.poll(() => page.evaluate(state).catch(() => 'before'), { timeout: 10_000 }).toBe('complete')
}

async function allowLogins(page: ConsolePage): Promise<void> {
  await logInByFile(page, server)
  await page.go('/settings')
  await page.click('Allow these logins')
  await page.fill('Pages', localOriginOf(server))
  await page.fill('Providers', `Example Login ${issuer.url} ${oidcClientId} ${issuer.url}/authorize`)
  await page.evaluate(`() => document.querySelector('.form').requestSubmit()`)
  await page.shows('Link to log in')
}

test(
  'the root quorum allows logins by mail and by an issuer, and a user without a passkey logs in by both',
  async (context) => {
    const { organizationId, done } = organizationOver(server)
    const oauthProviders = [{ providerName: 'Example', oidcToken: issuer.mintNow({ sub: 'grace' }) }]
    await done('create_users', { users: [newUser({ userName: 'Grace', userEmail: contact, oauthProviders })] })
    const root = await openConsole(context, server)
    await allowLogins(root)
    await root.shows('This page was opened as localhost, so the link works on this machine only.')
    await root.shows('CLAVIGER_PUBLIC_URL')
    await isSound(root, 'auth_proxy_settings')

    const page = await openConsole(context, server, { path: `#/login/${organizationId}`, ...trustsAnyIssuer })
    await page.shows('E-mail address')
    await page.shows('Log in to My organization')
    await isSound(page, 'login_code')
    await page.fill('E-mail address', contact)
    await page.click('Send me a code')
    await page.shows('a mail with a code is on its way')
    await page.fill('Code', 'WRONG123')
    await page.click('Log in')
    await page.shows('Invalid OTP code')
    await page.fill('Code', await passcodeInFolder(server, contact))
    await page.click('Log in')
    await page.shows('Grace')
    await page.shows('Latest activities')
    await page.shows('Auth proxy') // nobody stamped the requests of this login
    expect(await page.evaluate(keptKeys)).toEqual([false])
    await page.click('Log out')
    await page.shows('You are logged out')

    sendBack((asked) => ({
      state: asked.get('state') ?? '',
      id_token: issuer.mintNow({ sub: 'grace', nonce: asked.get('nonce') }),
    }))
    await page.click('Mail')
    await goToIssuer(page, 'Example Login')
    await page.shows('Latest activities')
    expect(await page.evaluate('() => location.hash')).toBe('#/')
    expect(await page.evaluate(keptKeys)).toEqual([false])
    await page.click('Log out')
    await page.shows('You are logged out')
  },
  soundTestMsMax,
)

test('the page of a user names a session in a word, and adds an identity at an issuer', async (context) => {
  const { rootUserId: userId, done, found } = organizationOver(server)
  const { publicKey } = generateApiKey()
  await done('stamp_login', { publicKey })
  const page = await openConsole(context, server)
  await logInByFile(page, server)
  await page.go(`/users/${userId}`)
  await page.shows(`${publicKey.slice(0, 8)}…${publicKey.slice(-4)}`)
  await page.hides(publicKey)
  await page.picture('sessions_of_user')
  await page.click('Add an identity')
  await page.fill('Name', 'Work')
  await page.fill('ID token', issuer.mintNow({ sub: 'root at work' }))
  await page.picture('new_identity')
  await page.evaluate(`() => document.querySelector('.form').requestSubmit()`)
  await page.shows('root at work')
  const { oauthProviders } = await found('get_oauth_providers', { userId })
  expect(oauthProviders).toMatchObject([{ providerName: 'Work', issuer: issuer.url, subject: 'root at work' }])
})

test('a login that did not begin in this browser, and one that the issuer refuses, end with a reason', async (context) => {
  const { organizationId, done } = organizationOver(server)
  const operations = ['otp_init_v2', 'otp_verify_v2', 'wallet_kit_config']
  const client = { issuer: issuer.url, clientId: oidcClientId, authorizationUrl: `${issuer.url}/authorize` }
  const oauthProviders = [{ providerName: 'Example', ...client }]
  const given = { operations, allowedOrigins: [localOriginOf(server)], appName: 'Acme', oauthProviders }
  await done('enable_auth_proxy', given)
  const stranger = issuer.mintNow({ sub: 'eve', nonce: 'any' })
  const lured = await openConsole(context, server, { path: `#state=any&id_token=${stranger}` })
  await lured.shows('This login did not begin in this browser')

  // An answer to something else ends no login that is under way: the issuer's own comes after it.
  let rightState = ''
  sendBack((asked) => {
    rightState = asked.get('state') ?? ''
    return { state: 'another', id_token: stranger }
  })
  const page = await openConsole(context, server, { path: `#/login/${organizationId}`, ...trustsAnyIssuer })
  await goToIssuer(page)
  await page.shows('This login did not begin in this browser')
  await page.reload(`#state=${rightState}&error=access_denied`)
  await page.shows('The provider did not log you in')
  expect(await page.evaluate(keptKeys)).toEqual([])

  await done('disable_auth_proxy', {})
  const late = await openConsole(context, server, { path: `#/login/${organizationId}` })
  await late.shows('This organization does not offer logins by mail')
})

test(
  'a log-out ends a session that may change no credentials, and says so where a policy keeps it from that',
  async (context) => {
    const { organizationId, done, found } = organizationOver(server)
    await done('enable_auth_proxy', {
      operations: ['otp_init_v2', 'otp_verify_v2', 'wallet_kit_config'],
      allowedOrigins: [localOriginOf(server)],
      appName: 'Acme',
      sessionsMayChangeCredentials: false,
    })
    const [first, second] = ['lovelace@example.org', 'hopper@example.org'] as const
    const users = [first, second].map((userEmail) => newUser({ userName: userEmail, userEmail }))
    const { userIds } = await done('create_users', { users })
    const sessionsOf = async (userId: string) => (await found('get_api_keys', { userId })).apiKeys
    const page = await openConsole(context, server, { path: `#/login/${organizationId}` })
    const logIn = async (userEmail: string) => {
      await page.fill('E-mail address', userEmail)
      await page.click('Send me a code')
      await page.shows('a mail with a code is on its way')
      await page.fill('Code', await passcodeInFolder(server, userEmail))
      await page.click('Log in')
      await page.shows('Latest activities')
    }
    await page.shows('E-mail address')
    await logIn(first)
    await page.click('Log out')
    await page.shows('You are logged out')
    expect(await sessionsOf(userIds[0])).toEqual([])

    await page.click('Mail')
    await logIn(second)
    const condition = "activity.resource == 'CREDENTIAL'"
    await done('create_policy', newPolicy({ policyName: 'no log-outs', effect: 'EFFECT_DENY', condition }))
    await page.click('Log out')
    await page.shows('The server has not ended the session')
    await page.shows('The following policies denied this action')
    await isSound(page, 'logged_out_here')
    expect(await page.evaluate(keptKeys)).toEqual([])
    expect(await sessionsOf(userIds[1])).toHaveLength(1)
  },
  soundTestMsMax,
)
