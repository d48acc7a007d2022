import { createPublicKey, ECDH, type KeyObject, randomBytes, verify } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isMainThread, parentPort, receiveMessageOnPort, Worker, workerData } from 'node:worker_threads'

/**
 * The yardstick of `bench/signing.ts`: the least that a signed activity can cost. One process parses, verifies the
 * stamp in the thread pool with a cached key, signs with native secp256k1, and has a row of 2 KB on disk before it
 * answers. Rows that come together share one sync. It checks nothing else, decides nothing and seals nothing.
 *
 * It never changes and uses nothing of `src/`, because figures of different days are compared by their ratio to it.
 *
 *     node bench/limit_server.ts <folder>
 */

const rowBytes = 2_048
const batchRowsMax = 256

type Row = { readonly id: string; readonly body: Uint8Array }

if (isMainThread) serve(process.argv[2] ?? '')
else write(workerData)

function serve(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const commit = startWriter(join(folder, 'limit.db'))
  const { ecdsaSign } = createRequire(import.meta.url)('secp256k1/bindings')
  const privateKey = randomBytes(32)

  async function answer(request: IncomingMessage): Promise<string> {
    const message = await bodyOf(request)
    const { type, timestampMs, organizationId, parameters } = JSON.parse(message.toString('utf8'))
    const { publicKey, scheme, signature } = JSON.parse(
      Buffer.from(String(request.headers['x-stamp']), 'base64url').toString('utf8'),
    )
    if (!(await isSignedBy(publicKey, message, fromDer(Buffer.from(signature, 'hex'))))) throw new Error('wrong stamp')
    const signed = ecdsaSign(Buffer.from(parameters.payload, 'hex'), privateKey)
    const id = nextId()
    const body = Buffer.alloc(rowBytes)
    message.copy(body)
    await commit({ id, body })

    const [r, s] = [signed.signature.subarray(0, 32), signed.signature.subarray(32)].map(hex)
    const time = { seconds: timestampMs.slice(0, -3), nanos: '0' }
    const vote = {
      id,
      user: { apiKeys: [{ publicKey, id, time }], id, time },
      message: String(message),
      publicKey,
      signature,
      scheme,
    }
    return JSON.stringify({
      activity: {
        ...{ id, organizationId, status: 'COMPLETED', type, intent: { signIntent: parameters } },
        ...{ result: { signResult: { r, s, v: `0${signed.recid}` } }, votes: [vote], createdAt: time, updatedAt: time },
      },
    })
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (text) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        response.end(text)
      },
      () => response.writeHead(400, { 'content-length': 0 }).end(),
    )
  })
  server.listen(0, '127.0.0.1', () => {
    console.log(`limit: ready on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
}

function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', reject)
  })
}

const keys = new Map<string, KeyObject>()

function isSignedBy(publicKey: string, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const known = keys.get(publicKey)
  const key = known ?? importKey(publicKey)
  if (known === undefined) keys.set(publicKey, key)
  return new Promise((resolve, reject) => {
    verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature, (error, isValid) => {
      if (error) reject(error)
      else resolve(isValid)
    })
  })
}

function importKey(publicKey: string): KeyObject {
  const point = ECDH.convertKey(publicKey, 'prime256v1', 'hex', undefined, 'uncompressed') as Buffer
  const x = point.subarray(1, 33).toString('base64url')
  const y = point.subarray(33).toString('base64url')
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
}

/** SEQUENCE { INTEGER r, INTEGER s } as r ‖ s of 32 bytes each. */
function fromDer(der: Buffer): Buffer {
  const signature = Buffer.alloc(64)
  let at = 2
  for (const end of [32, 64]) {
    const length = der[at + 1] ?? 0
    const integer = der.subarray(at + 2, at + 2 + length).subarray(-32)
    integer.copy(signature, end - integer.length)
    at += 2 + length
  }
  return signature
}

let counter = 0

/** Grows with time, as a UUIDv7 does. */
function nextId(): string {
  counter = (counter + 1) % 0x1000000
  const text = Date.now().toString(16).padStart(12, '0') + counter.toString(16).padStart(6, '0') + hex(randomBytes(7))
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

/** The writer's thread, seen from the thread that asks: resolves when the row is on disk. */
function startWriter(path: string): (row: Row) => Promise<void> {
  const worker = new Worker(new URL(import.meta.url), { workerData: path })
  const waiting: (() => void)[] = []
  let collected: Row[] = []
  worker.on('message', (rows: number) => {
    for (const resolve of waiting.splice(0, rows)) resolve()
  })
  worker.on('error', (error) => {
    throw error
  })
  return (row) =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (collected.push(row) > 1) return
      setImmediate(() => {
        worker.postMessage(collected)
        collected = []
      })
    })
}

/** The writer's thread itself. */
function write(path: string): void {
  const database = new DatabaseSync(path)
  // The settings are the server's, because a slower limit would flatter the ratio.
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma fullfsync = on')
  database.exec('pragma wal_autocheckpoint = 16384; pragma journal_size_limit = 134217728; pragma cache_size = -65536')
  database.exec('create table if not exists activities (id text primary key not null, body blob not null) strict')
  const [begin, commit] = [database.prepare('begin immediate'), database.prepare('commit')]
  const insert = database.prepare('insert into activities (id, body) values (?, ?)')
  const port = parentPort
  if (port === null) throw new Error('the writer is a worker thread')
  const waiting: Row[] = []

  port.on('message', (rows: readonly Row[]) => {
    waiting.push(...rows)
    while (waiting.length > 0) {
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
        waiting.push(...next.message)
      }
      const batch = waiting.splice(0, batchRowsMax)
      begin.run()
      for (const { id, body } of batch) insert.run(id, body)
      commit.run()
      port.postMessage(batch.length)
    }
  })
}
