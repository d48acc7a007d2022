import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDatabase } from '../../test/support/postgres/postgres.ts'
import { freshFolder, killLaunched, madeFolder, run, serve, whoami } from '../../test/support/server_command.ts'
import { callAdmin } from '../link/socket.ts'
import { publicKeyOf } from '../protocol/crypto/curves.ts'
import { readDatabaseUrl } from '../service/store/postgres/database_address.ts'

type Server = Awaited<ReturnType<typeof serve>>

afterAll(killLaunched)

test('serve without a key file ends with 2, says what to run, and makes nothing', async () => {
  const data = freshFolder()
  const { code, stderr, stdout } = await run(['serve', '--data', data])
  expect([code, stdout]).toEqual([2, []])
  expect(stderr).toContain(`claviger dev --data ${data}`)
  expect(stderr).toContain('CLAVIGER_ROOT_PASSPHRASE_FILE')
  expect(existsSync(data)).toBe(false)
  const asJson = await run(['serve', '--data', data, '--json'])
  expect(asJson.code).toBe(2)
  expect(JSON.parse(asJson.stdout.join(''))).toEqual({ error: { message: expect.stringContaining('no key file') } })
})

test('a further node without a key file is told to copy that of the first node, or to set the passphrase as there', async () => {
  const environment = { CLAVIGER_DATABASE_URL: 'postgres://claviger@db.example/claviger' }
  const data = freshFolder()
  const serving = await run(['serve', '--data', data], { environment })
  const keyFile = join(data, 'vault', 'root.key')
  expect([serving.code, serving.stderr]).toEqual([
    2,
    `claviger: there is no key file ${keyFile}: copy vault/root.key of the first node there, or set CLAVIGER_ROOT_PASSPHRASE_FILE as on that node; for a first node run \`claviger dev --data ${data}\` once to make one\n`,
  ])

  const first = freshFolder()
  const url = await temporaryDatabase()
  const shared = { environment: { CLAVIGER_DATABASE_URL: url } }
  expect((await (await serve('dev', first, [], shared)).stop()).code).toBe(0)
  const starting = await run(['dev', '--data', data, '--port', '0'], shared)
  expect([starting.code, starting.stderr]).toEqual([
    2,
    expect.stringContaining(
      `the key file ${keyFile} is missing: restore it from where you keep its copy, or copy that of the first`,
    ),
  ])
  mkdirSync(join(data, 'vault'), { mode: 0o700, recursive: true })
  copyFileSync(join(first, 'vault', 'root.key'), keyFile)
  expect((await (await serve('serve', data, [], shared)).stop()).code).toBe(0)
})

