import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, test } from 'vitest'
import { plainEnvironment, processesBelow } from '../../test/support/running_server.ts'
import { callAdmin } from '../link/socket.ts'
import { publicKeyOf } from '../protocol/crypto/curves.ts'

const main = join(import.meta.dirname, 'main.ts')
const freshFolder = () => join(mkdtempSync(join(tmpdir(), 'claviger-cli-')), 'data')

type Given = { readonly environment?: Readonly<Record<string, string>> }
type Ran = { readonly code: number | null; readonly stdout: readonly string[]; readonly stderr: string }

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** Starts a command; `stdout` grows by its lines. */
function launch(parts: readonly string[], { environment = {} }: Given = {}) {
  const env = { ...plainEnvironment(), ...environment }
  const child = spawn(process.execPath, [main, ...parts], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  const stdout: string[] = []
  let stderr = ''
  const ready = Promise.withResolvers<string>()
  ready.promise.catch(() => {})
  createInterface({ input: child.stdout }).on('line', (line) => {
    stdout.push(line)
    const url = /ready on (http:\S+)$/.exec(line)?.[1] ?? /"event":"ready","url":"([^"]+)"/.exec(line)?.[1]
    if (url !== undefined) ready.resolve(url)
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = once(child, 'close').then(([code]): Ran => {
    ready.reject(new Error(`it ended with ${code}: ${stdout.join('\n')} ${stderr}`))
    return { code, stdout, stderr }
  })
  return { child, stdout, ready: ready.promise, ended }
}

const run = (parts: readonly string[], given?: Given) => launch(parts, given).ended

async function serve(command: 'dev' | 'serve', data: string, flags: readonly string[] = [], given: Given = {}) {
  const launched = launch([command, '--data', data, '--port', '0', ...flags], given)
  const url = await launched.ready
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    launched.child.kill(signal)
    return launched.ended
  }
  return { ...launched, url, port: Number(new URL(url).port), stop }
}

/** A data folder with a key file, a first organization, and no server. */
async function madeFolder(): Promise<string> {
  const data = freshFolder()
  const made = await serve('dev', data)
  expect((await made.stop()).code).toBe(0)
  return data
}

const whoami = (data: string) => run(['request', 'whoami', '--json', '--credentials', join(data, 'credentials.json')])

