import { expect, test } from 'vitest'
import { newBooksFolder, openTestBooks } from '../../../../test/support/books.ts'
import { hashOfLogEntry } from '../../../protocol/log/encode_entry.ts'
import { tileWidth } from '../../../protocol/log/tree/tiles.ts'
import { emptyFrontier, emptyRoot, grown, leafHash, rootOf } from '../../../protocol/log/tree/tree.ts'
import { publishLog } from './publish_log.ts'

const organizationId = '01234567-89ab-7cde-8f01-23456789abcd'
const fact = {
  ...{ atMs: 1, organizationId, activity: undefined, changeKey: '0d'.repeat(16) },
  ...{ restsOn: undefined, makes: undefined },
}
const signer = {
  keys: [],
  signedHere: () => undefined,
  sign: ({ size }: { readonly size: number }) => Buffer.from(`tree of ${size}`),
}

test('a checkpoint is shown once all bundles that it covers have been handed over', async () => {
  const books = await openTestBooks(newBooksFolder())
  for (let bundle = 0; bundle < 18; bundle += 1) await books.enter(Array.from({ length: tileWidth }, () => fact))
  await books.enter([fact])
  const first = await publishLog(books, signer, { stored: [] })
  expect([first.bundles.map(({ number }) => number), first.checkpoint]).toEqual([
    Array.from({ length: 16 }, (_, number) => number),
    undefined,
  ])
  const last = await publishLog(books, signer, { stored: first.bundles.map(({ bytes }) => bytes) })
  expect([last.bundles.map(({ number }) => number), last.size]).toEqual([[16, 17], 18 * tileWidth + 1])
  expect(last.checkpoint).toEqual(signer.sign({ size: last.size }))
  await books.close()
})

test('a log that has signed what its journal does not continue publishes nothing, and nothing more may leave', async () => {
  const checkpoint = (size: number, root: Uint8Array) => ({ origin: '', size, root, extensions: [] })
  let seenAs = checkpoint(0, emptyRoot)
  const reading = { ...signer, signedHere: (note: Uint8Array) => (note.length === 0 ? undefined : seenAs) }
  async function opened(count: number) {
    const books = await openTestBooks(newBooksFolder())
    const roots = [emptyRoot]
    let tree = emptyFrontier
    for (let at = 0; at < count; at += 1) {
      await books.enter([{ ...fact, atMs: at + 1 }])
      const { entries } = books.transparency.kept()
      tree = grown(tree, leafHash(hashOfLogEntry(entries.at(-1) ?? Buffer.of())))
      roots.push(rootOf(tree))
    }
    const see = (size: number, root: Uint8Array, note = 'signed') => {
      seenAs = checkpoint(size, root)
      return publishLog(books, reading, { stored: [], seen: Buffer.from(note) })
    }
    return { books, roots, see }
  }
  const count = 2 * tileWidth + 3
  const { books, roots, see } = await opened(count)
  for (const [size, root] of roots.entries()) {
    if (size % 100 === 0 || size >= count - 2) expect((await see(size, root)).forked).toBeUndefined()
  }
  // Nobody's checkpoint, and one of entries that the journal has forgotten, say nothing.
  expect((await see(count + 1, emptyRoot, '')).forked).toBeUndefined()
  const { bundles } = await publishLog(books, signer, { stored: [] })
  await publishLog(books, signer, { stored: bundles.slice(0, 1).map(({ bytes }) => bytes) })
  expect((await see(tileWidth - 1, emptyRoot)).forked).toBeUndefined()
  expect((await see(tileWidth, roots[tileWidth] ?? emptyRoot)).forked).toBeUndefined()
  expect(books.refusal()).toBeUndefined()
  expect(await see(300, emptyRoot)).toMatchObject({
    ...{ forked: expect.stringContaining('another tree of 300 entries'), checkpoint: undefined, bundles: [], size: 0 },
  })
  expect(books.refusal()).toContain('another tree of 300 entries')
  // It stays so, whatever is shown.
  expect((await see(count, roots[count] ?? emptyRoot)).forked).toContain('another tree of 300 entries')
  await books.close()

  const older = await opened(2)
  expect((await older.see(3, emptyRoot)).forked).toContain('signed a tree of 3 entries, and the journal has 2 of them')
  expect(older.books.refusal()).toContain('an older copy')
  await older.books.close()
})
