import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest'
import { openPage, type Page } from '../../../test/support/browser.ts'
import { type Listening, startHttp } from '../../../test/support/http_server.ts'
import { ActivityView } from '../../contract/records/activity_view.ts'
import { findOperation, operations, resources } from '../../operations/catalogue.ts'
import { commandName } from '../process/command_name.ts'
import { codeSamples } from './openapi/code_samples.ts'
import { exampleBody } from './openapi/examples.ts'
import { resourceTitles } from './openapi/resource_titles.ts'

const assetsFolder = join(import.meta.dirname, 'assets')

let server: Listening
beforeAll(async () => {
  server = await startHttp()
})
afterAll(() => server.close())

test('the page names no other host, and brings no script or style in the markup', async () => {
  for (const name of await readdir(assetsFolder)) {
    const file = await readFile(join(assetsFolder, name), 'utf8')
    const text = file.replace('xmlns="http://www.w3.org/2000/svg"', '') // a name, which nobody fetches
    expect(text, name).not.toMatch(/[a-z]+:\/\/|src="\/\/|url\(/)
    expect(text, name).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/)
    if (name.endsWith('.html')) expect(text, name).not.toMatch(/<style|style=|<script(?! src=)|\son[a-z]+=/)
  }
})

test('everything that the page loads is there', async () => {
  const html = await (await fetch(`${server.url}/docs`)).text()
  const script = await (await fetch(`${server.url}/docs/docs.js`)).text()
  const loaded = [...html.matchAll(/(?:href|src)="([^"]+)"/g), ...script.matchAll(/fetch\('([^']+)'/g)].map(
    ([, to]) => to,
  )
  expect(loaded).toHaveLength(5)
  for (const path of loaded) expect((await fetch(server.url + path)).status, path).toBe(200)
})

test('the icon is an image, where the page and where a browser looks for it', async () => {
  for (const path of ['/docs/icon.svg', '/favicon.ico']) {
    const response = await fetch(server.url + path)
    expect([response.status, response.headers.get('content-type')], path).toEqual([200, 'image/svg+xml'])
    expect(await response.text()).toMatch(/^<svg /)
  }
})

test('a browser shows every operation in the group of its resource, and asks for nothing that is not there', async (context) => {
  const page = await openDocs(context)
  const shown = await page.evaluate<{ group: string; about: string; operations: string[][] }[]>(`() =>
    [...document.querySelectorAll('main > section')].map((section) => ({
      group: section.querySelector('h2').textContent,
      about: section.querySelector('p').textContent,
      operations: [...section.querySelectorAll('details.operation')].map((box) => [
        box.id,
        ...[...box.firstElementChild.children].map((part) => part.textContent),
      ]),
    }))`)
  expect(shown).toEqual(
    resources.map(({ name, operations }) => ({
      group: resourceTitles[name]?.[0],
      about: resourceTitles[name]?.[1],
      operations: operations.map(({ name, path, summary }) => [name, path, summary]),
    })),
  )
  const links = await page.evaluate<string[]>(
    `() => [...document.querySelectorAll('nav a')].map((link) => link.textContent)`,
  )
  expect(links).toEqual(shown.map(({ group }) => group))
  expect(await page.evaluate(`() => document.getElementById('about').textContent`)).toContain('Version 1.2.3.')
  const statuses = server.logged.map((line) => JSON.parse(line)).map(({ path, status }) => `${path} ${status}`)
  expect(statuses).toContain('/docs/docs.css 200')
  expect(statuses.filter((line) => !line.endsWith(' 200') && !line.endsWith(' 302'))).toEqual([])
})

test('an operation that the address names is open: its example in three forms, its fields, its older types closed', async (context) => {
  const page = await openDocs(context, '#sign_raw_payload')
  const operation = findOperation('/public/v1/submit/sign_raw_payload')
  if (operation?.kind !== 'activity') throw new Error('it is an activity')
  const box = <T>(text: string) =>
    page.evaluate<T>(`() => {
    const box = document.getElementById('sign_raw_payload')
    return ${text}
  }`)
  await expect.poll(() => box(`box.querySelectorAll('figure').length`), { timeout: 20_000 }).toBe(3)
  expect(await box('box.open')).toBe(true)
  expect(await box(`[...box.querySelectorAll('figcaption')].map((label) => label.textContent)`)).toEqual([
    'JSON',
    'Command line',
    '@turnkey/sdk-server',
  ])
  const [json = '', ...samples] = await box<string[]>(
    `[...box.querySelectorAll('pre')].map((sample) => sample.textContent)`,
  )
  expect(JSON.parse(json)).toEqual(exampleBody(operation))
  expect(samples).toEqual(codeSamples(operation, commandName()).map(({ source }) => source))
  expect(samples[0]).toMatch(/^bin\/claviger request sign_raw_payload /) // this is a checkout
  expect(await box(`[...box.querySelectorAll('code.name')].map((name) => name.textContent)`)).toContain('hashFunction')
  expect(
    await box(`[...box.querySelectorAll('details.older')].map((older) => [older.open, older.textContent])`),
  ).toEqual(operation.types.slice(1).map(({ type }) => [false, expect.stringContaining(type)]))
  expect(operation.types.length).toBeGreaterThan(1)
})

