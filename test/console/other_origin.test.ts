import { beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { servePage } from '../support/browser.ts'
import { serverClient } from '../support/clients.ts'
import { addPasskeyToAccount, type ConsolePage, localOriginOf, logInByFile, openConsole } from '../support/console.ts'
import { keptBy } from '../support/kept_keys.ts'
import type { ReachableServer } from '../support/running_server.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'

/** A page of an attacker, in the browser in which a root user is logged in to the console with a passkey. */

let server: ReachableServer
beforeAll(async () => {
  server = await organizationOnSharedServer()
})

let madeBefore: readonly string[]

async function activityIds(): Promise<readonly string[]> {
  return (await serverClient(server).getActivities()).activities.map(({ id }) => id)
}

type Attack = { readonly page: ConsolePage; readonly problems: readonly string[]; readonly consoleOrigin: string }

/** Logs in to the console, then goes to the attacker's page in the same tab. The console's session stays in the browser. */
async function attack(context: TestContext, host: 'localhost' | '127.0.0.1'): Promise<Attack> {
  const problems: string[] = []
  const page = await openConsole(context, server, { problems })
  await logInByFile(page, server)
  await addPasskeyToAccount(page)
  expect((await keptBy(page)).keys).toHaveLength(1)
  expect(problems).toEqual([])
  const attacker = (await servePage({})).replace('localhost', host)
  await page.send('Page.navigate', { url: `${attacker}/` })
  await waitFor(page, `(origin) => location.origin === origin && document.readyState === 'complete'`, attacker)
  madeBefore = await activityIds() // with the passkey
  return { page, problems, consoleOrigin: localOriginOf(server) }
}

async function waitFor(page: ConsolePage, condition: string, ...args: readonly unknown[]): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await page.evaluate<boolean>(condition, ...args).catch(() => false)) return
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  throw new Error(`waited in vain for ${condition}`)
}

const nothingWasMade = async () => expect(await activityIds()).toEqual(madeBefore)

/** The body of a request that makes a wallet, without a stamp. */
const walletBody = () =>
  JSON.stringify({
    type: 'ACTIVITY_TYPE_CREATE_WALLET',
    timestampMs: String(Date.now()),
    organizationId: server.credentials.organizationId,
    parameters: { walletName: 'Attacker', accounts: [] },
  })

