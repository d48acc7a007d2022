import { spawn } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { needsChromium } from '../support/browser.ts'
import { serverClient } from '../support/clients.ts'
import { openConsole, phone } from '../support/console.ts'
import { needsDebian } from '../support/debian.ts'
import { mailInFolder } from '../support/http_organization.ts'
import { repositoryFolder, startRunningServer } from '../support/running_server.ts'

/** The Caddyfile of docs/operate/https.md in front of a server, as other devices see it. */

const shown = readFileSync(join(repositoryFolder, 'docs/operate/https.md'), 'utf8')
const caddyfile = /^```Caddyfile\n(.*?)^```$/ms.exec(shown)?.[1] ?? ''

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('a port is expected')
  return address.port
}

/** Starts Caddy with an authority of its own. Returns the digest by which a browser knows that authority's key. */
async function startCaddy(
  program: string,
  { origin, serverUrl }: { origin: string; serverUrl: string },
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-caddy-'))
  const forTests = `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n\tstorage file_system ${folder}\n}\n`
  const site = caddyfile.replace('keys.example', origin).replace('127.0.0.1:8787', new URL(serverUrl).host)
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, `${forTests}${site}`)
  const child = spawn(program, ['run', '--config', file, '--adapter', 'caddyfile'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`Caddy did not start:\n${lines.join('\n')}`)))
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line)
      if (line.includes('certificate obtained successfully')) resolve()
    })
  })
  const intermediate = new X509Certificate(readFileSync(join(folder, 'pki/authorities/local/intermediate.crt')))
  return createHash('sha256')
    .update(intermediate.publicKey.export({ format: 'der', type: 'spki' }))
    .digest('base64')
}

test('a phone joins by the mailed link and logs in with its passkey over https, through Caddy', async (context) => {
  const caddy = needsDebian('caddy', context)
  needsChromium(context)
  const origin = `https://localhost:${await freePort()}`
  const server = await startRunningServer({ flags: ['--public-url', origin, '--trusted-proxies', '127.0.0.1/32'] })
  onTestFinished(() => server.stop())
  const authority = await startCaddy(caddy, { origin, serverUrl: server.url })
  const client = serverClient(server)
  const invitation = { receiverUserName: 'Ada', receiverUserEmail: 'ada@example.com', receiverUserTags: [] }
  await client.createInvitations({
    invitations: [{ ...invitation, accessType: 'ACCESS_TYPE_WEB', senderUserId: server.credentials.userId }],
  })
  const mailed = (await mailInFolder(server, 'ada@example.com')).match(/https:\S+#\/invitation\/\S+/)?.[0] ?? ''
  expect(new URL(mailed).origin).toBe(origin)

  const path = new URL(mailed).hash
  const page = await openConsole(context, server, {
    ...{ view: phone, origin, path },
    flags: [`--ignore-certificate-errors-spki-list=${authority}`],
  })
  await page.shows('Ada')
  await page.click('Make the passkey')
  await page.shows('Latest activities')
  await page.click('Open navigation')
  await page.click('Log out')
  await page.shows('You are logged out.')
  await page.click('Continue with passkey')
  await page.shows('Latest activities')
  const where = await page.evaluate<object>(`() => ({ origin: location.origin, isSecureContext })`)
  expect(where).toEqual({ origin, isSecureContext: true })

  // The link of the operator is for the machine itself, and a proxy could bring it from anywhere.
  const printed = server.lines.join('\n').match(/#\/first-start\/\S+/)?.[0] ?? ''
  await page.go(printed.slice(1))
  await page.shows('This link works on the machine of the server alone')
})
