import { expect, test } from 'vitest'
import { newBooksFolder, openTestBooks } from '../../../../test/support/books.ts'
import { tileWidth } from '../../../protocol/log/tiles.ts'
import { publishLog } from './publish_log.ts'

const organizationId = '01234567-89ab-7cde-8f01-23456789abcd'
const fact = {
  ...{ atMs: 1, organizationId, activity: undefined, changeKey: '0d'.repeat(16) },
  ...{ restsOn: undefined, makes: undefined },
}
const signer = { keys: [], sign: ({ size }: { readonly size: number }) => Buffer.from(`tree of ${size}`) }

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