test('every operation opens, with three examples and its fields', async (context) => {
  const page = await openDocs(context)
  await page.evaluate(`() => { for (const box of document.querySelectorAll('details.operation')) box.open = true }`)
  const figures = () => page.evaluate<number>(`() => document.querySelectorAll('details.operation figure').length`)
  await expect.poll(figures, { timeout: 20_000 }).toBe(3 * operations.length)
  const olderCount = operations.reduce((sum, one) => sum + (one.kind === 'activity' ? one.types.length - 1 : 0), 0)
  expect(await page.evaluate(`() => document.querySelectorAll('details.older:not([open])').length`)).toBe(olderCount)
})

test('every operation shows every field of its parameters and of its answer, also of older types', async (context) => {
  const page = await openDocs(context)
  await page.evaluate(`() => { for (const box of document.querySelectorAll('details.operation')) box.open = true }`)
  const shownFields = () =>
    page.evaluate<Record<string, string[]>>(`() => Object.fromEntries(
      [...document.querySelectorAll('details.operation')].map((box) => [
        box.id,
        [...new Set([...box.querySelectorAll('code.name')].map((name) => name.textContent))],
      ]),
    )`)
  await expect
    .poll(async () => Object.values(await shownFields()).every((names) => names.length > 0), { timeout: 20_000 })
    .toBe(true)
  const shown = await shownFields()
  for (const operation of operations) {
    const schemas =
      operation.kind === 'query'
        ? [operation.parameters, operation.result]
        : [...operation.types.flatMap(({ parameters, result }) => [parameters, result]), ActivityView]
    expect(shown[operation.name], operation.name).toEqual(
      expect.arrayContaining([...new Set(schemas.flatMap(fieldNamesIn))]),
    )
  }
  expect(shown.explain_activity).toEqual(expect.arrayContaining(['warnings', 'smallestUnit', 'caip2']))
})

/** The names of all fields in a schema as the operation has it, without any reference to a named one. */
function fieldNamesIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const properties: object = Reflect.get(schema, 'properties') ?? {}
  const within = ['items', 'anyOf', 'oneOf', 'allOf'].flatMap((name) => [Reflect.get(schema, name)].flat())
  return [...Object.keys(properties), ...[...Object.values(properties), ...within].flatMap(fieldNamesIn)]
}

test('the filter leaves what has all its words in path, summary or group, and says when nothing has', async (context) => {
  const page = await openDocs(context)
  const filter = (text: string) =>
    page.evaluate<{ boxes: string[]; groups: string[]; links: string[]; said: string }>(
      `(text) => {
        const input = document.getElementById('filter')
        input.value = text
        input.dispatchEvent(new Event('input'))
        const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility())
        return {
          boxes: shown('details.operation').map((box) => box.id),
          groups: shown('h2').map((title) => title.textContent),
          links: shown('nav a').map((link) => link.textContent),
          said: document.getElementById('nothing').textContent,
        }
      }`,
      text,
    )
  const names = (name: string) => resources.find((one) => one.name === name)?.operations.map((one) => one.name) ?? []
  const one = { boxes: ['sign_raw_payload', 'sign_raw_payloads'], groups: ['Signing'], links: ['Signing'], said: '' }
  expect(await filter('sign_raw')).toEqual(one)
  expect(await filter('  Payload  SIGNING ')).toEqual(one)
  expect((await filter('verifiable apps')).boxes).toEqual(expect.arrayContaining([...names('tvc')]))
  expect(await filter('no such <b>thing</b>')).toEqual({
    ...{ boxes: [], groups: [], links: [] },
    said: 'No operation matches “no such <b>thing</b>”.',
  })
  const all = await filter(' ')
  expect([all.boxes.length, all.groups.length, all.said]).toEqual([operations.length, resources.length, ''])
})

/** The page with the description on it. The policy that it is served with holds, or there would be none. */
async function openDocs(context: TestContext, hash = ''): Promise<Page> {
  const page = await openPage(context)
  await page.send('Page.navigate', { url: `${server.url}/docs${hash}` })
  const isShown = () => page.evaluate<boolean>(`() => document.querySelector('main > section') !== null`)
  await expect.poll(() => isShown().catch(() => false), { timeout: 20_000 }).toBe(true)
  return page
}