describe('serve', () => {
  let data: string
  let server: Server
  beforeAll(async () => {
    data = await madeFolder()
    server = await serve('serve', data)
  })
  afterAll(async () => {
    expect((await server.stop()).code).toBe(0)
  })

  test('goes on with what dev made, and makes organizations for whoever may open its socket', async () => {
    expect(server.stdout).toEqual([
      `claviger: the database is SQLite, ${join(data, 'claviger.db')}`,
      `claviger: ready on http://127.0.0.1:${server.port}`,
    ])
    const keyFile = join(data, 'key.json')
    const { publicKey } = JSON.parse((await run(['key', 'generate', '--out', keyFile, '--json'])).stdout.join(''))
    const created = await run([
      'org',
      'create',
      '--data',
      data,
      '--name',
      'Acme',
      '--api-public-key',
      publicKey,
      '--json',
    ])
    expect(created.code).toBe(0)
    const { organizationId, userId } = JSON.parse(created.stdout.join(''))

    const credentials = { ...JSON.parse(readFileSync(keyFile, 'utf8')), apiBaseUrl: server.url, organizationId }
    const file = join(data, 'created.json')
    writeFileSync(file, JSON.stringify(credentials))
    const { code, stdout } = await whoami(file)
    expect([code, JSON.parse(stdout.join(''))]).toEqual([
      0,
      { organizationId, organizationName: 'Acme', userId, username: 'Root user' },
    ])
  })

  test('makes an organization with a key and credentials that `request` takes as they are', async () => {
    const file = join(data, 'acme.json')
    const create = ['org', 'create', '--data', data, '--name', 'Acme', '--credentials-out', file]
    const created = await run(create)
    const credentials = JSON.parse(readFileSync(file, 'utf8'))
    const { organizationId, userId, apiPublicKey, apiPrivateKey } = credentials
    expect([created.code, created.stdout]).toEqual([
      0,
      [`organization: ${organizationId}`, `root user:    ${userId}`, `credentials:  ${file}`],
    ])
    expect(Object.keys(credentials)).toEqual(
      Object.keys(JSON.parse(readFileSync(join(data, 'credentials.json'), 'utf8'))),
    )
    expect([credentials.apiBaseUrl, statSync(file).mode & 0o777]).toEqual([server.url, 0o600])
    expect(apiPublicKey).toBe(Buffer.from(publicKeyOf('CURVE_P256', Buffer.from(apiPrivateKey, 'hex'))).toString('hex'))
    const asked = await whoami(file)
    expect([asked.code, JSON.parse(asked.stdout.join(''))]).toMatchObject([0, { organizationId, userId }])

    // Another time it would be the only copy of another key.
    const again = await run(create)
    expect([again.code, again.stderr]).toEqual([
      2,
      `claviger: ${file} exists already: name another file, or move this one away\n`,
    ])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(credentials)
  })

  test('leaves no credentials of an organization that was not made', async () => {
    const nobody = await madeFolder()
    const file = join(data, 'refused.json')
    const create = (...flags: readonly string[]) => run(['org', 'create', '--data', data, ...flags])
    const unreachable = await create('--data', nobody, '--name', 'Acme', '--credentials-out', file)
    expect([unreachable.code, existsSync(file)]).toEqual([3, false])
    const refused = await create('--name', 'two\nlines', '--credentials-out', file)
    expect([refused.code, existsSync(file)]).toEqual([2, false])
    const nowhere = await create('--name', 'Acme', '--credentials-out', join(data, 'no folder', 'acme.json'))
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('acme.json cannot be written (ENOENT)')])
    const keyless = await create('--name', 'Acme')
    expect([keyless.code, keyless.stderr]).toEqual([2, expect.stringContaining('--credentials-out')])
  })

  test('refuses an organization with a key or a name that cannot be one, and names the field', async () => {
    const apiPublicKey = '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296'
    const right = { organizationName: 'Acme', userName: 'Ada', apiKeyName: 'First', apiPublicKey }
    const create = (argument: unknown) =>
      callAdmin({ path: join(data, 'admin.sock'), verb: 'createOrganization', argument })
    expect(await create(right)).toEqual({
      organizationId: expect.any(String),
      userId: expect.any(String),
      apiBaseUrl: server.url,
    })
    for (const [argument, message] of [
      [{ ...right, apiPublicKey: 'abc' }, 'apiPublicKey must be a compressed P-256 point'],
      [{ ...right, apiPublicKey: `02${'ff'.repeat(32)}` }, 'apiPublicKey must be a compressed P-256 point'],
      [{ ...right, apiPublicKey: `04${'ab'.repeat(64)}` }, 'apiPublicKey must be a compressed P-256 point'],
      [{ ...right, apiPublicKey: 7 }, 'apiPublicKey must be a public key'],
      [{ ...right, organizationName: '' }, 'organizationName must be'],
      [{ ...right, organizationName: 'two\nlines' }, 'organizationName must be'],
      [{ ...right, userName: 'a'.repeat(257) }, 'userName must be'],
      [{ ...right, apiKeyName: undefined }, 'apiKeyName'],
      [{ ...right, threshold: 2 }, 'threshold'],
      [Object.create(right), 'organizationName'],
      ['Acme', 'invalid request'],
      [null, 'invalid request'],
      [undefined, 'invalid request'],
    ] as const) {
      await expect(create(argument), JSON.stringify(argument)).rejects.toThrow(message)
    }
    const asTyped = ['org', 'create', '--data', data, '--name', 'Acme', '--api-public-key', 'abc', '--json']
    const { code, stdout } = await run(asTyped)
    expect([code, JSON.parse(stdout.join(''))]).toEqual([2, { error: { message: expect.stringContaining('P-256') } }])
  })
})

