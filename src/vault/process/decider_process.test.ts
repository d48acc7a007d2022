import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { newBooksFolder, openTestBooks } from '../../../test/support/books.ts'
import { vaultSettingsIn } from '../../../test/support/vault_settings.ts'
import { createBooksDesk } from '../books/remote/books_desk.ts'
import { spawnDecider } from './decider_process.ts'

test('the vaults of a node share one listener for the end of this process, and leave none behind', async () => {
  const books = await openTestBooks(newBooksFolder())
  onTestFinished(() => books.close())
  const { verbsFor } = createBooksDesk(books)
  const settings = vaultSettingsIn(mkdtempSync(join(tmpdir(), 'claviger-decider-')))
  const openPipe = () => new PassThrough()
  const log = { info() {}, warn() {}, error() {} }
  const before = process.listenerCount('exit')
  const deciders = [1, 2].map(() => spawnDecider({ settings, openPipe, log, verbsFor }))
  expect(process.listenerCount('exit')).toBe(before + 1)
  for (const { end } of deciders) end()
  await Promise.all(deciders.map(({ gone }) => gone))
  await expect.poll(() => process.listenerCount('exit')).toBe(before)
})
