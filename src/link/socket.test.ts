import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { AdminError } from './admin_error.ts'
import { type AdminHandlers, callAdmin, serveAdmin } from './socket.ts'

const opened: Awaited<ReturnType<typeof serveAdmin>>[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((admin) => admin.close()))
})

const freshPath = () => join(mkdtempSync(join(tmpdir(), 'claviger-admin-')), 'admin.sock')

async function served(handlers: Record<string, (argument: unknown) => Promise<unknown>>, path = freshPath()) {
  const table: AdminHandlers = new Map(Object.entries(handlers))
  opened.push(await serveAdmin({ path, handlers: table }))
  return path
}

/** Returns the answer to these bytes. */
function raw(path: string, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(path, () => socket.end(bytes))
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

describe('the operator', () => {
  test('sees no control characters in an error', async () => {
    const path = await served({
      async lie() {
        throw new AdminError('\u001b[2J\u009bnothing\u202e differs\n')
      },
    })
    const refused = new AdminError('\uFFFD[2J\uFFFDnothing\uFFFD differs\uFFFD')
    await expect(callAdmin({ path, verb: 'lie', argument: {} })).rejects.toThrow(refused)
  })

  test('sees nothing of an answer that is no JSON', async () => {
    const path = freshPath()
    const server = createServer((socket) => socket.end('\u001b[2J\n')).listen(path)
    await once(server, 'listening')
    const refused = new AdminError('the server gave no answer')
    await expect(callAdmin({ path, verb: 'any', argument: {} })).rejects.toThrow(refused)
    server.close()
  })

  test('asks a verb with an argument and is answered with its result', async () => {
    const path = await served({ echo: async (argument) => ({ got: argument }) })
    expect(await callAdmin({ path, verb: 'echo', argument: { name: 'Ada\n✓' } })).toEqual({ got: { name: 'Ada\n✓' } })
  })

  for (const verb of ['missing', 'constructor', '__proto__', 'get', '']) {
    test(`is told that there is no verb ${JSON.stringify(verb)}`, async () => {
      const path = await served({})
      await expect(callAdmin({ path, verb, argument: 1 })).rejects.toThrow(AdminError)
    })
  }

  test('is told the message of the handler’s error', async () => {
    const path = await served({ fail: async () => Promise.reject(new AdminError('the name is taken')) })
    await expect(callAdmin({ path, verb: 'fail', argument: 1 })).rejects.toThrow('the name is taken')
  })

  test('is told when the server hangs up', async () => {
    const path = freshPath()
    const rude = createServer((socket) => socket.destroy()).listen(path)
    await once(rude, 'listening')
    await expect(callAdmin({ path, verb: 'echo', argument: 1 })).rejects.toThrow(/closed|ended/)
    rude.close()
  })

  test('is hung up on when the server ends and the answer takes too long', async () => {
    const asked = Promise.withResolvers<void>()
    const hang = () => {
      asked.resolve()
      return new Promise<never>(() => {})
    }
    const path = await served({ hang: async () => hang() })
    const refused = expect(callAdmin({ path, verb: 'hang', argument: 1 })).rejects.toThrow(/closed|ended/)
    await asked.promise
    await opened.pop()?.close(AbortSignal.timeout(10))
    await refused
  })

  test('is told when no server is running, also where a killed one left its file', async () => {
    const path = freshPath()
    const start = 'claviger serve'
    await expect(callAdmin({ path, verb: 'echo', argument: 1 })).rejects.toThrow(start)
    leaveStaleSocket(path)
    await expect(callAdmin({ path, verb: 'echo', argument: 1 })).rejects.toThrow(start)
  })

  for (const bytes of ['\n', 'null\n', '[]\n', '{"verb":1}\n', 'not json\n', '{"verb":', Buffer.from([0xff, 0x0a])]) {
    test(`is answered with an error for ${JSON.stringify(bytes.toString())}`, async () => {
      const path = await served({ echo: async (argument) => argument })
      expect(JSON.parse(await raw(path, bytes))).toEqual({ error: { message: expect.any(String) } })
    })
  }

  for (const [bytes, outcome] of [
    [1_048_576, 'result'],
    [1_048_577, 'error'],
  ] as const) {
    test(`is answered with ${outcome} for a request of ${bytes} bytes, counted as bytes and with its line's end`, async () => {
      const path = await served({ count: async () => 1 })
      const empty = '{"verb":"count","argument":""}\n'
      const letters = Math.floor((bytes - empty.length) / 2)
      const filler = 'é'.repeat(letters) + 'x'.repeat(bytes - empty.length - 2 * letters)
      const answer = await raw(path, empty.replace('""', `"${filler}"`))
      expect(Object.keys(JSON.parse(answer))).toEqual([outcome])
    })
  }
})

describe('the socket', () => {
  test('is for its owner only', async () => {
    const path = await served({})
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('of a server that runs is not taken from it', async () => {
    const path = await served({ echo: async () => 'first' })
    await expect(serveAdmin({ path, handlers: new Map() })).rejects.toThrow(
      'another server is running on this data folder',
    )
    expect(await callAdmin({ path, verb: 'echo', argument: 1 })).toBe('first')
  })

  test('that a killed server left behind is replaced', async () => {
    const path = freshPath()
    leaveStaleSocket(path)
    expect(existsSync(path)).toBe(true)
    await served({ echo: async () => 'second' }, path)
    expect(await callAdmin({ path, verb: 'echo', argument: 1 })).toBe('second')
  })

  test('of a server that takes no connection at the moment is not taken from it', async () => {
    const path = freshPath()
    const filled = await busyServer(path)
    await expect(serveAdmin({ path, handlers: new Map() })).rejects.toThrow('another server is running')
    await expect(callAdmin({ path, verb: 'echo', argument: 1 })).rejects.toThrow(
      `the server on ${path} takes no connection now (EAGAIN): try again`,
    )
    expect(existsSync(path)).toBe(true)
    for (const socket of filled) socket.destroy()
  })

  test('does not replace a file that is no socket', async () => {
    const path = freshPath()
    writeFileSync(path, 'precious')
    await expect(serveAdmin({ path, handlers: new Map() })).rejects.toThrow(AdminError)
    expect(existsSync(path)).toBe(true)
  })

  test('is gone when the server has closed', async () => {
    const path = await served({})
    await Promise.all(opened.splice(0).map((admin) => admin.close()))
    expect(existsSync(path)).toBe(false)
  })

  test('closes although a caller says nothing', async () => {
    const path = await served({})
    const socket = connect(path)
    await new Promise((resolve) => socket.once('connect', resolve))
    await Promise.all(opened.splice(0).map((admin) => admin.close()))
    expect(existsSync(path)).toBe(false)
  })

  test('with a path that is too long is refused, and the message says what to do', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'claviger-admin-')), 'a'.repeat(120))
    mkdirSync(folder)
    const path = join(folder, 'admin.sock')
    await expect(serveAdmin({ path, handlers: new Map() })).rejects.toThrow('--data')
    await expect(callAdmin({ path, verb: 'echo', argument: 1 })).rejects.toThrow('--data')
  })
})

function leaveStaleSocket(path: string): void {
  const program = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  spawnSync(process.execPath, ['-e', program])
}

/** Starts a server that accepts nothing, and connects as often as its queue has places. */
async function busyServer(path: string): Promise<readonly Socket[]> {
  const program = `require('node:net').createServer().listen({ path: ${JSON.stringify(path)}, backlog: 1 }, () => {
    console.log('listens')
    process.kill(process.pid, 'SIGSTOP')
  })`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const filled: Socket[] = []
  for (;;) {
    const socket = connect(path)
    try {
      await once(socket, 'connect')
    } catch {
      return filled
    }
    filled.push(socket)
  }
}