describe('a page of another origin', () => {
  test('cannot ask in the name of the user, with or without credentials, nor by a form', async (context) => {
    const { page, consoleOrigin } = await attack(context, '127.0.0.1')
    const path = '/public/v1/submit/create_wallet'
    const answers = await page.evaluate<Record<string, string>>(
      `async (url, body) => {
        const answerTo = (options) => fetch(url, { method: 'POST', body, ...options }).then(
          async (response) => response.status + ' ' + (await response.text()),
          (error) => String(error),
        )
        const headers = { 'x-stamp': btoa(JSON.stringify({ publicKey: '02'.padEnd(66, '0'), scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature: '00' })) }
        return {
          withCredentials: await answerTo({ credentials: 'include' }),
          plain: await answerTo({}),
          invented: await answerTo({ headers }),
        }
      }`,
      consoleOrigin + path,
      walletBody(),
    )
    expect(answers.withCredentials).toBe('TypeError: Failed to fetch')
    expect(answers.plain).toMatch(/^401 .*stamp/)
    expect(answers.invented).toMatch(/^40[01] /)

    // A form sends its fields as text, so one of them can be the JSON of a request.
    for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      await page.evaluate(
        `(action, body, enctype) => new Promise((resolve) => {
          const target = document.createElement('iframe')
          target.name = 'answer'
          document.body.replaceChildren(target)
          const form = Object.assign(document.createElement('form'), { action, enctype, method: 'post', target: 'answer' })
          const field = Object.assign(document.createElement('input'), { name: body.slice(0, -1) + ',"x":"', value: '"}' })
          form.append(field)
          document.body.append(form)
          target.addEventListener('load', resolve)
          form.submit()
        })`,
        ...[consoleOrigin + path, walletBody(), enctype],
      )
    }
    await nothingWasMade()
  })

  test('finds nothing of what the console keeps, and gets no answer from its passkeys', async (context) => {
    const { page } = await attack(context, '127.0.0.1')
    expect(await keptBy(page)).toEqual({ keys: [], entries: 0, texts: '{}' })
    const passkey = await page.evaluate<string>(
      `() => navigator.credentials
        .get({ publicKey: { challenge: new Uint8Array(32), rpId: 'localhost', userVerification: 'preferred' } })
        .then(() => 'a stamp', ({ name }) => name)`,
    )
    expect(passkey).toBe('SecurityError')
    await nothingWasMade()
  })

  test('cannot show the console in a frame', async (context) => {
    const { page, problems, consoleOrigin } = await attack(context, '127.0.0.1')
    const shown = await page.evaluate<{ content: boolean; frames: number }>(
      `(url) => new Promise((resolve) => {
        const frame = Object.assign(document.createElement('iframe'), { src: url })
        frame.addEventListener('load', () => resolve({
          content: frame.contentDocument !== null,
          frames: frame.contentWindow.length,
        }))
        document.body.append(frame)
      })`,
      `${consoleOrigin}/`,
    )
    expect(shown).toEqual({ content: false, frames: 0 })
    expect(problems.join('\n')).toMatch(/frame-ancestors/)
  })

  test('has no hold on a window of the console that it opened', async (context) => {
    const { page, consoleOrigin } = await attack(context, '127.0.0.1')
    const open = (url: string) =>
      page.evaluate<{ closed: boolean; reachable: string }>(
        `async (url) => {
          const popup = window.open(url)
          for (const end = Date.now() + 3_000; Date.now() < end && !popup.closed; ) {
            await new Promise((resolve) => setTimeout(resolve, 30))
          }
          let reachable
          try { reachable = popup.location.pathname } catch ({ name }) { reachable = name }
          popup.postMessage({ approve: 'everything' }, '*')
          popup.location = 'about:blank#taken'
          return { closed: popup.closed, reachable: String(reachable) }
        }`,
        url,
      )
    // The attacker's own page shows that the browser opens windows here, and how one that is held looks.
    expect(await open(`${page.origin}/docs`)).toMatchObject({ closed: false })
    expect(await open(`${consoleOrigin}/`)).toMatchObject({ closed: true })
    await nothingWasMade()
  })
})

test('a page on another port of this host can ask for a passkey, and a list of origins makes the stamp useless', async (context) => {
  const client = serverClient(server)
  const { page, consoleOrigin } = await attack(context, 'localhost')
  /** Browsers bind a passkey to the host, not to the port: the user's consent is all that the page needs for a stamp. */
  const submit = () =>
    page.evaluate<string>(
      `async (url, body) => {
        const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)))
        const hex = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')
        const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
          .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
        const { rawId, response } = await navigator.credentials.get({
          publicKey: { challenge: new TextEncoder().encode(hex), rpId: 'localhost', userVerification: 'preferred' },
        })
        const stamp = JSON.stringify({
          credentialId: text(rawId),
          authenticatorData: text(response.authenticatorData),
          clientDataJson: text(response.clientDataJSON),
          signature: text(response.signature),
        })
        const answer = await fetch(url, { method: 'POST', body, headers: { 'x-stamp-webauthn': stamp } })
        return answer.status + ' ' + (await answer.text())
      }`,
      `${consoleOrigin}/public/v1/submit/create_wallet`,
      walletBody(),
    )
  expect(await submit()).toMatch(/^200 /)
  await client.setOrganizationFeature({ name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value: consoleOrigin })
  madeBefore = await activityIds()
  expect(await submit()).toMatch(/^401 .*WebAuthN/)
  await nothingWasMade()
})
