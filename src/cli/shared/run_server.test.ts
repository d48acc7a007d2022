import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { vaultsOf } from '../../../test/support/running_server.ts'
import {
  freshFolder,
  killLaunched,
  launch,
  madeFolder,
  run,
  serve,
  whoami,
} from '../../../test/support/server_command.ts'

afterAll(killLaunched)

describe('a start that cannot succeed leaves no process behind:', () => {
  test('a folder of the journal that is none, which one line names', async () => {
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

  test('a database that a newer program made, which one line names', async () => {
    const data = await madeFolder()
    const path = join(data, 'claviger.db')
    using database = new DatabaseSync(path)
    database.exec("insert into migrations (number, name) values (99, 'from the future')")
    for (const command of ['dev', 'serve']) {
      const { code, stdout, stderr } = await run([command, '--data', data, '--port', '0'])
      expect([code, stdout]).toEqual([2, []])
      expect(stderr).toMatch(/^claviger: \S+claviger\.db cannot be opened: the database has schema 99, and [^\n]+\n$/)
    }
    expect(vaultsOf(data)).toEqual([])
  })

  test('known passcodes in production', async () => {
    const data = await madeFolder()
    const { code, stdout, stderr } = await run(['serve', '--data', data, '--port', '0', '--sandbox-passcodes', 'on'])
    const expected = 'claviger: CLAVIGER_SANDBOX_PASSCODES (--sandbox-passcodes) must be off, except under `dev`\n'
    expect([code, stdout, stderr]).toEqual([2, [], expected])
    expect(vaultsOf(data)).toEqual([])
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
    expect((await whoami(join(data, 'credentials.json'))).code).toBe(0)
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
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) {
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

  test('ends within ten seconds though the vault hangs while it decides, and leaves no vault', async () => {
    const data = freshFolder()
    const server = await serve('dev', data)
    const [vault] = vaultsOf(data)
    if (vault === undefined) throw new Error('a server has a vault')
    process.kill(vault.pid, 'SIGSTOP')
    const asked = whoami(join(data, 'credentials.json'))
    await sleep(500)
    const startMs = performance.now()
    expect((await server.stop()).code).toBe(0)
    // Docker kills it after ten seconds. A busy machine takes some more, and no bound of the server is that long.
    expect(performance.now() - startMs).toBeLessThan(30_000)
    expect(vaultsOf(data)).toEqual([])
    await asked
  })

  test('takes a bounded time, whatever hangs, and says so', async () => {
    const hanging = `
      import { stopSignal } from ${JSON.stringify(new URL('run_server.ts', import.meta.url).href)}
      stopSignal()
      setInterval(() => {}, 1_000)
      console.log('ready')`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', hanging])
    onTestFinished(() => void child.kill('SIGKILL'))
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([0, null])
    expect(stderr).toBe('claviger: the stop took too long: what still hangs is cut off\n')
  })

  test('while it still starts is orderly too', async () => {
    const data = freshFolder()
    const launched = launch(['dev', '--data', data, '--port', '0'])
    while (!existsSync(join(data, 'claviger.db'))) await new Promise(setImmediate)
    launched.child.kill('SIGTERM')
    const { code, stdout, stderr } = await launched.ended
    expect([code, stdout]).toEqual([0, []])
    expect(stderr).toMatch(/^claviger: SIGTERM has ended the start$/m)
    expect(vaultsOf(data)).toEqual([])
  })

  // As an init system does, to all processes of a service; and as one does that was held up between them.
  test.each([0, 100])('while it still starts says so, also %i ms after the signal to its vault', async (laterMs) => {
    const data = await madeFolder()
    const launched = launch(['serve', '--data', data, '--port', '0'])
    let [vault] = vaultsOf(data)
    for (; vault === undefined; [vault] = vaultsOf(data)) await new Promise(setImmediate)
    process.kill(vault.pid, 'SIGTERM')
    await sleep(laterMs)
    launched.child.kill('SIGTERM')
    const { code, stdout, stderr } = await launched.ended
    expect([code, stdout]).toEqual([0, []])
    expect(stderr.split('\n').filter((line) => !line.includes('"warn"'))).toEqual([
      'claviger: SIGTERM has ended the start',
      '',
    ])
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
