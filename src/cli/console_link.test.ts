import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claviger } from '../../test/support/command.ts'
import { newAuthenticator } from '../../test/support/organization.ts'
import { newPasskey } from '../../test/support/passkeys.ts'
import { type RunningServer, startRunningServer } from '../../test/support/running_server.ts'
import { type ApiKeyPair, apiKeyOf, stampWith } from '../../test/support/stamping.ts'

const absentId = '01234567-89ab-7cde-8f01-23456789abcd'
const linkPattern = /http:\/\/localhost:(\d+)\/#\/first-start\/([0-9a-f-]{36})\/([0-9a-f-]{36})\/([0-9a-f]{64})$/

let server: RunningServer
beforeAll(async () => {
  server = await startRunningServer()
})
afterAll(() => server.stop())

function partsOf(link: string) {
  const [, port, organizationId = '', userId = '', privateKey = ''] = linkPattern.exec(link) ?? []
  return { port: Number(port), organizationId, userId, apiKey: apiKeyOf(privateKey) }
}

/** Sends a request as a browser on this machine does, which `fetch` cannot: it sets Host itself. */
function post(
  path: string,
  body: object,
  apiKey: ApiKeyPair,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number | undefined; readonly body: ReturnType<typeof JSON.parse> }> {
  const { port } = new URL(server.url)
  const bytes = Buffer.from(JSON.stringify(body))
  const stamp = { 'x-stamp': stampWith(apiKey, bytes), 'content-type': 'application/json' }
  const options = { host: '127.0.0.1', port, path, method: 'POST' }
  return new Promise((resolve, reject) => {
    const asked = request({ ...options, headers: { host: `localhost:${port}`, ...stamp, ...headers } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) })
      })
    })
    asked.on('error', reject)
    asked.end(bytes)
  })
}

function recovery({ organizationId, userId }: { readonly organizationId: string; readonly userId: string }) {
  const parameters = { userId, authenticator: newAuthenticator({ passkey: newPasskey('ES256') }) }
  return { type: 'ACTIVITY_TYPE_RECOVER_USER', timestampMs: String(Date.now()), organizationId, parameters }
}

const recover = '/public/v1/submit/recover_user'

test('the first start prints a link that adds a passkey to the root user, once, from this machine alone', async () => {
  const link = server.lines.find((line) => linkPattern.test(line)) ?? ''
  const { port, apiKey, ...whom } = partsOf(link)
  const { organizationId, userId } = server.credentials
  expect([port, whom]).toEqual([Number(new URL(server.url).port), { organizationId, userId }])
  for (const headers of [
    { host: `127.0.0.1:${port}` },
    { host: 'keys.example' },
    { 'x-forwarded-for': '203.0.113.7' },
    { forwarded: 'for=127.0.0.1' },
  ]) {
    const refused = await post(recover, recovery(whom), apiKey, headers)
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('for the machine of the')])
  }
  const asked = await post('/public/v1/query/whoami', { organizationId }, apiKey)
  expect(asked.body).toMatchObject({ organizationId, userId })
  const added = await post(recover, recovery(whom), apiKey)
  expect(added.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
  const again = await post(recover, recovery(whom), apiKey)
  expect([again.status, again.body.message]).toEqual([401, 'this link was used before'])
})

describe('console-link', () => {
  test('prints another link, for the user of credentials.json or for a named one', async () => {
    const { folder, credentials } = server
    const { organizationId, userId } = credentials
    const { code, stdout, stderr } = await claviger('console-link', '--data', folder)
    expect([code, stderr]).toEqual([0, ''])
    const { apiKey, ...parts } = partsOf(stdout.trim())
    expect(parts).toEqual({ port: Number(new URL(server.url).port), organizationId, userId })
    expect((await post(recover, recovery(parts), apiKey)).status).toBe(200)

    const named = ['--organization', organizationId, '--user', absentId, '--port', '9000']
    const asJson = await claviger('console-link', ...named, '--data', folder, '--json')
    const { link, ...about } = JSON.parse(asJson.stdout)
    expect(about).toEqual({ organizationId, userId: absentId, until: expect.stringMatching(/Z$/) })
    expect(partsOf(link)).toMatchObject({ port: 9000, organizationId, userId: absentId })
  })

  test('says that it took the default for the port of the server', async () => {
    const { folder, credentials } = server
    const named = ['--organization', credentials.organizationId, '--user', credentials.userId ?? '']
    const { stdout, stderr } = await claviger('console-link', ...named, '--data', folder)
    expect(partsOf(stdout.trim()).port).toBe(8787)
    expect(stderr).toContain('listens on port 8787: if not, name it with --port')
  })

  test('without credentials.json names its own options', async () => {
    const { code, stderr } = await claviger('console-link', '--data', '/nowhere')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('with --data, or a user with --organization and --user'),
    ])
  })

  test.each([
    [['--organization', absentId, '--user', absentId], `the vault knows no organization ${absentId}`],
    [
      ['--organization', 'mine', '--user', absentId],
      "option '--organization <id>' argument 'mine' is invalid. It must be a UUID",
    ],
    [['--organization', absentId, '--user', 'me'], "option '--user <id>' argument 'me' is invalid. It must be a UUID"],
    [['--organization', absentId], 'give both --organization and --user, or neither'],
    [['--port', '65536'], 'It must be a whole number from 1 to 65535'],
  ])('with %j is refused with exit code 2', async (given, text) => {
    const { code, stderr } = await claviger('console-link', ...given, '--data', server.folder)
    expect([code, stderr]).toEqual([2, expect.stringContaining(text)])
  })
})
