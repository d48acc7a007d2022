import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makePostgres } from '../test/support/postgres/server.ts'
import { endPostgres } from '../test/support/postgres/standby.ts'
import { type Connection, openConnection } from './connection.ts'
import { strangerAddress } from './connection_floods.ts'
import { type Server, startClaviger } from './servers.ts'

/**
 * Measures on PostgreSQL how long somebody waits who reads the transparency log, beside one address that reads files of
 * logs over many connections:
 *
 *     node bench/log_readers.ts [SECONDS] [DIR]
 *
 * DIR: the checkout of another version, which is measured in place of this one.
 */
const floods = ['of logs that do not exist', 'of the log that are not there', 'of the log'] as const
type Flood = (typeof floods)[number]

const connections = 3_800
/** A server begins 500 connections of an address in a second. */
const begunMs = 8_000
const [, , first, second, kind, path] = process.argv
if (first === 'flood') flood(Number(second), kind as Flood, path ?? '')
else await measureAll(Number(first ?? 10), second)

async function measureAll(seconds: number, root?: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'claviger-readers-'))
  // Not below it: the server's own user must reach it.
  const postgres = await makePostgres(await mkdtemp('/tmp/claviger-postgres-'))
  const more = ['--log-level', 'error', '--database-url', postgres.url('postgres')]
  const server = await startClaviger(folder, { more, ...(root === undefined ? {} : { root }) })
  try {
    const logPath = await publishedLog(server)
    console.log(
      `| ${connections} connections that read files | Checkpoint, p50, p99 and slowest ms | List of logs, the same | Refused | Answers of the flood a second |`,
    )
    console.log('|---|---|---|---|---|')
    for (const what of ['nobody else', ...floods] as const)
      console.log(await measured(server, { what, logPath, seconds }))
  } finally {
    await server.stop()
    await endPostgres(postgres.folder)
    for (const made of [folder, postgres.folder]) await rm(made, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function publishedLog({ url }: Server): Promise<string> {
  for (;;) {
    const { logs } = await (await fetch(`${url}/log/`)).json()
    if (logs.length > 0) return logs[0].path
    await sleep(100)
  }
}

type Measure = { readonly what: Flood | 'nobody else'; readonly logPath: string; readonly seconds: number }

async function measured({ url }: Server, { what, logPath, seconds }: Measure): Promise<string> {
  let answered = 0
  const child =
    what === 'nobody else' ? undefined : fork(import.meta.filename, ['flood', new URL(url).port, what, logPath])
  child?.on('message', (message) => {
    answered = Number(message)
  })
  const reader = await openConnection(url)
  await sleep(begunMs)
  const answeredBefore = answered
  const startMs = performance.now()
  const ofCheckpoint = createReads(reader, `${logPath}/checkpoint`)
  const ofList = createReads(reader, '/log/')
  while (performance.now() < startMs + seconds * 1_000) {
    await ofCheckpoint.read()
    await ofList.read()
    await sleep(20)
  }
  const rate = ((answered - answeredBefore) * 1_000) / (performance.now() - startMs)
  reader.close()
  if (child?.kill('SIGKILL')) await once(child, 'exit')
  const refused = ofCheckpoint.refused() + ofList.refused()
  return `| ${what} | ${ofCheckpoint.told()} | ${ofList.told()} | ${refused} | ${Math.round(rate)} |`
}

function createReads(connection: Connection, path: string) {
  const times: number[] = []
  let refused = 0
  return {
    async read(): Promise<void> {
      const startMs = performance.now()
      const { status } = await connection.exchange(requestFor(path))
      times.push(performance.now() - startMs)
      if (status !== 200) refused += 1
    },
    refused: () => refused,
    told(): string {
      const sorted = times.toSorted((a, b) => a - b)
      const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(0)
      return `${at(0.5)}, ${at(0.99)}, ${at(1)}`
    },
  }
}

function requestFor(path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
}

/** Asks for one file after another over each connection. */
function flood(port: number, what: Flood, logPath: string): void {
  let answered = 0
  const names: Record<Flood, () => string> = {
    'of logs that do not exist': () => `/log/${randomBytes(16).toString('hex')}/checkpoint`,
    'of the log that are not there': () =>
      `${logPath}/tile/0/x${threeDigits()}/${threeDigits()}.p/${1 + Math.floor(Math.random() * 255)}`,
    'of the log': () => `${logPath}/${['checkpoint', 'cosigned', 'tile/0/000.p/1'][Math.floor(Math.random() * 3)]}`,
  }
  for (let index = 0; index < connections; index += 1) {
    const socket = connect({ host: '127.0.0.1', port, localAddress: strangerAddress })
    socket.on('error', () => {}) // 'close' follows
    socket.on('data', (chunk: Buffer) => {
      if (chunk.toString('latin1', 0, 7) !== 'HTTP/1.') return
      answered += 1
      if (socket.writable) socket.write(requestFor(names[what]()))
    })
    socket.write(requestFor(names[what]()))
  }
  setInterval(() => process.send?.(answered), 250)
}

function threeDigits(): string {
  return Math.floor(Math.random() * 1_000)
    .toString()
    .padStart(3, '0')
}
