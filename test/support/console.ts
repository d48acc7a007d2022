import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, type TestContext } from 'vitest'
import { addAuthenticator, openAddress, type Page } from './browser.ts'
import type { Send, TabEvent } from './devtools.ts'
import type { ReachableServer } from './running_server.ts'

/** The console in a browser, driven as a person does: by what stands on the page. */
export type ConsolePage = Page & {
  /** Clicks the button, link or tab of this name once it is there. */
  click(name: string): Promise<void>
  /** Ticks the box of this label, or takes the tick away. */
  check(label: string): Promise<void>
  /** Chooses the option of this text in the list of this label. */
  choose(label: string, option: string): Promise<void>
  /** Types into the field of this label, in place of what it holds. */
  fill(label: string, text: string): Promise<void>
  /** Waits until the page shows the text. */
  shows(text: string): Promise<void>
  /** Waits until the page does not show the text. */
  hides(text: string): Promise<void>
  /** Gives a file to the field of this label. */
  upload(label: string, path: string): Promise<void>
  /** Goes to a path of the console, such as `/wallets`. */
  go(path: string): Promise<void>
  /** Loads the page anew, with another hash if one is given, and resolves once it is there. */
  reload(hash?: string): Promise<void>
  /**
   * Writes a picture to a file, if the environment names a folder for pictures: of the whole page, or of what the person
   * sees of it.
   */
  picture(name: string, of?: 'page' | 'view'): Promise<void>
}

type Opened = {
  readonly view?: View
  readonly path?: string
  readonly origin?: string
  readonly flags?: readonly string[]
  readonly problems?: string[]
}

type View = { readonly width: number; readonly height: number; readonly colours: 'light' | 'dark' }

const waitMsMax = 10_000
export const desktop: View = { width: 1_280, height: 860, colours: 'light' }
export const phone: View = { width: 375, height: 720, colours: 'light' }

/**
 * Opens the console in a browser of its own, with an authenticator. The test fails at its end if the page broke its
 * Content-Security-Policy, wrote an error to the browser's console, or left a rejection unhandled. A test that gives
 * `problems` gets them there and judges them itself. `path` is that of a link, from the `#`. `origin` and `flags` are for
 * a console behind a proxy.
 */
export async function openConsole(
  context: TestContext,
  server: ReachableServer,
  { view = desktop, path = '', origin = localOriginOf(server), flags = [], problems }: Opened = {},
): Promise<ConsolePage> {
  const found = problems ?? []
  const tab = {
    onEvent: (event: TabEvent) => void found.push(...problemsIn(event)),
    prepare: async (send: Send) => {
      await send('Runtime.enable', {})
      await send('Log.enable', {})
      await send('DOM.enable', {})
      await setView(send, view)
    },
  }
  const page = await openAddress(context, `${origin}/${path}`, tab, flags)
  if (problems === undefined) onTestFinished(() => expect(found).toEqual([]))
  await addAuthenticator(page)
  return { ...page, ...actions(page) }
}

/** The server by the name under which its passkeys are registered. */
export const localOriginOf = ({ url }: Pick<ReachableServer, 'url'>) => url.replace('127.0.0.1', 'localhost')

export async function setView(send: Send, { width, height, colours }: View): Promise<void> {
  await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 })
  await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: colours }] })
}

/** A file with the server's credentials, as `npm start` writes it. */
export function credentialsFile({ credentials }: ReachableServer): string {
  const path = join(mkdtempSync(join(tmpdir(), 'claviger-console-')), 'credentials.json')
  writeFileSync(path, JSON.stringify(credentials))
  return path
}

export async function logInByFile(page: ConsolePage, server: ReachableServer): Promise<void> {
  await page.click('API key')
  await page.upload('Choose credentials.json', credentialsFile(server))
  await page.shows('Latest activities')
}

export async function addPasskeyToAccount(page: ConsolePage): Promise<void> {
  await page.go('/account')
  await page.click('Add a passkey of this device')
  await page.fill('Name of the passkey', 'Laptop')
  await page.evaluate(`() => document.querySelector('.form').requestSubmit()`)
  await page.hides('Name of the passkey') // its hint names a laptop too
  await page.shows('Laptop')
}

/** A request that the server refuses is told by the page, and is no error of the page. */
function problemsIn({ method, params }: TabEvent): readonly string[] {
  const { entry, type, args, exceptionDetails } = params as Reported
  if (method === 'Runtime.exceptionThrown') {
    return [`exception: ${exceptionDetails?.exception?.description ?? exceptionDetails?.text}`]
  }
  if (method === 'Runtime.consoleAPICalled' && (type === 'error' || type === 'assert')) {
    return [`console.${type}: ${args?.map(({ value, description }) => value ?? description).join(' ')}`]
  }
  if (method !== 'Log.entryAdded' || entry === undefined) return []
  // A report of the Content-Security-Policy is a fault at any level.
  const isFault = entry.source === 'security' || (entry.level === 'error' && entry.source !== 'network')
  return isFault ? [`${entry.source}: ${entry.text}`] : []
}