describe('a server with settings', () => {
  let data: string
  let server: Server
  beforeAll(async () => {
    data = freshFolder()
    server = await serve('dev', data, ['--json', '--public-url', 'https://keys.example.com', '--limit-wallets', '1'])
  })
  afterAll(async () => {
    expect((await server.stop()).code).toBe(0)
  })

  test('says that it is ready in JSON, like all others with --json', async () => {
    const database = `SQLite, ${join(data, 'claviger.db')}`
    expect(server.stdout.map((line) => JSON.parse(line))).toEqual([{ event: 'ready', url: server.url, database }])
  })
  test('writes the credentials of a key that is held elsewhere without its private half', async () => {
    const { publicKey } = JSON.parse((await run(['key', 'generate', '--json'])).stdout.join(''))
    const file = join(data, 'acme.json')
    const flags = ['--data', data, '--name', 'Acme', '--credentials-out', file, '--api-public-key', publicKey]
    const created = await run(['org', 'create', ...flags, '--json'])
    const { organizationId, userId } = JSON.parse(created.stdout.join(''))
    const apiBaseUrl = 'https://keys.example.com'
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      ...{ apiBaseUrl, organizationId, userId },
      apiPublicKey: publicKey,
    })
  })

  test('holds as many of each thing as the settings allow', async () => {
    const create = (walletName: string) =>
      run([
        ...['request', 'create_wallet', '--json', '--credentials', join(data, 'credentials.json')],
        ...['--body', JSON.stringify({ parameters: { walletName, accounts: [] } })],
      ])
    expect((await create('first')).code).toBe(0)
    const refused = await create('second')
    expect(refused.code).toBe(4)
    expect(JSON.parse(refused.stdout.join(''))).toMatchObject({ code: 8, message: expect.stringContaining('1') })
  })
})

test('the line that says ready is the last one, and names an address that answers when the server listens everywhere', async () => {
  const server = await serve('dev', freshFolder(), ['--host', '0.0.0.0'])
  expect(server.stdout.at(-1)).toBe(`claviger: ready on http://127.0.0.1:${server.port}`)
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  expect((await server.stop()).code).toBe(0)
})

test('the first start says once that it is ready, and logs that and the link that it makes', async () => {
  const server = await serve('dev', freshFolder())
  const { stdout, stderr } = await server.stop()
  expect(stdout.filter((line) => line.includes('ready'))).toHaveLength(1)
  const message = "a link that adds a passkey to a user was made over the operator's socket"
  expect(
    stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ message: 'ready' }, { level: 'warn', message }])
})

test('the start names the database of PostgreSQL on standard output and in the log, without user and password', async () => {
  const url = await temporaryDatabase()
  const environment = { CLAVIGER_DATABASE_URL: url.replace('postgres@', 'postgres:sesame@') }
  const data = freshFolder()
  await (await serve('dev', data, [], { environment })).stop()
  const server = await serve('serve', data, [], { environment })
  const { database: name, hosts } = readDatabaseUrl(url)
  const database = `PostgreSQL, database ${name} on ${hosts[0]?.name}:5432`
  expect(server.stdout.at(-2)).toBe(`claviger: the database is ${database}`)
  const { stdout, stderr } = await server.stop()
  const logged = stderr.split('\n').filter((line) => line.includes('"message":"ready"'))
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ level: 'info', url: server.url, database }])
  expect(stdout.join('\n') + stderr).not.toContain('sesame')
})
