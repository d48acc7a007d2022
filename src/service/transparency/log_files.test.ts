import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { databases } from '../../../test/support/store/fixtures.ts'
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
const log = {
  ...{ logId, origin: `wallets.example/log/${logId}`, keys: Buffer.from('key'), size: 256 * bundlesCount },
  ...{ checkpoint: Buffer.from('checkpoint'), last: new Uint8Array() },
}

describe.each(databases)('on $name, a tile above the entries', ({ make }) => {
  async function filesOf(numbers: readonly number[]) {
    const store = await (await make()).open()
    const bundles = numbers.map((number) => ({ number, root: roots[number] ?? Buffer.of(), entries: Buffer.of() }))
    await store.keepLog({ logId, log, bundles })
    const files = createLogFiles(store)
    return async (name: string) => {
      const body = (await files(`/log/${logId}/${name}`))?.body
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
    await expect(files(path)).rejects.toMatchObject({ name: 'Failure', httpStatus: 503 })
  }
})
