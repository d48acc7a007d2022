import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { bundledProgram } from '../../../test/support/bundle.ts'
import { needsDebian } from '../../../test/support/debian.ts'
import { connected } from '../../../test/support/http_server.ts'
import { plainEnvironment, vaultsOf } from '../../../test/support/running_server.ts'
import { freshFolder, killLaunched, serve } from '../../../test/support/server_command.ts'
import { soon } from '../../../test/support/soon.ts'

afterAll(killLaunched)

/** Runs a command under a limit of open files. */
function runWith(openFiles: number, parts: readonly string[]) {
  const command = ['-c', 'ulimit -n "$0" && exec "$@"', String(openFiles), process.execPath, bundledProgram()]
  const { status, stderr } = spawnSync('sh', [...command, ...parts], { env: plainEnvironment(), encoding: 'utf8' })
  return [status, stderr]
}

test.runIf(process.platform === 'linux')(
  'a start with few file descriptors ends with 2 and names the limit and the remedy',
  () => {
    const data = freshFolder()
    for (const openFiles of [24, 32, 36, 40, 64, 511]) {
      for (const command of [['serve'], ['dev', '--port', '0'], ['vault', '--socket', join(data, 'vault.sock')]]) {
        expect(runWith(openFiles, [...command, '--data', data])).toEqual([
          2,
          `claviger: ${openFiles} open files are too few, 512 are needed: raise the limit, by \`ulimit -n 512\` before the start or by LimitNOFILE= in the unit\n`,
        ])
      }
    }
    expect(runWith(512, ['serve', '--data', data])).toEqual([2, expect.stringContaining('there is no key file')])
  },
)

test.runIf(process.platform === 'linux')(
  'strangers who open as many connections as there may be open files keep nobody out',
  async () => {
    const server = await serve('dev', freshFolder(), [], { openFiles: 512 })
    const idle = await Promise.all(Array.from({ length: 600 }, () => connected(server.port)))
    for (const socket of idle) socket.on('error', () => {}).resume()
    await soon(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200))
    for (const socket of idle) socket.destroy()
    expect((await server.stop()).stderr).toContain('too many connections')
  },
)

test('a vault that finds no file descriptor when it is started again is started once there is one', async (context) => {
  const prlimit = needsDebian('util-linux', context, 'prlimit')
  const data = freshFolder()
  const server = await serve('dev', data)
  const pid = String(server.child.pid)
  const limitFiles = (to: string) => execFileSync(prlimit, ['--pid', pid, `--nofile=${to}:`])
  const [vault] = vaultsOf(data)
  limitFiles(String(readdirSync(`/proc/${pid}/fd`).length - 4))
  process.kill(vault?.pid ?? expect.fail('no vault is running'), 'SIGKILL')
  const lines: string[] = []
  server.child.stderr.on('data', (chunk) => lines.push(String(chunk)))
  await soon(() => expect(lines.join('')).toContain('the vault could not be started'))
  expect(lines.join('')).toContain('this one too many open files')
  limitFiles('4096')
  await soon(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200))
  expect((await server.stop()).code).toBe(0)
})
