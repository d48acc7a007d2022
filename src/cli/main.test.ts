import { createECDH } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bundledProgram } from '../../test/support/bundle.ts'
import { spawnApart } from '../../test/support/spawner.ts'
import { publicKeyOf } from '../protocol/crypto/curves.ts'
import { importApiPublicKey } from '../protocol/stamps/api_keys.ts'
import { parseApiStamp, verifyApiStamp } from '../protocol/stamps/api_stamps.ts'
import { settingGroups } from '../service/settings/setting_rows.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'claviger-cli-'))

type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

function run(parts: readonly string[], input = ''): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH }
    const child = spawnApart(process.execPath, [bundledProgram(), ...parts], { env, cwd: folder(), input })
    const output = { stdout: '', stderr: '' }
    child.stdout.on('data', (chunk) => (output.stdout += chunk))
    child.stderr.on('data', (chunk) => (output.stderr += chunk))
    child.on('close', (code) => resolve({ code, ...output }))
  })
}

const ecdh = createECDH('prime256v1')
ecdh.generateKeys()
const apiPublicKey = ecdh.getPublicKey('hex', 'compressed')
const apiPrivateKey = ecdh.getPrivateKey('hex').padStart(64, '0')
const organizationId = '9f0b2c1e-0000-4000-8000-000000000001'

type Received = { readonly path: string; readonly body: Buffer; readonly stamp: string }

