import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { informational, writeWithoutEnd } from '../../../test/support/endless.ts'
import { logKey, signedNote } from '../../../test/support/log_keys.ts'
import { soon } from '../../../test/support/soon.ts'
import { temporaryStore } from '../../../test/support/store/fixtures.ts'
import { writeCheckpoint } from '../../protocol/log/notes/checkpoint.ts'
import { readNote, writeNote } from '../../protocol/log/notes/note.ts'
import { type SigningKey, signerOf, verifierKeyOf, verifierOf } from '../../protocol/log/notes/signatures.ts'
import { emptyFrontier, grown, leafHash, rootOf } from '../../protocol/log/tree/tree.ts'
import { cosignatures, decide, type TreeHead } from '../../protocol/log/witness.ts'
import { createWitnessClient } from '../delivery/connections/witness_client.ts'
import { cosignedIdOf, type LogRow } from '../store/store.ts'
import { askWitness } from './ask_witness.ts'
import { createLogTiles } from './log_tiles.ts'
import { startWitnessing } from './witnessing.ts'
import { startWitnessingOthers } from './witnessing_others.ts'

/** How a server takes what a witness may answer, over real HTTP. */

const logId = '0b'.repeat(16)
const key = logKey(`keys.example/log/${logId}`, 'Ed25519', 1)
const own = logKey('w.example', 'Ed25519 cosignature', 2)
const stranger = logKey('w.example', 'Ed25519 cosignature', 3)
const hashes = Array.from({ length: 9 }, (_, at) => createHash('sha256').update(`${at}`).digest())

function headAt(size: number): TreeHead {
  return { size, root: rootOf(hashes.slice(0, size).map(leafHash).reduce(grown, emptyFrontier)) }
}

