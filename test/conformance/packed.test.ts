import { execFile } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { hashMessage, recoverAddress } from 'viem'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ethereumAccount, serverClient } from '../support/clients.ts'
import {
  plainEnvironment,
  processesBelow,
  type RunningServer,
  repositoryFolder,
  startRunningServer,
} from '../support/running_server.ts'

/** An installation unpacks a Node of 150 MB. */
const installTimeoutMs = 240_000

/** Half of it is the console, as it is and compressed in two ways. */
const packedBytesMax = 2_800_000
const unpackedBytesMax = 6_900_000

describe('the package that npm pack makes', () => {
  let tarball: string
  /** Where it is installed. */
  let folder: string
  let files: readonly string[]
  beforeAll(async () => {
    const packed = newFolder()
    await npm(repositoryFolder, 'pack', '--pack-destination', packed)
    tarball = join(packed, globSync('*.tgz', { cwd: packed })[0] ?? '')
    folder = newFolder()
    await npm(folder, 'install', '--prefix', folder, '--omit=dev', '--no-audit', '--no-fund', tarball)
    files = filesBelow(join(folder, 'node_modules/claviger'))
  }, installTimeoutMs)

  test(`has at most ${packedBytesMax} bytes, and unpacked ${unpackedBytesMax}`, () => {
    expect(statSync(tarball).size).toBeLessThanOrEqual(packedBytesMax)
    const sizes = files.map((file) => statSync(join(folder, 'node_modules/claviger', file)).size)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(unpackedBytesMax)
  })

  test('is compiled JavaScript, assets and what stands beside them: no source, no test, nothing that names a source', () => {
    const others = files.filter((file) => !file.endsWith('.js') && !file.startsWith('console/dist/assets/'))
    const pages = globSync(['docs/*.md', 'docs/operate/*.md'], { cwd: repositoryFolder }).toSorted()
    expect(others.toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin/claviger',
      'console/dist/index.html',
      'console/dist/verify.html',
      'deploy/compose/Dockerfile',
      'deploy/compose/make_secrets.sh',
      'deploy/compose/many_nodes.yaml',
      'deploy/compose/one_node.yaml',
      'deploy/compose/parts.yaml',
      'deploy/compose/start_database.sh',
      'deploy/compose/two_nodes.yaml',
      'deploy/haproxy/haproxy.cfg',
      'deploy/systemd/claviger-vault.service',
      'deploy/systemd/claviger-vault@.service',
      'deploy/systemd/claviger.service',
      'deploy/systemd/claviger@.service',
      'dist/service/http/assets/docs.css',
      'dist/service/http/assets/docs.html',
      'dist/service/http/assets/icon.svg',
      ...pages,
      'package.json',
    ])
    const compiled = files.filter((file) => file.endsWith('.js') && !file.startsWith('console/dist/'))
    expect(compiled.filter((file) => !file.startsWith('dist/') || /\.test\.js$|fixtures/.test(file))).toEqual([])
    const text = (file: string) => readFileSync(join(folder, 'node_modules/claviger', file), 'utf8')
    expect(compiled.filter((file) => /\.ts['"`]/.test(text(file)))).toEqual([])
  })

  test('serves and signs from a folder that has nothing else', async () => {
    const server = await start({ through: 'bin', where: folder })
    const [vault] = processesBelow(server.pid)
    expect(vault?.command).toContain(join(folder, 'node_modules/claviger/dist/vault/main.js'))
    expect(vault?.command).toContain(join(folder, 'node_modules/node/'))
    expect(await signs(server)).toBe(true)
    for (const path of ['/', '/docs', '/docs/docs.js', '/docs/docs.css']) {
      expect((await fetch(server.url + path)).status).toBe(200)
    }
    await server.stop()
    // Code comes from the package alone: it keeps no cache of what Node compiled, as a checkout does.
    expect(filesBelow(join(folder, 'node_modules/claviger'))).toEqual(files)
  })

  test('tells its version', async () => {
    const { version } = JSON.parse(readFileSync(join(repositoryFolder, 'package.json'), 'utf8'))
    const run = promisify(execFile)(join(folder, 'node_modules/.bin/claviger'), ['--version'], { env: environment() })
    expect((await run).stdout).toBe(`${version}\n`)
  })

  test('says that it has no Node where npm has installed none', async () => {
    const alone = newFolder()
    cpSync(join(folder, 'node_modules/claviger'), alone, { recursive: true })
    const run = promisify(execFile)(join(alone, 'bin/claviger'), ['--version'], { env: environment() })
    await expect(run).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(/^claviger: .*'node'.*\n$/) })
  })
})

test(
  'npm ci --omit=dev and npm start are enough in a checkout',
  async () => {
    const checkout = newFolder()
    for (const name of ['.npmrc', 'package.json', 'package-lock.json', 'bin', 'src', 'console/build.ts']) {
      cpSync(join(repositoryFolder, name), join(checkout, name), { recursive: true })
    }
    await npm(checkout, 'ci', '--omit=dev')
    expect(existsSync(join(checkout, 'console', 'dist'))).toBe(false)
    const server = await start({ through: 'npm', where: checkout })
    expect(await signs(server)).toBe(true)
    await server.stop()
  },
  installTimeoutMs,
)

/** A server that does not outlive its test, even one that fails. */
async function start(given: Parameters<typeof startRunningServer>[0]): Promise<RunningServer> {
  const server = await startRunningServer(given)
  onTestFinished(async () => {
    await server.end('SIGKILL')
  })
  return server
}

/** Whether an unmodified client gets a signature that another library finds to be the wallet's. */
async function signs(server: RunningServer): Promise<boolean> {
  const client = serverClient(server)
  const { addresses } = await client.createWallet({ walletName: 'signs', accounts: [ethereumAccount()] })
  const hash = hashMessage('hello')
  const { r, s, v } = await client.signRawPayload({
    signWith: addresses[0] ?? '',
    payload: hash.slice(2),
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  })
  const signature = { r: `0x${r}`, s: `0x${s}`, yParity: Number(v) } as const
  return (await recoverAddress({ hash, signature })) === addresses[0]
}

/** Runs npm in a folder. Throws with its output unless it exits with code 0. */
async function npm(folder: string, ...given: readonly string[]): Promise<void> {
  await promisify(execFile)('npm', given, { cwd: folder, env: environment() })
}

/** Nothing of this repository on the path. What `npm ci` left in npm's cache is not asked for again. */
function environment(): NodeJS.ProcessEnv {
  const { PATH = '', ...others } = plainEnvironment()
  const folders = PATH.split(delimiter).filter((entry) => !entry.startsWith(repositoryFolder))
  return { ...others, PATH: folders.join(delimiter), npm_config_prefer_offline: 'true' }
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'claviger-installed-'))
}

function filesBelow(folder: string): readonly string[] {
  const all = globSync('**', { cwd: folder })
  return all.filter((file) => statSync(join(folder, file)).isFile())
}