/** The requests that a server on this machine got, and what `ask` made of it. */
async function listening<T>(
  ask: (url: string) => Promise<T>,
  { status = 200, answer = '{"ok":true}', headers = {} } = {},
): Promise<{ readonly result: T; readonly requests: readonly Received[] }> {
  const requests: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push({ path: request.url ?? '', body: Buffer.concat(chunks), stamp: String(request.headers['x-stamp']) })
      response.writeHead(status, headers).end(answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const result = await ask(`http://127.0.0.1:${port}`)
  await new Promise((resolve) => server.close(resolve))
  return { result, requests }
}

describe('key generate', () => {
  for (const [curve, name] of [
    ['p256', 'CURVE_P256'],
    ['secp256k1', 'CURVE_SECP256K1'],
    ['ed25519', 'CURVE_ED25519'],
  ] as const) {
    test(`prints both halves of a key of ${curve}, which belong together`, async () => {
      const { code, stdout } = await run(['key', 'generate', '--curve', curve, '--json'])
      const { publicKey, privateKey } = JSON.parse(stdout)
      expect(code).toBe(0)
      expect(privateKey).toMatch(/^[0-9a-f]{64}$/)
      expect(publicKey).toBe(Buffer.from(publicKeyOf(name, Buffer.from(privateKey, 'hex'))).toString('hex'))
    })
  }

  test('writes the private half to a new file of its owner, and does not print it', async () => {
    const file = join(folder(), 'key')
    const { code, stdout } = await run(['key', 'generate', '--out', file])
    const privateKey = /[0-9a-f]{64}(?![0-9a-f])/.exec(readFileSync(file, 'utf8').replace(/0[23][0-9a-f]{64}/, ''))?.[0]
    expect([code, statSync(file).mode & 0o777]).toEqual([0, 0o600])
    expect(privateKey).toBeDefined()
    expect(stdout).not.toContain(privateKey)
  })

  test('writes what `request --credentials` reads', async () => {
    const credentials = join(folder(), 'key')
    const received = await listening(async (apiBaseUrl) => {
      const of = ['--organization-id', organizationId, '--api-base-url', apiBaseUrl]
      const { code, stdout } = await run(['key', 'generate', '--out', credentials, ...of, '--json'])
      const { apiPrivateKey, ...rest } = JSON.parse(readFileSync(credentials, 'utf8'))
      const { publicKey } = JSON.parse(stdout)
      expect([code, rest]).toEqual([0, { apiBaseUrl, organizationId, apiPublicKey: publicKey }])
      expect(apiPrivateKey).toMatch(/^[0-9a-f]{64}$/)
      expect((await run(['request', 'whoami', '--credentials', credentials])).code).toBe(0)
      return publicKey
    })
    const [{ body, stamp }] = received.requests as readonly [Received]
    const key = importApiPublicKey({ curveType: 'API_KEY_CURVE_P256', publicKey: received.result })
    expect(JSON.parse(body.toString())).toEqual({ organizationId })
    expect(await verifyApiStamp({ stamp: parseApiStamp(stamp), key, body })).toBe(true)
  })

  test.each([
    [[], 'organizationId is missing'],
    [['--curve', 'ed25519', '--organization-id', organizationId], 'has a key of the curve ed25519'],
  ])('with %j writes what `request` cannot use yet, and `request` says why', async (given, text) => {
    const credentials = join(folder(), 'key')
    expect((await run(['key', 'generate', '--out', credentials, ...given])).code).toBe(0)
    const { code, stderr } = await run(['request', 'whoami', '--credentials', credentials])
    expect([code, stderr]).toEqual([2, expect.stringContaining(text)])
  })

  test('refuses an organization id that is no UUID, and writes nothing', async () => {
    const file = join(folder(), 'key')
    const { code, stderr } = await run(['key', 'generate', '--out', file, '--organization-id', 'ORGANIZATION_ID'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('It must be a UUID')])
    expect(existsSync(file)).toBe(false)
  })

  test('never overwrites a file', async () => {
    const file = join(folder(), 'key')
    writeFileSync(file, 'precious')
    const { code, stdout } = await run(['key', 'generate', '--out', file, '--json'])
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toEqual({
      error: { message: `${file} exists already: name another file, or move this one away` },
    })
    expect(readFileSync(file, 'utf8')).toBe('precious')
  })
})

async function requesting(
  parts: readonly string[],
  {
    input = '',
    key = apiPrivateKey,
    command = 'request',
    base = '/hosted/',
    mark = '',
    encoding = 'utf8',
    ...answering
  }: Requesting = {},
): Promise<Ran & { readonly received: readonly Received[] }> {
  const credentials = join(folder(), 'credentials.json')
  const { result, requests } = await listening(async (url) => {
    const members = { userId: organizationId, organizationId, apiPublicKey, apiPrivateKey: key }
    writeFileSync(credentials, `${mark}${JSON.stringify({ apiBaseUrl: `${url}${base}`, ...members })}`, encoding)
    return run([command, ...parts, '--credentials', credentials], input)
  }, answering)
  return { ...result, received: requests }
}

type Requesting = Parameters<typeof listening>[1] & {
  readonly input?: string
  readonly key?: string
  readonly command?: string
  /** Behind the address of the server. */
  readonly base?: string
  /** Before the text of the credentials, and how that is written. */
  readonly mark?: string
  readonly encoding?: BufferEncoding
}

describe('request', () => {
  test('stamps the bytes that it sends, below the base path', async () => {
    const { code, stdout, received } = await requesting(['whoami', '--json'])
    expect([code, JSON.parse(stdout)]).toEqual([0, { ok: true }])
    const [{ path, body, stamp }] = received as readonly [Received]
    expect(path).toBe('/hosted/public/v1/query/whoami')
    expect(JSON.parse(body.toString())).toEqual({ organizationId })
    const key = importApiPublicKey({ curveType: 'API_KEY_CURVE_P256', publicKey: apiPublicKey })
    expect(await verifyApiStamp({ stamp: parseApiStamp(stamp), key, body })).toBe(true)
  })

  test('fills in the members that an activity needs and leaves the given ones', async () => {
    const { received } = await requesting(['create_wallet', '--body', '{"timestampMs":"5","parameters":{}}'])
    expect(JSON.parse(received[0]?.body.toString() ?? '')).toEqual({
      type: 'ACTIVITY_TYPE_CREATE_WALLET',
      timestampMs: '5',
      organizationId,
      parameters: {},
    })
  })

  test('puts the parameters of an activity into `parameters`, with their own text', async () => {
    const { received } = await requesting(['delete_wallets', '--body', '{ "walletIds": ["a"], "big": 1.0 }'])
    const text = received[0]?.body.toString() ?? ''
    expect(text).toContain('"parameters":{ "walletIds": ["a"], "big": 1.0 }')
    const envelope = { type: 'ACTIVITY_TYPE_DELETE_WALLETS', timestampMs: expect.any(String), organizationId }
    expect(JSON.parse(text)).toEqual({ ...envelope, parameters: { walletIds: ['a'], big: 1 } })
    const empty = await requesting(['disable_auth_proxy'])
    expect(JSON.parse(empty.received[0]?.body.toString() ?? '')).toMatchObject({ parameters: {} })
  })

  test('leaves a body that has a part of the envelope to the server', async () => {
    const { received } = await requesting(['delete_wallets', '--body', '{"timestampMs":"5","walletIds":[]}'])
    expect(JSON.parse(received[0]?.body.toString() ?? '')).not.toHaveProperty('parameters')
  })

  test('prints of an activity its id, status and result, and all of it with --full or --json', async () => {
    const own = { id: 'a', status: 'ACTIVITY_STATUS_COMPLETED', result: { createWalletResult: { walletId: 'w' } } }
    const activity = { ...own, intent: {}, votes: [], fingerprint: 'sha256:00' }
    const answer = JSON.stringify({ activity })
    const printedBy = async (...flags: string[]) =>
      JSON.parse((await requesting(['create_wallet', ...flags], { answer })).stdout)
    expect(await printedBy()).toEqual({ activity: own })
    expect(await printedBy('--full')).toEqual({ activity })
    expect(await printedBy('--json')).toEqual({ activity })
    const query = await requesting(['get_activity'], { answer })
    expect(JSON.parse(query.stdout)).toEqual({ activity })
  })

  test('prints of an activity that is not completed also what a vote needs, and why it failed', async () => {
    const waiting = { id: 'a', status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED', fingerprint: 'sha256:00', result: {} }
    const failed = { ...waiting, status: 'ACTIVITY_STATUS_FAILED', failure: { code: 5, message: 'gone' } }
    for (const activity of [waiting, failed]) {
      const answer = JSON.stringify({ activity: { ...activity, votes: [] } })
      expect(JSON.parse((await requesting(['create_wallet'], { answer })).stdout)).toEqual({ activity })
    }
  })

  test('sends a complete body byte for byte: the same bytes are one activity', async () => {
    const body = `{ "organizationId":"${organizationId}",\n "amount": 1.0, "big": 12345678901234567890 }`
    const { received } = await requesting(['whoami', '--body', body])
    expect(received[0]?.body.toString()).toBe(body)
  })

  test('keeps the given text of a body that it completes', async () => {
    const { received } = await requesting(['whoami', '--body', '{"big": 12345678901234567890}'])
    expect(received[0]?.body.toString()).toContain('"big": 12345678901234567890')
  })

  test('reads the body from standard input', async () => {
    const { received } = await requesting(['whoami', '--body', '-'], { input: '{"a":1}' })
    expect(JSON.parse(received[0]?.body.toString() ?? '')).toEqual({ organizationId, a: 1 })
  })

  test('takes a file with a byte order mark, as editors on Windows write it, without the mark', async () => {
    const file = join(folder(), 'body.json')
    writeFileSync(file, '\ufeff{"a":1}')
    const { received } = await requesting(['whoami', '--body-file', file])
    expect(JSON.parse(received[0]?.body.toString() ?? '')).toEqual({ organizationId, a: 1 })
    const piped = await requesting(['whoami', '--body', '-'], { input: '\ufeff{"a":1}' })
    expect(JSON.parse(piped.received[0]?.body.toString() ?? '')).toEqual({ organizationId, a: 1 })
  })

  test('takes credentials with a byte order mark, and refuses those in UTF-16 by it', async () => {
    const marked = await requesting(['whoami'], { mark: '\ufeff' })
    expect([marked.code, marked.received.length]).toEqual([0, 1])
    const wide = await requesting(['whoami'], { mark: '\ufeff', encoding: 'utf16le' })
    expect([wide.code, wide.received.length]).toEqual([2, 0])
    expect(wide.stderr).toContain('cannot be read (it begins with a byte order mark of UTF-16: save it as UTF-8)')
  })

  test('takes a base URL with slashes at its end, and refuses one with two in a row before', async () => {
    const { code, received } = await requesting(['whoami'], { base: '/hosted//' })
    expect([code, received[0]?.path]).toEqual([0, '/hosted/public/v1/query/whoami'])
    const refused = await requesting(['whoami'], { base: '//hosted' })
    expect([refused.code, refused.received.length]).toEqual([2, 0])
    expect(refused.stderr).toContain('must be an http or https address without user, password, query, fragment and two')
  })

  for (const [status, code] of [
    [200, 0],
    [400, 4],
    [404, 4],
    [429, 4],
    [500, 5],
    [503, 5],
  ] as const) {
    test(`prints the answer and ends with ${code} for ${status}`, async () => {
      const ran = await requesting(['whoami', '--json'], { status, answer: '{"code":3}' })
      expect([ran.code, JSON.parse(ran.stdout)]).toEqual([code, { code: 3 }])
    })
  }

  test('prints no character that a terminal obeys or hides', async () => {
    const name = 'a\u001b[2J\u202eb\u0085c\u{e0041}d\u200be\ue000f é 日本'
    const answer = JSON.stringify({ name })
    for (const parts of [['whoami'], ['whoami', '--json']]) {
      const { stdout } = await requesting(parts, { answer })
      expect(JSON.parse(stdout)).toEqual({ name })
      expect(stdout).toContain('a\\u001b[2J\\u202eb\\u0085c\\udb40\\udc41d\\u200be\\ue000f é 日本')
    }
    const refused = await requesting(['check'], {
      command: 'policies',
      answer: JSON.stringify({ message: name }),
      status: 401,
    })
    expect(refused.stderr).toContain('\\u202e')
    expect(refused.stderr).not.toContain('\u202e')
  })

  test('ends with 5 for a 502 of a proxy, whose page is no JSON', async () => {
    const ran = await requesting(['whoami', '--json'], { status: 502, answer: '<html>' })
    expect([ran.code, JSON.parse(ran.stdout)]).toEqual([5, { error: { message: expect.stringContaining('502') } }])
  })

  test('sends its stamp nowhere else', async () => {
    const ran = await requesting(['whoami', '--json'], { status: 307, headers: { location: '/elsewhere' }, answer: '' })
    expect(ran.received).toHaveLength(1)
    expect(ran.code).not.toBe(0)
  })

  for (const [what, parts] of [
    ['a body that is no JSON', ['whoami', '--body', '{']],
    ['a body with a key twice', ['whoami', '--body', '{"a":1,"a":2}']],
    ['a body file that is not there', ['whoami', '--body-file', '/nonexistent']],
    ['an unknown operation', ['no_such']],
    ['an unknown option', ['whoami', '--nonsense']],
    ['a missing operation', []],
  ] as const) {
    test(`sends nothing for ${what}, ends with 2 and says so in JSON`, async () => {
      const ran = await requesting([...parts, '--json'])
      expect([ran.code, ran.received]).toEqual([2, []])
      expect(JSON.parse(ran.stdout)).toEqual({ error: { message: expect.any(String) } })
    })
  }

  test('says of an operation of the wider interface that it is not here yet', async () => {
    const { code, stdout } = await requesting(['init_fiat_on_ramp', '--json'])
    expect(code).toBe(2)
    expect(JSON.parse(stdout).error.message).toContain('not supported yet: see docs/compatibility.md')
  })

  test.each([
    ['create-wallet', 'there is no operation create-wallet; did you mean create_wallet? docs/operations.md lists all'],
    ['nope', 'there is no operation nope: docs/operations.md lists all'],
  ])('says of %s that there is no such operation, and names one that is like it', async (name, message) => {
    const { stdout } = await requesting([name, '--json'])
    expect(JSON.parse(stdout)).toEqual({ error: { message } })
  })

  test('does not repeat a private key that it cannot use', async () => {
    const ran = await requesting(['whoami', '--json'], { key: 'hush' })
    expect(ran.code).toBe(2)
    expect(ran.stdout + ran.stderr).not.toContain('hush')
  })

  test('ends with 3 when no server answers', async () => {
    const credentials = join(folder(), 'credentials.json')
    writeFileSync(
      credentials,
      JSON.stringify({ apiBaseUrl: 'http://127.0.0.1:1', organizationId, apiPublicKey, apiPrivateKey }),
    )
    expect((await run(['request', 'whoami', '--credentials', credentials])).code).toBe(3)
  })
})

describe('policies check', () => {
  const checking = (answer: object, given: { status?: number; parts?: readonly string[] } = {}) => {
    const { parts = [], ...rest } = given
    return requesting(['check', ...parts], { command: 'policies', answer: JSON.stringify(answer), ...rest })
  }
  const unseen = { requests: 'raw payloads', missingFields: ['eth.tx.to', 'eth.tx.value'], clause: 'a == 1' }
  const denials = [
    { policyId: 'p1', policyName: 'one', unseen: [unseen, { ...unseen, alsoDenies: 'others' }] },
    { policyId: 'p2', policyName: 'two', unseen: [unseen] },
  ]
  const allowances = [{ policyId: 'p3', policyName: 'three', controls: ['daily', 'weekly'] }]

  test('asks for the organization and prints each denial with its clauses', async () => {
    const { code, stdout, received } = await checking({ denials, allowances })
    expect([code, stdout]).toEqual([
      0,
      [
        'The denial p1 (one) cannot see these. A second denial with the same consensus and time can:',
        '- raw payloads; they lack eth.tx.to, eth.tx.value',
        '  this condition denies them: a == 1',
        '- raw payloads; they lack eth.tx.to, eth.tx.value',
        '  this condition denies them: a == 1',
        '  it denies these too: others',
        '',
        'The denial p2 (two) cannot see these. A second denial with the same consensus and time can:',
        '- raw payloads; they lack eth.tx.to, eth.tx.value',
        '  this condition denies them: a == 1',
        '',
        'The policy p3 (three) allows everything that controls.daily, controls.weekly count while they hold: its condition names nothing else.',
        '  Name the activity, the chain, the recipient or the contract too.',
        '',
      ].join('\n'),
    ])
    expect(received[0]?.path).toBe('/hosted/public/v1/query/check_policies')
    expect(JSON.parse(String(received[0]?.body))).toEqual({ organizationId })
  })

  test('prints each text that never matches first, with its place', async () => {
    const place = { id: 'm1', name: 'step', expression: 'condition', column: 14 }
    const neverEqual = [{ of: 'mfa_policy', ...place, reason: "wallet.id is never 'hot'; it holds an id" }]
    const { stdout } = await checking({ denials: [], allowances: [], neverEqual })
    expect(stdout).toBe(
      [
        'The condition of the MFA policy m1 (step) has a part that never matches:',
        "  column 14: wallet.id is never 'hot'; it holds an id",
        '',
      ].join('\n'),
    )
  })

  test('prints the answer as JSON for scripts', async () => {
    const { code, stdout } = await checking({ denials, allowances }, { parts: ['--json'] })
    expect([code, JSON.parse(stdout)]).toEqual([0, { denials, allowances }])
  })

  test('says that nothing is known', async () => {
    expect((await checking({ denials: [], allowances: [], neverEqual: [] })).stdout).toBe(
      'No policy that denies and no MFA policy is known to miss a signing request.\n',
    )
  })

  test('ends with 4 and the reason when it is refused', async () => {
    const { code, stderr } = await checking({ message: 'no such key' }, { status: 401 })
    expect([code, stderr]).toEqual([4, 'claviger: the server refused to check the policies: no such key\n'])
  })
})

test('org create ends with 3 when no server is running on the data folder', async () => {
  expect((await run(['org', 'create', '--name', 'a', '--api-public-key', apiPublicKey, '--data', folder()])).code).toBe(
    3,
  )
})

test('what a service answers on its socket is printed as what `request` prints', async () => {
  const data = folder()
  const service = createSocketServer({ allowHalfOpen: true }, (socket) => {
    const result = { organizationId: 'a\u009b2Jb', userId: 'c\u202ed' }
    socket.resume().on('end', () => socket.end(`${JSON.stringify({ result })}\n`))
  })
  await new Promise<void>((resolve) => service.listen(join(data, 'admin.sock'), resolve))
  for (const form of [[], ['--json']]) {
    const command = ['org', 'create', '--name', 'a', '--api-public-key', apiPublicKey, '--data', data, ...form]
    const { code, stdout } = await run(command)
    expect(code).toBe(0)
    for (const text of ['a\\u009b2Jb', 'c\\u202ed']) expect(stdout).toContain(text)
  }
  service.close()
})

test('the help of a server has its settings under their headings', async () => {
  const { stdout } = await run(['serve', '--help'])
  const headings = [...stdout.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual(['Options', ...settingGroups.map(({ heading }) => heading)])
  for (const { heading, rows } of settingGroups) {
    const [, below = ''] = stdout.split(`\n${heading}:\n`)
    const flags = [...(below.split('\n\n')[0] ?? '').matchAll(/^ {2}--(\S+)/gm)].map(([, flag]) => flag)
    expect(flags).toEqual(rows.map(({ flag }) => flag))
  }
})

test('help and version end with 0, an unknown command with 2', async () => {
  expect((await run(['--help'])).code).toBe(0)
  expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect((await run(['nonsense'])).code).toBe(2)
})