describe('serve', () => {
  test('without a key file ends with 2, says what to run, and makes nothing', async () => {
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

  test('starts on the folder that dev made, and makes organizations for anyone who may open its socket', async () => {
    const data = await madeFolder()
    const server = await serve('serve', data)
    expect(server.stdout).toEqual([`claviger: ready on http://127.0.0.1:${server.port}`])
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

    const { privateKey } = JSON.parse(readFileSync(keyFile, 'utf8'))
    const credentials = { apiBaseUrl: server.url, organizationId, apiPublicKey: publicKey, apiPrivateKey: privateKey }
    writeFileSync(join(data, 'credentials.json'), JSON.stringify(credentials))
    const { code, stdout } = await whoami(data)
    expect([code, JSON.parse(stdout.join(''))]).toEqual([
      0,
      { organizationId, organizationName: 'Acme', userId, username: 'Root user' },
    ])
    expect((await server.stop()).code).toBe(0)
  })

  test('makes an organization with a key and credentials that `request` takes as they are', async () => {
    const data = await madeFolder()
    const server = await serve('serve', data)
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
    const whoami = await run(['request', 'whoami', '--json', '--credentials', file])
    expect([whoami.code, JSON.parse(whoami.stdout.join(''))]).toMatchObject([0, { organizationId, userId }])

    // An existing file may be the only copy of another key.
    const again = await run(create)
    expect([again.code, again.stderr]).toEqual([2, `claviger: ${file} cannot be written, or exists already\n`])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(credentials)
    expect((await server.stop()).code).toBe(0)
  })

  test('writes the credentials of a key that is held elsewhere without its private half', async () => {
    const data = await madeFolder()
    const server = await serve('serve', data, ['--public-url', 'https://keys.example.com'])
    const { publicKey } = JSON.parse((await run(['key', 'generate', '--json'])).stdout.join(''))
    const file = join(data, 'acme.json')
    const flags = ['--data', data, '--name', 'Acme', '--credentials-out', file, '--api-public-key', publicKey]
    const created = await run(['org', 'create', ...flags, '--json'])
    const { organizationId, userId } = JSON.parse(created.stdout.join(''))
    const apiBaseUrl = 'https://keys.example.com/'
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      ...{ apiBaseUrl, organizationId, userId },
      apiPublicKey: publicKey,
    })
    expect((await server.stop()).code).toBe(0)
  })

  test('leaves no credentials of an organization that was not made', async () => {
    const data = await madeFolder()
    const file = join(data, 'acme.json')
    const create = (...flags: readonly string[]) => run(['org', 'create', '--data', data, ...flags])
    const unreachable = await create('--name', 'Acme', '--credentials-out', file)
    expect([unreachable.code, existsSync(file)]).toEqual([3, false])
    const server = await serve('serve', data)
    const refused = await create('--name', 'two\nlines', '--credentials-out', file)
    expect([refused.code, existsSync(file)]).toEqual([2, false])
    const nowhere = await create('--name', 'Acme', '--credentials-out', join(data, 'no folder', 'acme.json'))
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('cannot be written')])
    const keyless = await create('--name', 'Acme')
    expect([keyless.code, keyless.stderr]).toEqual([2, expect.stringContaining('--credentials-out')])
    expect((await server.stop()).code).toBe(0)
  })

  test('refuses an organization with a key or a name that cannot be one, and names the field', async () => {
    const data = freshFolder()
    const server = await serve('dev', data)
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
    expect((await server.stop()).code).toBe(0)
  })

  test('holds as many of each thing as the settings allow', async () => {
    const data = freshFolder()
    const server = await serve('dev', data, ['--limit-wallets', '1'])
    const create = (walletName: string) =>
      run([
        ...['request', 'create_wallet', '--json', '--credentials', join(data, 'credentials.json')],
        ...['--body', JSON.stringify({ parameters: { walletName, accounts: [] } })],
      ])
    expect((await create('first')).code).toBe(0)
    const refused = await create('second')
    expect(refused.code).toBe(4)
    expect(JSON.parse(refused.stdout.join(''))).toMatchObject({ code: 8, message: expect.stringContaining('1') })
    expect((await server.stop()).code).toBe(0)
  })
})

describe('the line that says ready', () => {
  test('is the last one, and names an address that answers when the server listens everywhere', async () => {
    const server = await serve('dev', freshFolder(), ['--host', '0.0.0.0'])
    expect(server.stdout.at(-1)).toBe(`claviger: ready on http://127.0.0.1:${server.port}`)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    expect((await server.stop()).code).toBe(0)
  })

  test('is JSON like all others with --json', async () => {
    const server = await serve('dev', freshFolder(), ['--json'])
    expect(server.stdout.map((line) => JSON.parse(line))).toEqual([{ event: 'ready', url: server.url }])
    expect((await server.stop()).code).toBe(0)
  })
})

