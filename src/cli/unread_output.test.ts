import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, constants, existsSync, mkdtempSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { bundledProgram } from '../../test/support/bundle.ts'
import { plainEnvironment, vaultsOf } from '../../test/support/running_server.ts'
import { freshFolder, killLaunched, madeFolder, serve, whoami } from '../../test/support/server_command.ts'
import { type UnreadPipe, unreadPipe } from '../../test/support/unread_pipe.ts'
import { makeWitness, textFile } from '../../test/support/witness_command.ts'

afterAll(killLaunched)

/** Starts a command whose outputs both go to a file, or standard output to another one. */
function launchInto(path: string, parts: readonly string[], standardOutput = path) {
  const outputs = [standardOutput, path].map((file) => openSync(file, constants.O_WRONLY))
  const child = spawn(process.execPath, [bundledProgram(), ...parts], {
    env: plainEnvironment(),
    stdio: ['ignore', ...outputs],
  })
  for (const output of outputs) closeSync(output)
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, ended: once(child, 'exit') }
}

const devInto = (path: string) =>
  launchInto(path, ['dev', '--data', freshFolder(), '--port', '0', '--log-level', 'debug'])

async function textWith(pipe: UnreadPipe, sought: RegExp): Promise<string> {
  let text = ''
  while (!sought.test(text)) {
    text += pipe.read()
    await sleep(5)
  }
  return text
}

async function urlIn(pipe: UnreadPipe): Promise<string> {
  const text = await textWith(pipe, /ready on http:\S+\s/)
  return /ready on (http:\S+)/.exec(text)?.[1] ?? ''
}

const longPath = `/${'x'.repeat(4_000)}`

async function ask(url: string, requests: number): Promise<void> {
  for (let count = 0; count < requests; count += 1) await (await fetch(url + longPath)).text()
}

test('a reader of the log that stands still stops neither requests nor the end of the server', async () => {
  const pipe = unreadPipe()
  const { child, ended } = devInto(pipe.path)
  const url = await urlIn(pipe)
  await ask(url, 50)
  expect((await fetch(`${url}/livez`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

test('lines of the log that nobody read in time are lost and counted, and the others are whole', async () => {
  const pipe = unreadPipe()
  const { child, ended } = devInto(pipe.path)
  const url = await urlIn(pipe)
  const requests = 600
  await ask(url, requests)
  let text = await textWith(pipe, /"lost":\d+/)
  child.kill('SIGTERM')
  for (; child.exitCode === null; await sleep(5)) text += pipe.read()
  expect(await ended).toEqual([0, null])
  text += pipe.read()
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const written = lines.filter(({ path }) => path === longPath).length
  const lost = lines.map((line) => line.lost ?? 0).reduce((sum, one) => sum + one, 0)
  expect(lost).toBeGreaterThan(0)
  expect(written + lost).toBe(requests)
})

test('a reader of the log that is gone stops nothing', async () => {
  const pipe = unreadPipe()
  const { child, ended } = devInto(pipe.path)
  const url = await urlIn(pipe)
  pipe.close()
  await ask(url, 20)
  expect((await fetch(`${url}/livez`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

test('a server starts and ends although nobody reads what it prints', async () => {
  const pipe = unreadPipe()
  pipe.fill()
  const data = await madeFolder()
  const { child, ended } = launchInto(pipe.path, ['serve', '--data', data, '--port', '0'])
  while (!existsSync(join(data, 'admin.sock'))) await sleep(5)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

test('a start that fails ends although nobody reads why', async () => {
  const pipe = unreadPipe()
  pipe.fill()
  for (const flags of [[], ['--json']]) {
    const { ended } = launchInto(pipe.path, ['serve', '--data', freshFolder(), ...flags])
    expect(await ended).toEqual([2, null])
  }
})

test('a vault under a user of its own goes on although nobody reads its log', async () => {
  const pipe = unreadPipe()
  pipe.fill()
  const data = await madeFolder()
  for (const folder of [data, join(data, 'mark')]) chmodSync(folder, 0o700)
  const socket = join(mkdtempSync(join(tmpdir(), 'claviger-socket-')), 'vault.sock')
  const { child, ended } = launchInto(pipe.path, ['vault', '--socket', socket, '--data', data, '--vaults', '1'])
  while (!existsSync(socket)) await sleep(5)
  const server = await serve('serve', data, ['--vault-socket', socket])
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  expect(vaultsOf(data)).toHaveLength(1)
  expect((await server.stop()).code).toBe(0)
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

for (const command of ['dev', 'serve']) {
  test(`${command} whose log is on a full disk ends with 2 and says so on standard output, and the other way round`, async () => {
    const data = await madeFolder()
    const parts = [command, '--data', data, '--port', '0']
    for (const [full, name] of [
      ['log', 'standard error'],
      ['lines', 'standard output'],
    ]) {
      const pipe = unreadPipe()
      const [log, lines] = full === 'log' ? ['/dev/full', pipe.path] : [pipe.path, '/dev/full']
      expect(await launchInto(log, parts, lines).ended).toEqual([2, null])
      expect(pipe.read()).toMatch(
        new RegExp(`^claviger: ${name}, which is /dev/full, cannot be written \\(ENOSPC\\): make room there`, 'm'),
      )
    }
    expect(await launchInto('/dev/full', parts).ended).toEqual([2, null])
    expect(vaultsOf(data)).toEqual([])
    expect((await whoami(join(data, 'credentials.json'))).code).toBe(3)
  })
}

test('so do a vault under a user of its own and a witness, which log nothing else at their start', async () => {
  const data = await madeFolder()
  for (const folder of [data, join(data, 'mark')]) chmodSync(folder, 0o700)
  const socket = join(mkdtempSync(join(tmpdir(), 'claviger-socket-')), 'vault.sock')
  const { data: witness, keys } = await makeWitness()
  for (const parts of [
    ['vault', '--socket', socket, '--data', data],
    ['witness', '--data', witness, '--logs', textFile(`log ${keys[0]}\n`), '--port', '0'],
  ]) {
    const pipe = unreadPipe()
    expect(await launchInto('/dev/full', parts, pipe.path).ended).toEqual([2, null])
    expect(pipe.read()).toMatch(/^claviger: standard error, which is \/dev\/full, cannot be written \(ENOSPC\)/m)
  }
})

test('a command whose result cannot be written ends with 2 and says so', async () => {
  for (const parts of [['key', 'generate'], ['key', 'generate', '--json'], ['--help'], ['--version']]) {
    const pipe = unreadPipe()
    expect(await launchInto(pipe.path, parts, '/dev/full').ended).toEqual([2, null])
    expect(pipe.read()).toMatch(/^claviger: standard output, which is \/dev\/full, cannot be written \(ENOSPC\)/)
  }
})
