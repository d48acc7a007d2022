import { createHash, randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { databases } from '../../../test/support/store/fixtures.ts'
import { writeEntries } from '../../protocol/log/tree/tiles.ts'
import { cosignedIdOf, type IndexedLog, logsMax } from '../store/store.ts'
import { inFlightOfAddressMax } from '../turns/in_flight.ts'
import { createLogFiles } from './log_files.ts'

const sha256 = (...parts: readonly Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()

/** The root over hashes of complete subtrees, as many as a power of two (RFC 6962, 2.1). */
function rootOver(hashes: readonly Uint8Array[]): Buffer {
  const [first = Buffer.of()] = hashes
  if (hashes.length === 1) return Buffer.from(first)
  const middle = hashes.length / 2
  return sha256(Buffer.of(1), rootOver(hashes.slice(0, middle)), rootOver(hashes.slice(middle)))
}

const logId = '0a'.repeat(16)
const bundlesCount = 600
const roots = Array.from({ length: bundlesCount }, () => randomBytes(32))
const peer = '203.0.113.7'
const log = {
  ...{ logId, origin: `wallets.example/log/${logId}`, keys: Buffer.from('key'), size: 256 * bundlesCount },
  ...{ checkpoint: Buffer.from('checkpoint'), last: new Uint8Array() },
}

describe.each(databases)('on $name, a cosigned checkpoint', ({ make }) => {
  test('stands beside the newest one, and takes its place while it is of that', async () => {
    const store = await (await make()).open()
    const files = createLogFiles(store)
    const textAt = async (name: string) => (await files(`/log/${name}`, peer))?.body.toString()
    const bytesAt = async (name: string) =>
      Buffer.from((await files(`/log/${logId}/${name}`, peer))?.body ?? []).toString()
    const keep = (id: string, size: number, checkpoint: string) =>
      store.keepLog({ logId: id, log: { ...log, logId: id, size, checkpoint: Buffer.from(checkpoint) }, bundles: [] })
    await keep(logId, 1, 'one')
    expect([await bytesAt('checkpoint'), await bytesAt('cosigned')]).toEqual(['one', ''])
    const list = await textAt('')
    await keep(cosignedIdOf(logId), 1, 'one, cosigned')
    expect([await bytesAt('checkpoint'), await bytesAt('cosigned')]).toEqual(['one, cosigned', 'one, cosigned'])
    expect(await textAt('')).toBe(list)
    await keep(logId, 2, 'two')
    expect([await bytesAt('checkpoint'), await bytesAt('cosigned')]).toEqual(['two', 'one, cosigned'])
    // A smaller one does not take its place.
    await keep(cosignedIdOf(logId), 0, 'none')
    expect(await bytesAt('cosigned')).toBe('one, cosigned')
    expect(await files(`/log/${cosignedIdOf(logId)}/checkpoint`, peer)).toBeUndefined()
  })
})

describe.each(databases)('on $name, a tile above the entries', ({ make }) => {
  async function filesOf(numbers: readonly number[]) {
    const store = await (await make()).open()
    const bundles = numbers.map((number) => ({ number, root: roots[number] ?? Buffer.of(), entries: Buffer.of() }))
    await store.keepLog({ logId, log, bundles })
    const files = createLogFiles(store)
    return async (name: string) => {
      const body = (await files(`/log/${logId}/${name}`, peer))?.body
      return body && Buffer.from(body)
    }
  }

  test('has the roots of those below it', async () => {
    const file = await filesOf(roots.keys().toArray())
    expect(await file('tile/1/000')).toEqual(Buffer.concat(roots.slice(0, 256)))
    expect(await file('tile/1/001.p/3')).toEqual(Buffer.concat(roots.slice(256, 259)))
    expect(await file('tile/1/002.p/88')).toEqual(Buffer.concat(roots.slice(512)))
    const ofLevel2 = [roots.slice(0, 256), roots.slice(256, 512)].map(rootOver)
    for (let look = 0; look < 2; look += 1) expect(await file('tile/2/000.p/2')).toEqual(Buffer.concat(ofLevel2))
    expect(await file('tile/1/002.p/89')).toBeUndefined()
    expect(await file('tile/3/000.p/1')).toBeUndefined()
  })

  test('is not there if the database lacks one of them', async () => {
    const file = await filesOf(
      roots
        .keys()
        .filter((number) => number !== 300)
        .toArray(),
    )
    expect(await file('tile/1/000')).toBeDefined()
    expect(await file('tile/1/001.p/44')).toBeDefined()
    for (const name of ['tile/1/001', 'tile/1/001.p/45', 'tile/2/000.p/2']) expect(await file(name)).toBeUndefined()
  })
})

test('a database that cannot be read makes an answer of 503', async () => {
  const broken = () => Promise.reject(new Error('no connection'))
  const files = createLogFiles({ logs: broken, log: broken, logBundle: broken, bundleRoots: broken })
  for (const path of ['/log/', `/log/${logId}/checkpoint`]) {
    await expect(files(path, peer)).rejects.toMatchObject({ name: 'Failure', httpStatus: 503 })
  }
})

test('many who read at once make few reads of the database, and wait for these alone', async () => {
  let underWay = 0
  let most = 0
  const reads = new Map<string, number>()
  async function counted<T>(name: string, value: T): Promise<T> {
    reads.set(name, (reads.get(name) ?? 0) + 1)
    underWay += 1
    most = Math.max(most, underWay)
    await setImmediate()
    underWay -= 1
    return value
  }
  const bundle = writeEntries(Array.from({ length: 256 }, (_, at) => Buffer.of(at)))
  const files = createLogFiles({
    logs: () => counted('logs', [{ ...log, indexed: 0 }]),
    log: () => counted('log', { ...log, indexed: 0 }),
    logBundle: ({ number }) => counted(`bundle ${number}`, bundle),
    bundleRoots: () => counted('roots', []),
  })
  const paths = ['entries', '0'].flatMap((level) =>
    ['000', '001'].flatMap((number) => Array.from({ length: 255 }, (_, at) => `${level}/${number}.p/${at + 1}`)),
  )
  const found = await Promise.all(paths.map((path) => files(`/log/${logId}/tile/${path}`, peer)))
  expect(found.map((file) => file?.body.length)).toEqual(
    [34, 32].flatMap((bytes) => [0, 1].flatMap(() => Array.from({ length: 255 }, (_, at) => bytes * (at + 1)))),
  )
  expect(most).toBeLessThanOrEqual(2)
  expect(Object.fromEntries(reads)).toEqual({ logs: 1, 'bundle 0': 1, 'bundle 1': 1 })
})

/** A store with the logs of `rows`, whose reads are counted by name and last a turn of the event loop. */
function countedStore(rows: readonly IndexedLog[]) {
  const reads: string[] = []
  async function counted<T>(name: string, value: T): Promise<T> {
    reads.push(name)
    await setImmediate()
    return value
  }
  return {
    reads,
    store: {
      logs: () => counted('logs', rows),
      log: (id: string) =>
        counted(
          id.endsWith('/cosigned') ? 'cosigned' : 'log',
          rows.find((row) => row.logId === id),
        ),
      logBundle: () => counted('bundle', undefined),
      bundleRoots: () => counted('roots', []),
    },
  }
}

test('an id that is no log takes no place and no read, and a new log is there a second later', async () => {
  const rows: IndexedLog[] = []
  const { store, reads } = countedStore(rows)
  let nowMs = 5_000
  const files = createLogFiles(store, () => nowMs)
  const unknown = (count: number) =>
    Array.from({ length: count }, () => files(`/log/${randomBytes(16).toString('hex')}/checkpoint`, peer))
  expect(new Set(await Promise.all(unknown(3_000)))).toEqual(new Set([undefined]))
  for (const asked of unknown(10)) expect(await asked).toBeUndefined()
  expect(reads).toEqual(['logs'])
  rows.push({ ...log, indexed: 0 })
  nowMs += 1_000
  expect(await files(`/log/${logId}/checkpoint`, peer)).toMatchObject({ body: log.checkpoint })
  expect(await Promise.all(unknown(10))).toHaveLength(10)
  expect(reads).toEqual(['logs', 'logs', 'log', 'cosigned'])
  // The list of logs says at once what is new.
  rows.push({ ...log, logId: '0b'.repeat(16), indexed: 0 })
  await files('/log/', peer)
  expect(await files(`/log/${'0b'.repeat(16)}/checkpoint`, peer)).toBeDefined()
})

test('a log beyond those that are listed is read by its id, in a turn, and an id before their end takes no read', async () => {
  const idAt = (at: number) => at.toString(16).padStart(32, '0')
  const rows = Array.from({ length: logsMax + 1 }, (_, at): IndexedLog => ({ ...log, logId: idAt(2 * at), indexed: 0 }))
  const { store, reads } = countedStore(rows)
  const files = createLogFiles({ ...store, logs: () => store.logs().then((all) => all.slice(0, logsMax)) }, () => 0)
  const beyond = idAt(2 * logsMax)
  expect(await files(`/log/${beyond}/checkpoint`, peer)).toMatchObject({ body: log.checkpoint })
  expect(reads).toEqual(['logs', 'log', 'cosigned'])
  expect(await files(`/log/${beyond}/tile/1/003`, peer)).toBeUndefined()
  expect(reads).toEqual(['logs', 'log', 'cosigned', 'log'])
  // Those between two listed ones, and those behind.
  for (const at of [1, 2 * logsMax - 3]) expect(await files(`/log/${idAt(at)}/checkpoint`, peer)).toBeUndefined()
  expect(reads).toHaveLength(4)
  expect(await files(`/log/${idAt(2 * logsMax + 1)}/checkpoint`, peer)).toBeUndefined()
  expect(await files(`/log/${idAt(2 * logsMax + 1)}/tile/0/000`, peer)).toBeUndefined()
  expect(reads.slice(4)).toEqual(['log', 'log'])
})

test('a thousand made-up ids behind the list of an address make another wait for few', async () => {
  const rows = Array.from({ length: logsMax }, (_, at): IndexedLog => {
    return { ...log, logId: at.toString(16).padStart(32, '0'), indexed: 0 }
  })
  const { store } = countedStore(rows)
  const files = createLogFiles(store, () => 0)
  await files('/log/', peer)
  let answered = 0
  const flood = Array.from({ length: inFlightOfAddressMax }, async () => {
    await files(`/log/f${randomBytes(16).toString('hex').slice(1)}/checkpoint`, 'flood')
    answered += 1
  })
  await files(`/log/${rows[0]?.logId}/checkpoint`, 'quiet')
  expect(answered).toBeLessThanOrEqual(10)
  await Promise.all(flood)
})

test('a name that is none of a file takes no read', async () => {
  const { store, reads } = countedStore([{ ...log, indexed: 0 }])
  const files = createLogFiles(store)
  for (const name of ['tile/1/0', 'tile/x/000', 'checkpoint/', 'x']) {
    expect(await files(`/log/${logId}/${name}`, peer)).toBeUndefined()
  }
  expect(reads).toEqual([])
})

test('one address has a bound of the files that it waits for, and others are served beside it', async () => {
  const { store } = countedStore([{ ...log, indexed: 0 }])
  const gate = Promise.withResolvers<void>()
  const files = createLogFiles({ ...store, bundleRoots: () => gate.promise.then(() => []) })
  const asked = Array.from({ length: 1_500 }, () => files(`/log/${logId}/tile/1/000`, 'flood'))
  const ofOther = files(`/log/${logId}/checkpoint`, 'quiet')
  const first = await Promise.allSettled(asked.slice(inFlightOfAddressMax))
  for (const answer of first) expect(answer).toMatchObject({ status: 'rejected', reason: { httpStatus: 503 } })
  gate.resolve()
  expect(await ofOther).toBeDefined()
  expect(await Promise.all(asked.slice(0, inFlightOfAddressMax))).toHaveLength(inFlightOfAddressMax)
  expect(await files(`/log/${logId}/checkpoint`, 'flood')).toBeDefined()
})

test('peers take turns: one that asks for a thousand files makes another wait for few', async () => {
  const { store } = countedStore([{ ...log, indexed: 0 }])
  const files = createLogFiles(store)
  await files('/log/', peer)
  let answered = 0
  const flood = Array.from({ length: inFlightOfAddressMax }, async (_, at) => {
    const name = at % 3 === 0 ? 'checkpoint' : `tile/${at % 2}/${String(at % 600).padStart(3, '0')}`
    await files(`/log/${logId}/${name}`, 'flood')
    answered += 1
  })
  for (const path of [`/log/${logId}/checkpoint`, `/log/${logId}/tile/1/000`, '/log/']) {
    const before = answered
    await files(path, 'quiet')
    expect(answered - before).toBeLessThanOrEqual(10)
  }
  await Promise.all(flood)
  expect(answered).toBe(inFlightOfAddressMax)
})