type Reported = {
  readonly entry?: { readonly level: string; readonly source: string; readonly text: string }
  readonly type?: string
  readonly args?: readonly { readonly value?: unknown; readonly description?: string }[]
  readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } }
}

function actions(page: Page): Omit<ConsolePage, keyof Page> {
  const until = async (text: string, ...args: readonly unknown[]) => {
    const body = `async (...args) => {
      const find = ${text}
      for (const end = Date.now() + ${waitMsMax}; Date.now() < end; ) {
        if (find(...args)) return true
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
      return document.body.innerText
    }`
    const found = await page.evaluate<true | string>(body, ...args)
    if (found !== true) throw new Error(`waited in vain for ${JSON.stringify(args)} on:\n${found}`)
  }
  return {
    click: (name) => until(clickInPage, name),
    shows: (text) => until(`(text) => document.body?.innerText.includes(text) === true`, text),
    check: (label) => until(checkInPage, label),
    choose: (label, option) => until(chooseInPage, label, option),
    hides: (text) => until(`(text) => !document.body.innerText.includes(text)`, text),
    async fill(label, text) {
      await until(focusInPage, label)
      await page.send('Input.insertText', { text })
    },
    async upload(label, path) {
      await until(`(label) => document.querySelector('input[type=file]') !== null`, label)
      const { root } = await page.send<{ root: { nodeId: number } }>('DOM.getDocument', {})
      const selector = { nodeId: root.nodeId, selector: `input[type=file][aria-label="${label}"]` }
      const { nodeId } = await page.send<{ nodeId: number }>('DOM.querySelector', selector)
      await page.send('DOM.setFileInputFiles', { nodeId, files: [path] })
    },
    async reload(hash = '') {
      // Not before the answer, which the next document could not give.
      const later = `(hash) => {
        globalThis.isBefore = true
        setTimeout(() => {
          if (hash !== '') location.hash = hash
          location.reload()
        })
      }`
      await page.evaluate(later, hash)
      const state = `() => (globalThis.isBefore === true ? 'before' : document.readyState)`
      // While one document takes the place of the other there is none that could answer.
      await expect.poll(() => page.evaluate(state).catch(() => 'before'), { timeout: waitMsMax }).toBe('complete')
    },
    async go(path) {
      await page.evaluate(`(path) => { location.hash = path }`, path)
    },
    async picture(name, of = 'page') {
      const folder = process.env.CLAVIGER_TEST_PICTURES
      if (folder === undefined) return
      await page.evaluate(`() => new Promise((resolve) => setTimeout(resolve, 300))`) // until what moves has come to rest
      const { data } = await page.send<{ data: string }>('Page.captureScreenshot', {
        captureBeyondViewport: of === 'page',
      })
      writeFileSync(join(folder, `${name}.png`), Buffer.from(data, 'base64'))
    },
  }
}

const clickInPage = `(name) => {
  const things = [...document.querySelectorAll('button, a, [role=tab]')]
  const found = things.find((thing) => {
    const isShown = thing.checkVisibility() && !thing.disabled
    return isShown && (thing.getAttribute('aria-label') ?? thing.innerText).trim() === name
  })
  found?.click()
  return found !== undefined
}`

const checkInPage = `(label) => {
  const named = [...document.querySelectorAll('label')].find((one) => one.innerText.trim().split('\\n')[0] === label)
  named?.click()
  return named !== undefined
}`

const chooseInPage = `(label, option) => {
  const list = [...document.querySelectorAll('select')].find((one) => {
    return (one.getAttribute('aria-label') ?? one.labels[0]?.innerText.replace(/\\s*\\*$/, '').trim()) === label
  })
  const chosen = [...(list?.options ?? [])].find((one) => one.text === option || one.text.startsWith(option + ' · '))
  if (chosen === undefined) return false
  list.value = chosen.value
  list.dispatchEvent(new Event('change', { bubbles: true }))
  return true
}`

const focusInPage = `(label) => {
  const named = [...document.querySelectorAll('label')].find((one) => one.innerText.replace(/\\s*\\*$/, '').trim() === label)
  const field = named && document.getElementById(named.htmlFor)
  field?.focus()
  field?.select?.()
  return document.activeElement === field
}`
