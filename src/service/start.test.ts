import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createAuthority } from '../../test/support/certificates.ts'
import { needsDebian } from '../../test/support/debian.ts'
import { vaultsOf } from '../../test/support/running_server.ts'
import { copyDatabaseIn, databaseEnvironment } from '../../test/support/server_database.ts'
import { soon } from '../../test/support/soon.ts'
import { generateApiKey, stampWith } from '../../test/support/stamping.ts'
import { SettingsError } from './process/settings_error.ts'
import { type GivenFlags, readSettings } from './settings/settings.ts'
import { type RunningServer, startServer } from './start.ts'
import { lockFile } from './store/sqlite/file_lock.ts'

const running: RunningServer[] = []
afterEach(async () => {
  for (const server of running.splice(0)) await server.close()
})

const freshFolder = () => join(mkdtempSync(join(tmpdir(), 'claviger-start-')), 'data')

async function start(data: string, flags: GivenFlags = {}): Promise<RunningServer> {
  const given = { data, port: '0', 'log-level': 'silent', ...flags }
  const settings = readSettings({ flags: given, environment: databaseEnvironment(data) })
  const server = await startServer(settings, { version: '1.2.3', development: true })
  running.push(server)
  return server
}

test('issuers that speak plain HTTP are for development only', async () => {
  const issuers = 'http://localhost:9000'
  const data = freshFolder()
  const serve = readSettings({
    flags: { data, port: '0', 'root-passphrase-file': '/run/secrets/passphrase', 'oidc-issuers': issuers },
    environment: {},
  })
  await expect(startServer(serve, { version: '1.2.3', development: false })).rejects.toThrow(
    `CLAVIGER_OIDC_ISSUERS (--oidc-issuers): ${issuers} must be https, except under \`dev\``,
  )
  expect(existsSync(data)).toBe(false)
  const { url } = await start(data, { 'oidc-issuers': issuers })
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
})

test('the public URL and an operation that is not supported are known to the listener', async () => {
  const { url } = await start(freshFolder(), { 'public-url': 'https://keys.example' })
  expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({
    servers: [{ url: 'https://keys.example' }],
  })
  const refused = await fetch(`${url}/hosted/public/v1/query/list_secrets`, { method: 'POST', body: '{}' })
  expect(await refused.json()).toMatchObject({ code: 5, message: expect.stringContaining('not supported yet') })
})

test('a file of authorities is read at the start, and one that holds anything but certificates in PEM refused', async () => {
  const data = freshFolder()
  const folder = mkdtempSync(join(tmpdir(), 'claviger-ca-'))
  const { certificate } = createAuthority()
  const [good, bad] = [join(folder, 'good.pem'), join(folder, 'bad.pem')]
  const [der, broken] = [join(folder, 'der.crt'), join(folder, 'broken.pem')]
  writeFileSync(good, `the first\n${certificate}the second\n${createAuthority().certificate}`)
  writeFileSync(bad, 'no certificate')
  writeFileSync(der, new X509Certificate(certificate).raw)
  writeFileSync(broken, `${certificate}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`)
  for (const path of [bad, der, broken, join(folder, 'missing.pem')]) {
    await expect(start(data, { 'ca-file': path })).rejects.toThrow(SettingsError)
    await expect(start(data, { 'ca-file': path })).rejects.toThrow(`CLAVIGER_CA_FILE (--ca-file): ${path}`)
  }
  const { url } = await start(data, { 'ca-file': good })
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
})

test('a file of providers is read at the start, and one that holds something else refused', async () => {
  const data = freshFolder()
  const folder = mkdtempSync(join(tmpdir(), 'claviger-providers-'))
  const [good, bad, wrong] = [join(folder, 'good.json'), join(folder, 'bad.json'), join(folder, 'wrong.json')]
  const endpoints = { tokenUrl: 'https://login.example/token', userUrl: 'https://login.example/me', userIdPath: ['id'] }
  writeFileSync(good, `\ufeff${JSON.stringify({ OAUTH2_PROVIDER_X: { ...endpoints, subjectPrefix: 'own' } })}`)
  writeFileSync(bad, 'no JSON')
  writeFileSync(wrong, JSON.stringify({ OAUTH2_PROVIDER_X: endpoints }))
  for (const path of [bad, wrong, join(folder, 'missing.json')]) {
    await expect(start(data, { 'providers-file': path })).rejects.toThrow(SettingsError)
    await expect(start(data, { 'providers-file': path })).rejects.toThrow(
      `CLAVIGER_PROVIDERS_FILE (--providers-file): ${path}: `,
    )
  }
  const { url } = await start(data, { 'providers-file': good })
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
})

