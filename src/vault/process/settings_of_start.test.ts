import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newBooksFolder, openTestBooks } from '../../../test/support/books.ts'
import { vaultSettingsIn } from '../../../test/support/vault_settings.ts'
import { decodeLogEntry, documentBytesMax, noOrganizationId } from '../../protocol/log/log_entry.ts'
import type { BooksOptions } from '../books/books_options.ts'
import { UnsealError } from '../keys/wrapped_seed.ts'
import { enterStart, startOf } from './settings_of_start.ts'

const settings = vaultSettingsIn('/srv/claviger')
const first = startOf(settings, '1.0.0')
const vaultState = Buffer.from('state')
const nowMs = () => 1_700_000_000_000

async function open(directory = newBooksFolder(), options: Partial<BooksOptions> = {}) {
  const books = await openTestBooks(directory, options)
  onTestFinished(() => books.close().catch(() => undefined))
  const begin = (start = first, state: Uint8Array = vaultState) =>
    enterStart(books, start, { vaultState: state, nowMs, randomBytes })
  const documents = () =>
    books.transparency.kept().entries.map((bytes) => JSON.parse(decodeLogEntry(bytes)?.document ?? 'null'))
  return { books, directory, begin, documents }
}

test('the first start enters all settings by their names, and a later one those that differ', async () => {
  const { begin, documents, books } = await open()
  await begin()
  const [all] = documents()
  expect(all).toMatchObject({ act: 'change_settings', unsealer: 'keyFile', version: '1.0.0' })
  for (const name of ['limits.usersMax', 'oidcIssuers', 'mailDecider', 'caFile', 'vaultState', 'unsealer', 'version']) {
    expect(all.changed, name).toContain(name)
  }
  for (const name of ['journalDirectory', 'operatorSocket', 'logHost']) expect(all.changed).not.toContain(name)
  const [bytes = Buffer.of()] = books.transparency.kept().entries
  const entry = decodeLogEntry(bytes)
  expect(entry).toMatchObject({ organizationId: noOrganizationId, number: 1, isOfOperator: true })
  expect(entry?.document?.length).toBeLessThan(documentBytesMax / 2)

  await begin()
  await begin(startOf({ ...settings, journalDirectory: '/elsewhere' }, '1.0.0'))
  expect(documents()).toHaveLength(1)
  const changes = [
    [startOf({ ...settings, limits: { ...settings.limits, usersMax: 7 } }, '1.0.0'), ['limits.usersMax']],
    [
      startOf({ ...settings, oidcIssuers: ['https://issuer.example'] }, '1.0.1'),
      ['limits.usersMax', 'oidcIssuers', 'version'],
    ],
    [startOf({ ...settings, unsealer: { kind: 'passphrase', path: '/p' } }, '1.0.1'), ['oidcIssuers', 'unsealer']],
  ] as const
  for (const [start, changed] of changes) {
    await begin(start)
    expect(documents().at(-1).changed).toEqual(changed)
  }
  await begin(first, Buffer.from('another seal'))
  expect(documents().at(-1).changed).toEqual(['unsealer', 'vaultState', 'version'])
  expect(new Set(documents().map(({ digest }) => digest)).size).toBe(5)
})

test('the settings that were entered last outlive a kill, a restart and a snapshot', async () => {
  const killed = mkdtempSync(join(tmpdir(), 'claviger-killed-'))
  const { books, begin, directory } = await open()
  await begin()
  cpSync(directory, killed, { recursive: true })
  await books.close()
  for (const folder of [killed, directory]) {
    const segmentBytes = 2 ** 16
    const later = await open(folder, { segmentBytes })
    // So many frames that the journal is compacted.
    for (let count = 0; count < 2_000; count += 1) {
      later.books.forgetCounts([count.toString(16).padStart(32, '0')])
      await later.books.sync()
    }
    await later.books.close()
    const last = await open(folder, { segmentBytes })
    await last.begin()
    expect(last.documents()).toHaveLength(1)
    await last.begin(startOf(settings, '1.0.1'))
    expect(last.documents().at(-1).changed).toEqual(['version'])
  }
})

test('a vault whose journal cannot be written does not begin with other settings', async () => {
  const { books, begin, directory } = await open()
  await begin()
  await books.close()
  await begin() // nothing differs
  const other = startOf(settings, '1.0.1')
  await expect(begin(other)).rejects.toThrow(UnsealError)
  await expect(begin(other)).rejects.toThrow('the settings of this start cannot be entered in the transparency log')
  const later = await open(directory)
  expect(later.documents()).toHaveLength(1)
  await later.begin(other)
  expect(later.documents()).toHaveLength(2)
})
