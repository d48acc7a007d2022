import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newBooksFolder } from '../../../../test/support/books.ts'
import { bundleCopiesIn } from './bundle_copies.ts'

const bytes = Buffer.from('a bundle')

function copiesIn(directory: string) {
  const warnings: string[] = []
  return { warnings, ...bundleCopiesIn(directory, { warn: (_, message) => warnings.push(message) }) }
}

test('the newest 4,096 copies are kept, also for a later process', async () => {
  const directory = join(newBooksFolder(), 'bundles')
  const copies = copiesIn(directory)
  for (const number of [0, 1, 4_096]) await copies.keep(number, bytes)
  const later = copiesIn(directory)
  expect(await Promise.all([0, 1, 2, 4_096].map(later.read))).toEqual([undefined, bytes, undefined, bytes])
  expect([copies.warnings, later.warnings]).toEqual([[], []])
})

test('a copy that was cut off, as by a loss of power, is none', async () => {
  const directory = newBooksFolder()
  const copies = copiesIn(directory)
  await copies.keep(7, bytes)
  for (const size of [39, 20, 0]) {
    truncateSync(join(directory, '7'), size)
    expect(await copies.read(7)).toBeUndefined()
  }
})

test('the log goes on when no copy can be kept, and the operator is told once', async () => {
  const file = join(newBooksFolder(), 'file')
  writeFileSync(file, '')
  const copies = copiesIn(file)
  for (const number of [0, 1]) await copies.keep(number, bytes)
  expect(copies.warnings).toEqual(['copies of bundles of the transparency log cannot be kept'])
})
