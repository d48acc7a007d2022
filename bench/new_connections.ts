import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection } from './connection.ts'
import { strangerAddress } from './connection_floods.ts'
import { startClaviger } from './servers.ts'

/**
 * Measures how long somebody waits who comes with a new connection, beside one address that opens connections, asks once
 * over each and opens the next:
 *
 *     node bench/new_connections.ts [SECONDS]
 */
const livez = Buffer.from('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n')
const [, , first, port, connections] = process.argv
if (first === 'flood') flood(Number(port), Number(connections))
else await measureAll(Number(first ?? 10))

async function measureAll(seconds: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'claviger-new-'))
  const server = await startClaviger(folder, { more: ['--log-level', 'error'] })
  try {
    console.log(
      '| Connections that open, ask once and end | New connection, p50 and slowest ms | Kept connection, p50 and slowest ms | Answered a second |',
    )
    console.log('|---|---|---|---|')
    for (const count of [0, 100, 1_000, 3_500]) console.log(await measured(server.url, count, seconds))
  } finally {
    await server.stop()
    await rm(folder, { recursive: true })
  }
}

async function measured(url: string, count: number, seconds: number): Promise<string> {
  const child = fork(import.meta.filename, ['flood', new URL(url).port, String(count)])
  let answered = 0
  child.on('message', (message) => {
    answered = Number(message)
  })
  const kept = await openConnection(url)
  await sleep(1_000)
  const endMs = performance.now() + seconds * 1_000
  const onNew: number[] = []
  const onKept: number[] = []
  while (performance.now() < endMs) {
    onKept.push(await timed(async () => void (await kept.exchange(livez))))
    onNew.push(
      await timed(async () => {
        const connection = await openConnection(url)
        await connection.exchange(livez)
        connection.close()
      }),
    )
    await sleep(20)
  }
  kept.close()
  child.kill('SIGKILL')
  await once(child, 'exit')
  return `| ${count} | ${told(onNew)} | ${told(onKept)} | ${Math.round(answered / (seconds + 1))} |`
}

async function timed(run: () => Promise<void>): Promise<number> {
  const startMs = performance.now()
  await run()
  return performance.now() - startMs
}

function told(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  return `${sorted[Math.floor(sorted.length / 2)]?.toFixed(0)}, ${sorted.at(-1)?.toFixed(0)}`
}

function flood(port: number, count: number): void {
  let answered = 0
  const open = () => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: strangerAddress })
    socket.once('data', () => {
      answered += 1
    })
    // The server ends the connection: else this address would run out of ports.
    socket.on('connect', () => socket.write('GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'))
    socket.on('error', () => {}) // 'close' follows
    socket.on('close', () => setTimeout(open, 1))
  }
  for (let index = 0; index < count; index += 1) open()
  setInterval(() => process.send?.(answered), 500)
}