function noteAt(size: number) {
  const text = writeCheckpoint({ origin: key.name, ...headAt(size), extensions: [] })
  return signedNote(text, [signerOf(key, { timeS: 0 })])
}

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/** Starts a witness that answers so, and returns its address. */
async function listening(handler: Handler): Promise<string> {
  const server = createServer((request, response) => void handler(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

const namesOf = (one: SigningKey, name: string) => new Map([[verifierOf(verifierKeyOf(one)), name]])
const post = createWitnessClient({ caFile: undefined })

function rowAt(size: number): LogRow {
  const last = Buffer.concat(hashes.slice(0, size))
  return { logId, origin: key.name, keys: Buffer.of(), size, checkpoint: writeNote(noteAt(size)), last }
}

/** Asks a witness that answers so about nine entries. It does not know what the witness has cosigned, but for `old`. */
async function asked(handler: Handler, { old = 0, signal = AbortSignal.timeout(20_000) } = {}) {
  const witness = { url: await listening(handler), names: namesOf(own, 'w') }
  const store = await temporaryStore()
  const row = rowAt(9)
  await store.keepLog({ logId, log: row, bundles: [] })
  return askWitness(witness, { row, note: noteAt(9), old }, { post, tiles: createLogTiles(store), signal })
}

const answering =
  (status: number, body: string | Uint8Array, type = 'text/plain'): Handler =>
  (_, response) =>
    response.writeHead(status, { 'content-type': type }).end(body)

/** One that has cosigned so much of the log. */
function honest(size: number, signer: SigningKey = own, timeS = 5): Handler {
  return async (request, response) => {
    const known = { verifiers: [verifierOf(verifierKeyOf(key))], latest: size === 0 ? undefined : headAt(size) }
    const answer = decide(await buffer(request), () => known)
    if (answer.status === 409) return answering(409, `${answer.size}\n`, 'text/x.tlog.size')(request, response)
    if (answer.status !== 200) return answering(answer.status, answer.reason)(request, response)
    return answering(200, cosignatures(answer.text, [signerOf(signer, { timeS })]))(request, response)
  }
}

const text = noteAt(9).text

test.each([0, 1, 2, 7, 8, 9])(
  'a witness that has cosigned %d entries says so, and cosigns with the right proof',
  async (size) => {
    for (const old of [0, size]) {
      const says = await asked(honest(size), { old })
      if (says.kind !== 'cosigned') throw new Error(says.reason)
      const signature = says.cosigned.get('w')?.signature ?? Buffer.of()
      expect([...says.cosigned.keys()]).toEqual(['w'])
      expect(verifierOf(verifierKeyOf(own)).verify(text, signature)).toEqual({ timeS: 5 })
    }
  },
)

test('an answer with further signatures gives those that are known', async () => {
  const both = [own, stranger].map((one) => signerOf(one, { timeS: 5 }))
  const says = await asked(answering(200, cosignatures(text, both)))
  expect(says.kind === 'cosigned' && says.cosigned.size).toBe(1)
})

const ofOther = cosignatures(noteAt(8).text, [signerOf(own, { timeS: 5 })])
test.each<[string, Handler, string]>([
  ['garbage', answering(200, 'garbage'), 'its answer is no cosignature'],
  ['nothing', answering(200, ''), 'its answer is no cosignature'],
  ['bytes', answering(200, Buffer.of(0xff, 0, 0xff)), 'its answer is no cosignature'],
  ['a signature of another checkpoint', answering(200, ofOther), 'its cosignature is wrong'],
  ['a signature of a stranger', honest(0, stranger), 'its cosignature is wrong: no known key has signed'],
  ['a signature without a time', honest(0, own, 0), 'its cosignature has no time'],
  ['500', answering(500, 'oh'), 'it answers with status 500'],
  ['404', answering(404, 'who?'), 'it answers with status 404'],
  ['a redirection', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), 'status 302'],
  ['409 without a size', answering(409, 'nine', 'text/x.tlog.size'), 'has no size'],
  ['409 of another type', answering(409, '3\n'), 'has no size'],
  ['409 again and again', answering(409, '3\n', 'text/x.tlog.size'), 'with one size and then with another'],
  ['a long answer', answering(200, 'a'.repeat(65_537)), 'longer than 65536 bytes'],
  [
    'informational answers without end',
    ({ socket }) => writeWithoutEnd(socket, informational),
    'longer than 65536 bytes',
  ],
  ['an end', (request) => request.socket.destroy(), 'socket hang up'],
  [
    'half an answer',
    (_, response) => response.writeHead(200, { 'content-length': 9 }).write('a', () => response.destroy()),
    'aborted',
  ],
  [
    'another protocol',
    (_, response) => response.writeHead(101, { connection: 'upgrade', upgrade: 'x' }).end(),
    'it asks for another protocol',
  ],
])('a witness that answers with %s has not cosigned', async (_name, handler, reason) => {
  expect(await asked(handler)).toEqual({ kind: 'failed', reason: expect.stringContaining(reason) })
})

test.each<[string, Handler]>([
  ['answers nothing', () => {}],
  ['never comes to the end', (_, response) => response.writeHead(200).write('a')],
])('a witness that %s is given up', async (_name, handler) => {
  const signal = AbortSignal.timeout(200)
  expect(await asked(handler, { signal })).toEqual({ kind: 'failed', reason: 'it does not answer in time' })
})

test('a witness that has cosigned more, or something else, contradicts', async () => {
  expect(await asked(answering(409, '10\n', 'text/x.tlog.size'))).toEqual({
    kind: 'contradicts',
    reason: 'it has cosigned 10 entries of 9',
  })
  expect(await asked(answering(422, 'no'))).toMatchObject({ kind: 'contradicts' })
})

/** Two witnesses of which one is enough: the first is honest, and the second answers so. */
async function startedWith(handler: Handler) {
  let cosigned = 0
  const first: Handler = async (request, response) => {
    const before = cosigned
    response.once('finish', () => {
      if (response.statusCode === 200) cosigned = newest
    })
    return honest(before)(request, response)
  }
  const store = await temporaryStore()
  const urls = [await listening(first), await listening(handler)]
  const lines: unknown[] = []
  const line = (level: string) => (_fields: object, message: string) => void lines.push([level, message])
  const witnessing = startWitnessing({
    witnesses: [
      { url: urls[0] ?? '', names: namesOf(own, 'first') },
      { url: urls[1] ?? '', names: namesOf(stranger, 'second') },
    ],
    isQuorum: (names) => names.size > 0,
    ...{ post, tiles: createLogTiles(store), store },
    log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
  })
  onTestFinished(() => witnessing.close())
  let newest = 0
  return {
    lines,
    troubles: witnessing.troubles,
    async see(size: number) {
      newest = size
      await store.keepLog({ logId, log: rowAt(size), bundles: [] })
      witnessing.see(rowAt(size))
    },
    cosignedSize: async () => (await store.log(cosignedIdOf(logId)))?.size,
    async signatures() {
      const note = readNote((await store.log(cosignedIdOf(logId)))?.checkpoint ?? Buffer.of())
      return note.kind === 'read' ? note.value.signatures.length : 0
    },
  }
}

test('a witness that hangs holds up neither the cosignature of another one nor, for long, the next checkpoint', async () => {
  const { see, cosignedSize, signatures, troubles, lines } = await startedWith(() => {})
  await see(3)
  await soon(async () => expect(await cosignedSize()).toBe(3))
  expect([await signatures(), troubles(), lines]).toEqual([2, [], []])
  await see(5)
  await soon(async () => expect(await cosignedSize()).toBe(5))
  await see(9)
  await soon(async () => expect(await cosignedSize()).toBe(9))
  expect(troubles()).toEqual([expect.stringContaining('does not cosign: it does not answer in time')])
  expect(lines).toEqual([['warn', 'a witness does not cosign']])
})

test('a witness that comes back adds its cosignature to those that are there', async () => {
  let isAway = true
  const { see, cosignedSize, signatures, troubles, lines } = await startedWith((request, response) =>
    isAway ? request.socket.destroy() : honest(0, stranger)(request, response),
  )
  await see(3)
  await soon(async () => expect([await cosignedSize(), troubles().length]).toEqual([3, 1]))
  expect(await signatures()).toBe(2)
  isAway = false
  await soon(async () => expect(await signatures()).toBe(3))
  expect([troubles(), lines]).toEqual([
    [],
    [
      ['warn', 'a witness does not cosign'],
      ['info', 'a witness cosigns again'],
    ],
  ])
})

/** What a node does for logs of others, whose newest checkpoint has nine entries and no cosignature. */
async function lookingAfter(handler: Handler, isOwn: boolean) {
  const store = await temporaryStore()
  await store.keepLog({ logId, log: rowAt(9), bundles: [] })
  const lines: unknown[] = []
  const warn = (fields: object, message: string) => void lines.push([message, fields])
  const others = startWitnessingOthers({
    witnesses: [{ url: await listening(handler), names: namesOf(own, 'w') }],
    isQuorum: (names) => names.size > 0,
    ...{ post, tiles: createLogTiles(store), store, isOwn: () => isOwn, lookEveryMs: 50 },
    log: { debug() {}, info() {}, warn, error: warn },
  })
  onTestFinished(() => others.close())
  return { lines, cosigned: async () => (await store.log(cosignedIdOf(logId)))?.size }
}

test('the last checkpoint of a node that is gone is cosigned when another one asks', async () => {
  const { cosigned, lines } = await lookingAfter(honest(0), false)
  await soon(async () => expect(await cosigned()).toBe(9))
  expect(lines).toEqual([])
})

test('a witness that does not know the log of a node that is gone is named once with it', async () => {
  const { cosigned, lines } = await lookingAfter(answering(404, 'who?'), false)
  await soon(() => expect(lines).not.toEqual([]))
  await sleep(2_000)
  const fields = { origin: key.name, reason: 'it answers with status 404' }
  expect(lines).toEqual([['a witness does not cosign', expect.objectContaining(fields)]])
  expect(await cosigned()).toBeUndefined()
})

test('a node does not look after its own log so, which it has cosigned anyway', async () => {
  let asked = 0
  const count: Handler = (_, response) => {
    asked += 1
    response.destroy()
  }
  await lookingAfter(count, true)
  await sleep(500)
  expect(asked).toBe(0)
})
