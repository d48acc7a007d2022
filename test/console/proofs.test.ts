import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { openAddress } from '../support/browser.ts'
import { serverClient } from '../support/clients.ts'
import { type ConsolePage, credentialsFile, logInByFile, openConsole } from '../support/console.ts'
import { isSound, soundTestMsMax } from '../support/console_pages.ts'
import { repositoryFolder } from '../support/running_server.ts'
import { run } from '../support/server_command.ts'
import { organizationOnSharedServer } from '../support/shared_server.ts'
import { soon } from '../support/soon.ts'

/** Proofs of activities: downloaded in the console, and verified by a page that asks nobody. */

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'claviger-proofs-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

async function downloaded(page: ConsolePage, name: string): Promise<string> {
  const downloads = folder()
  await page.send('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads })
  await page.click(name)
  const files = () =>
    readdirSync(downloads).filter((file) => /^[^.].*\.[a-z]+$/.test(file) && !file.endsWith('.crdownload'))
  await soon(() => expect(files()).toHaveLength(1))
  return join(downloads, files()[0] ?? '')
}

/** Downloads the proof of a new wallet. */
async function downloadedProof(context: TestContext) {
  const own = await organizationOnSharedServer()
  await serverClient(own).createWallet({ walletName: 'Recorded', accounts: [] })
  const page = await openConsole(context, own)
  await logInByFile(page, own)
  await page.go('/activities')
  await page.click('Create wallet')
  await page.shows('Index in the log')
  const { logs } = await (await fetch(`${own.url}/log/`)).json()
  const keys = logs.flatMap(({ keys }: { keys: readonly string[] }) => keys) as string[]
  return {
    own,
    page,
    path: await downloaded(page, 'Download proof'),
    policy: keys.map((key) => `log ${key}\n`).join(''),
  }
}

/** What the page says, and the names and values of the entry that it shows. */
const shownIn = (page: Pick<ConsolePage, 'evaluate'>) =>
  page.evaluate<{ title: string; about: string; rows: Readonly<Record<string, string>> }>(`() => {
    const rows = [...document.querySelectorAll('#result dt')].map((name) => [name.innerText, name.nextSibling.innerText])
    const [title, about] = [...document.querySelectorAll('.banner > *')].map((one) => one.innerText)
    return { title, about, rows: Object.fromEntries(rows) }
  }`)

test('the proof of an activity is verified from its file alone, on a page from a disk, and an altered one is not', async (context) => {
  const { own, path, policy } = await downloadedProof(context)
  const text = readFileSync(path, 'utf8')
  const proof = JSON.parse(text)
  const [entry] = proof.entries
  const at = folder()
  const file = (name: string, content: string) => {
    writeFileSync(join(at, name), content)
    return join(at, name)
  }
  const asked: string[] = []
  const saved = pathToFileURL(join(repositoryFolder, 'console', 'dist', 'verify.html')).href
  const onEvent = ({ method, params }: { method: string; params: unknown }) => {
    if (method === 'Network.requestWillBeSent') asked.push((params as { request: { url: string } }).request.url)
  }
  const prepare = async (send: ConsolePage['send']) => {
    await send('Network.enable', {})
    await send('DOM.enable', {})
    await send('Emulation.setLocaleOverride', { locale: 'en-US' })
  }
  const page = await openAddress(context, saved, { onEvent, prepare })
  const upload = async (label: string, chosen: string) => {
    const { root } = await page.send<{ root: { nodeId: number } }>('DOM.getDocument', {})
    const selector = `input[type=file][aria-label="${label}"]`
    const { nodeId } = await page.send<{ nodeId: number }>('DOM.querySelector', { nodeId: root.nodeId, selector })
    await page.send('DOM.setFileInputFiles', { nodeId, files: [chosen] })
  }
  const says = async (title: string) => {
    await soon(async () => expect((await shownIn(page)).title).toBe(title))
    return shownIn(page)
  }

  await upload('Proof', path)
  await says('Right, but nobody vouches for the keys')
  await upload('Policy', file('policy', `${policy}quorum none\n`))
  const { rows } = await says('Proven')
  expect(rows).toMatchObject({
    Organization: own.credentials.organizationId,
    Activity: proof.activityId,
    Version: '1',
    Type: 'ACTIVITY_TYPE_CREATE_WALLET',
    Status: 'ACTIVITY_STATUS_COMPLETED',
    'Cosigned by': 'nobody whom the policy names',
  })

  const altered = Buffer.from(entry.entry, 'base64')
  altered[7] = (altered[7] ?? 0) ^ 1
  await upload(
    'Proof',
    file('altered.json', JSON.stringify({ ...proof, entries: [{ ...entry, entry: altered.toString('base64') }] })),
  )
  expect((await says('Not proven')).rows).toEqual({ 'Why not': 'the entry is not in the tree at this index' })
  await upload('Proof', file('other.json', text.replace(proof.activityId, own.credentials.organizationId)))
  expect((await says('Not proven')).rows).toEqual({ 'Why not': 'the entry is of another activity than the file says' })
  await upload('Proof', file('garbage.json', '<b>no proof</b>'))
  expect((await says('garbage.json cannot be read')).about).toContain('neither a tlog-proof nor a JSON object')
  // A bare tlog-proof whose extra bytes are the entry, for other tools.
  const bare = entry.proof.replace('\nindex ', `\nextra ${entry.entry}\nindex `)
  await upload('Proof', file('bare.tlog-proof', bare))
  await says('Proven')
  await upload('Policy', file('strangers', `log ${otherKey}\nquorum none\n`))
  expect((await says('Not proven')).rows).toEqual({ 'Why not': 'the policy names no such log' })
  expect(asked).toEqual([saved])
})

test('the export of an organization from the console is that of the command, and verifies', async (context) => {
  const { own, page, policy } = await downloadedProof(context)
  const client = serverClient(own)
  for (let at = 0; at < 20; at += 1) await client.createWallet({ walletName: `Wallet ${at}`, accounts: [] })
  await page.go('/activities')
  const path = await downloaded(page, 'Export the log')
  await page.shows('Verify the file')
  const at = folder()
  writeFileSync(join(at, 'policy'), `${policy}quorum none\n`)
  const verified = await run(['log', 'verify', path, '--policy', join(at, 'policy'), '--json'])
  const { chain } = JSON.parse(verified.stdout.join(''))
  expect(chain).toMatchObject({ result: 'right', findings: [], organizationId: own.credentials.organizationId })
  expect(chain.entries).toBeGreaterThan(1)
  await page.shows(`with ${chain.entries} entries`)
  // The command finds nothing to add to it.
  const exporting = ['log', 'export', '--output', path, '--credentials', credentialsFile(own), '--json']
  expect(JSON.parse((await run(exporting)).stdout.join(''))).toMatchObject({ entries: chain.entries })
})

const otherKey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'

test(
  'the server has the same page, in German too, on which axe finds nothing',
  async (context) => {
    const { own, page, path } = await downloadedProof(context)
    await isSound(page, 'activity_recorded')
    const answer = await fetch(`${own.url}/verify`)
    expect(await answer.text()).toBe(readFileSync(join(repositoryFolder, 'console', 'dist', 'verify.html'), 'utf8'))
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-/,
    )
    await page.evaluate(`() => { location.href = '/verify' }`)
    // The page before has the same words.
    const place = () => page.evaluate(`() => location.pathname + ' ' + document.readyState`)
    await soon(async () => expect(await place()).toBe('/verify complete'))
    await page.upload('Proof', path)
    await page.shows('nobody vouches')
    await isSound(page, 'verify')
    await page.evaluate(`() => {
    const select = document.querySelector('select')
    select.value = 'de'
    select.dispatchEvent(new Event('change'))
  }`)
    await page.shows('Richtig, aber niemand bürgt für die Schlüssel')
    await page.shows('Entschieden')
    const policies = folder()
    const uploadPolicy = (name: string, text: string) => {
      writeFileSync(join(policies, name), text)
      return page.upload('Policy', join(policies, name))
    }
    await uploadPolicy('strangers', `log ${otherKey}\nquorum none\n`)
    await page.shows('die Policy nennt dieses Log nicht')
    await isSound(page, 'verify_german')
    await uploadPolicy('misspelt', 'loge\n')
    await page.shows('Zeile 1: eine Zeile beginnt mit log, witness, group, quorum oder #: Meinten Sie log?')
  },
  soundTestMsMax,
)