test('a data folder that another server holds is left untouched, and no vault is started', async () => {
  const data = freshFolder()
  mkdirSync(data)
  const lock = lockFile(join(data, 'server.lock'))
  await expect(start(data)).rejects.toThrow(SettingsError)
  await expect(start(data)).rejects.toThrow(`another server is running on the data folder ${data}`)
  expect(['claviger.db', 'vault', 'mark', 'admin.sock'].filter((name) => existsSync(join(data, name)))).toEqual([])
  expect(vaultsOf(data)).toEqual([])
  lock?.release()
})

test('two servers in one process cannot share a data folder either, and may follow one another', async () => {
  const data = freshFolder()
  const first = await start(data)
  await expect(start(data)).rejects.toThrow('another server is running')
  await first.close()
  const second = await start(data)
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200)
})

/** Asks as the first user of a new organization. */
async function organizationOf(server: RunningServer) {
  const apiKey = generateApiKey()
  const made = { organizationName: 'First', userName: 'root', apiKeyName: 'key', apiPublicKey: apiKey.publicKey }
  const { organizationId } = await server.createOrganization(made)
  return (url: string, path: string, body: object) => {
    const bytes = Buffer.from(JSON.stringify({ organizationId, ...body }))
    const headers = { 'content-type': 'application/json', 'x-stamp': stampWith(apiKey, bytes) }
    return fetch(`${url}/public/v1/${path}`, { method: 'POST', headers, body: bytes })
  }
}

function renaming(organizationName: string) {
  const type = 'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME'
  return { type, timestampMs: String(Date.now()), parameters: { organizationName } }
}

async function readyz(url: string) {
  const answer = await fetch(`${url}/readyz`)
  return [answer.status, await answer.json()]
}

test('while the journal cannot be written /readyz is 503, and so is what rests on the books; the rest goes on', async (context) => {
  const prlimit = needsDebian('util-linux', context, 'prlimit')
  const data = freshFolder()
  const server = await start(data)
  const { url } = server
  const [ask, askAnother] = [await organizationOf(server), await organizationOf(server)]
  const [vault] = vaultsOf(data)
  const pid = String(vault?.pid ?? expect.fail('no vault is running'))
  const limitFiles = (to: string) => execFileSync(prlimit, ['--pid', pid, `--fsize=${to}`])

  limitFiles('0:')
  expect((await ask(url, 'submit/update_organization_name', renaming('Unanswered'))).status).toBe(503)
  const reason = expect.stringContaining('the journal of the vault cannot be written: ')
  expect(await readyz(url)).toEqual([503, { status: 'not ready', reasons: [reason] }])
  // The new name is in the database, and nobody is shown what the books may forget.
  expect((await ask(url, 'query/whoami', {})).status).toBe(503)
  expect((await askAnother(url, 'query/whoami', {})).status).toBe(200)

  limitFiles('unlimited')
  await soon(async () => expect((await readyz(url))[0]).toBe(200))
  expect((await ask(url, 'submit/update_organization_name', renaming('Answered'))).status).toBe(200)
})

test('an older copy of the database is refused; /readyz tells it at 200, and the log how to mend it', async () => {
  const data = freshFolder()
  const older = freshFolder()
  const first = await start(data)
  const ask = await organizationOf(first)
  await first.close()
  copyDatabaseIn(data, older)

  const second = await start(data)
  expect((await ask(second.url, 'submit/update_organization_name', renaming('Renamed'))).status).toBe(200)
  await second.close()
  copyDatabaseIn(older, data)

  const { url } = await start(data)
  expect(await readyz(url)).toEqual([200, { status: 'ready', reasons: [] }])
  for (const count of [1, 2]) {
    expect((await ask(url, 'query/whoami', {})).status).toBe(500)
    const text = `requests refused because the database contradicts the vault: ${count}, last at 20`
    expect(await readyz(url)).toEqual([200, { status: 'ready', reasons: [expect.stringContaining(text)] }])
  }
})

test('while the vault is down /readyz and the keys are 503 with the reason, and 200 when it is back', async () => {
  const data = freshFolder()
  const { url } = await start(data)
  const keys = `${url}/.well-known/claviger-keys.json`
  expect(await (await fetch(keys)).json()).toHaveProperty('bundleSigning.compressed')
  const [vault] = vaultsOf(data)
  process.kill(vault?.pid ?? expect.fail('no vault is running'), 'SIGKILL')

  let readiness = await fetch(`${url}/readyz`)
  while (readiness.status === 200) readiness = await fetch(`${url}/readyz`)
  expect(await readiness.json()).toEqual({
    status: 'not ready',
    reasons: [expect.stringMatching(/^the vault (is (down|starting)$|does not answer: )/)],
  })
  const refused = await fetch(keys)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await refused.json()).toMatchObject({ code: 14 })
  expect((await fetch(`${url}/livez`)).status).toBe(200)

  while ((await fetch(`${url}/readyz`)).status !== 200);
  expect((await fetch(keys)).status).toBe(200)
})