describe('a passphrase file', () => {
  function passphraseFile(text: string): string {
    const path = join(mkdtempSync(join(tmpdir(), 'claviger-passphrase-')), 'passphrase')
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const unsealedBy = (path: string) => ({ environment: { CLAVIGER_ROOT_PASSPHRASE_FILE: path } })

  for (const command of ['dev', 'serve'] as const) {
    test(`opens the vault of ${command}, again after a restart, without any key file`, async () => {
      const data = freshFolder()
      const path = passphraseFile('correct horse battery staple\n')
      for (let start = 1; start <= 2; start += 1) {
        const server = await serve(command, data, [], unsealedBy(path))
        expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
        expect((await server.stop()).code).toBe(0)
      }
      expect(existsSync(join(data, 'vault'))).toBe(false)
    })
  }

  test('that is wrong, empty or missing ends the start with what is wrong, and leaves no process', async () => {
    const data = freshFolder()
    const right = passphraseFile('correct horse battery staple')
    const made = await serve('dev', data, [], unsealedBy(right))
    expect((await made.stop()).code).toBe(0)
    for (const [path, message] of [
      [passphraseFile('wrong horse'), /does not open: .*passphrase/],
      [passphraseFile(''), /passphrase file .* is empty: write/],
      [join(data, 'nothing'), /passphrase file .* cannot be read \(ENOENT\): make it/],
    ] as const) {
      const launched = launch(['serve', '--data', data, '--port', '0', '--json'], unsealedBy(path))
      const { code, stdout, stderr } = await launched.ended
      expect([code, stderr]).toEqual([2, ''])
      expect(JSON.parse(stdout.join(''))).toEqual({ error: { message: expect.stringMatching(message) } })
      expect(vaultsOf(data)).toEqual([])
    }
    const server = await serve('serve', data, [], unsealedBy(right))
    expect((await server.stop()).code).toBe(0)
  })

  test('given for a vault that a key file opens says how the vault was wrapped', async () => {
    const data = await madeFolder()
    const { code, stderr } = await run(['serve', '--data', data, '--port', '0'], unsealedBy(passphraseFile('any')))
    expect(code).toBe(2)
    expect(stderr).toMatch(/^claviger: .*was not wrapped by the unsealer passphrase.*\n$/)
  })
})

/** The vaults that run on a data folder. Their command line has their settings, and so the folder. */
function vaultsOf(data: string): readonly string[] {
  return processesBelow(1)
    .map(({ command }) => command)
    .filter((command) => command.includes(join('vault', 'main.ts')) && command.includes(data))
}

describe('a start that cannot succeed leaves no process behind:', () => {
  test('a journal folder that is no folder, which one line names', async () => {
    const data = freshFolder()
    const file = join(mkdtempSync(join(tmpdir(), 'claviger-mark-')), 'file')
    writeFileSync(file, '')
    for (const [path, errorCode] of [
      [file, 'EEXIST'],
      [join(file, 'mark'), 'ENOTDIR'],
    ]) {
      const { code, stderr } = await run(['dev', '--data', data, '--port', '0', '--mark-dir', `${path}`])
      const expected = `claviger: the folder of the journal, ${path}, cannot be used (${errorCode}): make it a folder that the user of the server may read and write, or set CLAVIGER_MARK_DIR\n`
      expect([code, stderr]).toEqual([2, expected])
    }
    expect(vaultsOf(data)).toEqual([])
  })

  test('a database with a trigger, which one line names, and without it the server starts', async () => {
    const data = await madeFolder()
    const path = join(data, 'claviger.db')
    using database = new DatabaseSync(path)
    database.exec('create trigger undo after update on organizations begin select 1; end')
    for (const command of ['dev', 'serve']) {
      const { code, stdout, stderr } = await run([command, '--data', data, '--port', '0'])
      const expected = `claviger: the schema of ${path} is not the one that this program makes: trigger undo on organizations was added; drop triggers, views and indexes that were added, put a backup back for anything else, and see who can write the file\n`
      expect([code, stdout, stderr]).toEqual([2, [], expected])
    }
    expect(vaultsOf(data)).toEqual([])
    database.exec('drop trigger undo')
    const server = await serve('serve', data)
    expect((await server.stop()).code).toBe(0)
  })

  test('a port that is taken, which the message names', async () => {
    const data = freshFolder()
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const ran = await run(['dev', '--data', data, '--port', String(port)])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(`claviger: cannot listen on 127.0.0.1 port ${port}: it is already in use`)
    expect(vaultsOf(data)).toEqual([])
    other.close()
    const server = await serve('dev', data)
    expect((await server.stop()).code).toBe(0)
  })

  test('a host that is none of this machine', async () => {
    const data = freshFolder()
    const ran = await run(['dev', '--data', data, '--port', '0', '--host', '203.0.113.1'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('no address of this machine')
    expect(vaultsOf(data)).toEqual([])
  })

  test('a data folder on which another server runs, and that one goes on', async () => {
    const data = freshFolder()
    const first = await serve('dev', data)
    for (const command of ['dev', 'serve']) {
      const { code, stderr } = await run([command, '--data', data, '--port', '0'])
      expect([code, stderr]).toEqual([2, `claviger: another server is running on the data folder ${data}\n`])
    }
    expect(vaultsOf(data)).toHaveLength(1)
    expect((await whoami(data)).code).toBe(0)
    expect((await first.stop()).code).toBe(0)
  })

  test('credentials that cannot be read, although the server had started', async () => {
    const data = await madeFolder()
    writeFileSync(join(data, 'credentials.json'), '{')
    const { code, stderr } = await run(['dev', '--data', data, '--port', '0'])
    expect(code).toBe(2)
    expect(stderr).toContain('credentials.json cannot be read')
    expect(vaultsOf(data)).toEqual([])
  })

  test('a setting that does not exist', async () => {
    const environment = { CLAVIGER_PROT: '1' }
    const { code, stderr } = await run(['dev', '--data', freshFolder()], { environment })
    expect([code, stderr]).toEqual([2, 'claviger: CLAVIGER_PROT is no setting: did you mean CLAVIGER_PORT?\n'])
  })
})

describe('ending', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`by ${signal} is orderly: exit code 0, and neither vault nor socket are left`, async () => {
      const data = freshFolder()
      const server = await serve('dev', data)
      expect(vaultsOf(data)).toHaveLength(1)
      for (const socket of ['admin.sock', 'vault.sock']) expect(statSync(join(data, socket)).mode & 0o777).toBe(0o600)
      expect(statSync(data).mode & 0o777).toBe(0o700)
      const { code } = await server.stop(signal)
      expect(code).toBe(0)
      expect(vaultsOf(data)).toEqual([])
      for (const socket of ['admin.sock', 'vault.sock']) expect(existsSync(join(data, socket))).toBe(false)
    })
  }

  test('waits for a request that is being sent, and further signals change nothing', async () => {
    const server = await serve('dev', freshFolder())
    const socket = connect(server.port, '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.write(
      'POST /public/v1/query/whoami HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{',
    )
    while (!answer.includes('100 Continue')) await once(socket, 'data')
    for (const signal of ['SIGTERM', 'SIGTERM', 'SIGINT'] as const) server.child.kill(signal)
    while (await isListening(server.port));
    socket.write('}')
    await once(socket, 'close')
    expect(answer).toContain('HTTP/1.1 401 Unauthorized')
    expect((await server.ended).code).toBe(0)
  })

  test('while it still starts is orderly too', async () => {
    const data = freshFolder()
    const launched = launch(['dev', '--data', data, '--port', '0'])
    while (!existsSync(join(data, 'claviger.db'))) await new Promise(setImmediate)
    launched.child.kill('SIGTERM')
    expect((await launched.ended).code).toBe(0)
    expect(vaultsOf(data)).toEqual([])
  })

  test('by SIGKILL takes the vault along, and the next start works', async () => {
    const data = freshFolder()
    const server = await serve('dev', data)
    await server.stop('SIGKILL')
    expect(existsSync(join(data, 'admin.sock'))).toBe(true)
    const next = await serve('serve', data)
    expect((await fetch(`${next.url}/readyz`)).status).toBe(200)
    expect((await next.stop()).code).toBe(0)
    while (vaultsOf(data).length > 0) await new Promise(setImmediate)
  })

  async function isListening(port: number): Promise<boolean> {
    const socket = connect(port, '127.0.0.1')
    const outcome = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    return outcome
  }
})
