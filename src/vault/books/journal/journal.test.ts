import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  copyOfFolder,
  filesIn,
  openTestJournal,
  readEntries,
  segmentName,
  smallSegmentBytes,
  writeEntries,
} from '../../../../test/support/journals.ts'
import { soon } from '../../../../test/support/soon.ts'
import { JournalError, JournalUnavailable, payloadBytesMax, waitingBytesMax } from './journal.ts'

describe('a synced entry', () => {
  test('is found at each later start, oldest first', async () => {
    const { journal, directory } = await openTestJournal()
    await writeEntries(journal, 'one', 'two')
    await journal.close()
    const second = await openTestJournal({ directory })
    expect(second.found).toEqual(['one', 'two'])
    await writeEntries(second.journal, 'three')
    await second.journal.close()
    for (let start = 0; start < 3; start++) expect(await readEntries({ directory })).toEqual(['one', 'two', 'three'])
  })

  test('is found when the process ended without a close', async () => {
    const { journal, directory } = await openTestJournal()
    await writeEntries(journal, 'one', 'two')
    expect(await readEntries({ directory: copyOfFolder(directory) })).toEqual(['one', 'two'])
    await journal.close()
  })

  test('is found over many segments', async () => {
    const { journal, directory } = await openTestJournal()
    const entries = Array.from({ length: 40 }, (_, index) => `entry ${index}`.padEnd(index))
    await writeEntries(journal, ...entries)
    await journal.close()
    expect(await readEntries({ directory })).toEqual(entries)
  })

  test('is found when it has the largest size', async () => {
    const { journal, directory } = await openTestJournal({ segmentBytes: 4 * payloadBytesMax })
    const largest = Buffer.alloc(payloadBytesMax, 'x')
    for (let count = 0; count < 5; count++) journal.append(largest)
    await journal.sync()
    expect(() => journal.append(Buffer.alloc(payloadBytesMax + 1))).toThrow(RangeError)
    await journal.close()
    expect((await readEntries({ directory })).map(({ length }) => length)).toEqual(Array(5).fill(payloadBytesMax))
  })

  test('holds the appended bytes, even if the caller changes them afterwards', async () => {
    const { journal, directory } = await openTestJournal()
    const bytes = Buffer.from('before')
    journal.append(bytes)
    bytes.fill('x')
    await journal.close()
    expect(await readEntries({ directory })).toEqual(['before'])
  })
})

test('many syncs at once share few frames, and each waits for its own entry', async () => {
  const { journal, directory } = await openTestJournal({ segmentBytes: 65_536 })
  const names = Array.from({ length: 500 }, (_, index) => `<${index}>`)
  await Promise.all(names.map((name) => writeEntries(journal, name)))
  await Promise.all(
    names.slice(0, 100).map(async (name, index) => {
      await setTimeout(index % 3)
      await writeEntries(journal, name)
    }),
  )
  await journal.close()
  const found = await readEntries({ directory })
  expect(found[0]).toBe(names.join(''))
  expect(found.length).toBeLessThan(30)
})

test('a sync with nothing to write resolves', async () => {
  const { journal, directory } = await openTestJournal()
  await journal.sync()
  journal.append(new Uint8Array(0))
  await journal.sync()
  await journal.close()
  expect(await readEntries({ directory })).toEqual([])
})

test('only the owner may read the journal', async () => {
  const { journal, directory } = await openTestJournal()
  await writeEntries(journal, 'x'.repeat(700), 'x'.repeat(700)) // Each entry fills a segment.
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  expect(readdirSync(directory).length).toBeGreaterThan(1)
  for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
  await journal.close()
})

test('temporary files of an earlier process are removed, and files of others are not', async () => {
  const { journal, directory } = await openTestJournal()
  await journal.close()
  writeFileSync(join(directory, '0000000000000001.7.temporary'), 'left behind')
  writeFileSync(join(directory, 'notes.txt'), 'of the operator')
  expect(await readEntries({ directory })).toEqual([])
  expect(readdirSync(directory)).toEqual([segmentName(1), segmentName(2), 'notes.txt'])
})

test('an unusable folder is a JournalError that says so', async () => {
  const { journal, directory } = await openTestJournal()
  await journal.close()
  const opening = openTestJournal({ directory: join(directory, segmentName(1)) })
  await expect(opening).rejects.toBeInstanceOf(JournalError)
  await expect(opening).rejects.toThrow('cannot be used (EEXIST): make it a folder')
})

test('an error of onPayload reaches the caller, and the next start reads the journal', async () => {
  const { journal, directory } = await openTestJournal()
  await writeEntries(journal, 'one')
  await journal.close()
  const failing = openTestJournal({
    directory,
    onPayload() {
      throw new TypeError('not mine')
    },
  })
  await expect(failing).rejects.toThrow(new TypeError('not mine'))
  expect(await readEntries({ directory })).toEqual(['one'])
})

describe('after close', () => {
  test('waiting entries are written, and no more are taken', async () => {
    const { journal, directory } = await openTestJournal()
    journal.append(Buffer.from('one'))
    const synced = journal.sync()
    journal.append(Buffer.from('two'))
    await Promise.all([journal.close(), journal.close(), synced])
    expect(() => journal.append(Buffer.from('three'))).toThrow(JournalUnavailable)
    await expect(journal.sync()).rejects.toBeInstanceOf(JournalUnavailable)
    expect(journal.unavailable()).toBe('the journal is closed')
    expect((await readEntries({ directory })).join('')).toBe('onetwo')
  })

  test('no temporary file is left', async () => {
    const { journal, directory } = await openTestJournal()
    await journal.close()
    expect(readdirSync(directory)).toEqual([segmentName(1)])
  })
})

describe('two journals in one folder', () => {
  test('the older one stops, and its acknowledged entries are found', async () => {
    const older = await openTestJournal()
    await writeEntries(older.journal, 'acknowledged')
    const newer = await openTestJournal({ directory: older.directory })
    expect(newer.found).toEqual(['acknowledged'])
    older.journal.append(Buffer.from('too late'))
    const told = await Promise.allSettled([older.journal.sync(), older.journal.sync()])
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(older.journal.sync()).rejects.toBeInstanceOf(JournalUnavailable)
    expect(older.journal.unavailable()).toContain('another process has opened the journal')
    expect(older.superseded.count).toBe(1)
    await expect(older.journal.close()).rejects.toBeInstanceOf(JournalUnavailable)

    await writeEntries(newer.journal, 'newer')
    expect(newer.superseded.count).toBe(0)
    await newer.journal.close()
    expect(await readEntries({ directory: newer.directory })).toEqual(['acknowledged', 'newer'])
  })

  test('the older one notices even if the newer one has removed its first segments', async () => {
    const older = await openTestJournal()
    await writeEntries(older.journal, 'x'.repeat(700), 'older')
    const newer = await openTestJournal({ directory: older.directory, snapshot: () => [Buffer.from('snapshot')] })
    for (let count = 0; count < 30; count++) await writeEntries(newer.journal, 'x'.repeat(700))
    await soon(() => expect(readdirSync(older.directory)).not.toContain(segmentName(4)))
    // The older one finds neither its own segment nor the next one, which it must begin for the longer entry.
    for (const late of ['late', 'x'.repeat(700)]) {
      older.journal.append(Buffer.from(late))
      await expect(older.journal.sync()).rejects.toBeInstanceOf(JournalUnavailable)
    }
    expect(older.superseded.count).toBe(1)
    await expect(older.journal.close()).rejects.toBeInstanceOf(JournalUnavailable)
    await newer.journal.close()
    expect((await readEntries({ directory: older.directory })).join('')).not.toContain('late')
  })

  test('the older one notices a newer one although a start between them gave up its segment', async () => {
    const older = await openTestJournal()
    await writeEntries(older.journal, 'acknowledged')
    writeFileSync(join(older.directory, segmentName(3)), '')
    older.journal.append(Buffer.from('too late'))
    await expect(older.journal.sync()).rejects.toBeInstanceOf(JournalUnavailable)
    expect(older.superseded.count).toBe(1)
    await expect(older.journal.close()).rejects.toBeInstanceOf(JournalUnavailable)
  })

  test('whenever the newer one opens, no entry that the older one acknowledged is missing', async () => {
    for (let round = 0; round < 40; round++) {
      const acknowledged: string[] = []
      const older = await openTestJournal()
      const writing = (async () => {
        for (let index = 0; ; index++) {
          await writeEntries(older.journal, `<${round}.${index}>`)
          acknowledged.push(`<${round}.${index}>`)
        }
      })()
      writing.catch(() => {})
      await setTimeout(round % 10)
      const newer = await openTestJournal({ directory: older.directory })
      await expect(writing).rejects.toBeInstanceOf(JournalUnavailable)
      expect(newer.found.join('')).toContain(acknowledged.join(''))
      await writeEntries(newer.journal, 'newer')
      await newer.journal.close()
      expect(await readEntries({ directory: older.directory })).toEqual([...newer.found, 'newer'])
      await older.journal.close().catch(() => {})
    }
  })

  test('the newest wins if several begin together', async () => {
    for (let round = 0; round < 10; round++) {
      const { directory } = await openEmpty()
      const opened = await Promise.allSettled([0, 1, 2, 3].map(() => openTestJournal({ directory })))
      const written: string[] = []
      for (const result of opened) {
        if (result.status === 'rejected') {
          expect(result.reason).toBeInstanceOf(JournalError)
          continue
        }
        const { journal } = result.value
        await writeEntries(journal, 'entry').then(
          () => written.push('entry'),
          (error) => expect(error).toBeInstanceOf(JournalUnavailable),
        )
        await journal.close().catch(() => {})
      }
      expect(written.length).toBe(1)
      expect(await readEntries({ directory })).toEqual(['entry'])
    }
  })

  test('a folder whose files are gone is no longer written', async () => {
    const { journal, directory, superseded } = await openTestJournal()
    // One step, because the journal prepares a file in it meanwhile.
    renameSync(directory, `${directory}.gone`)
    journal.append(Buffer.from('lost'))
    await expect(journal.sync()).rejects.toThrow('is gone')
    expect(superseded.count).toBe(1)
    await expect(journal.close()).rejects.toBeInstanceOf(JournalUnavailable)
  })

  test('a copied folder is a journal of its own', async () => {
    const { journal, directory } = await openTestJournal()
    await writeEntries(journal, 'common')
    const copy = await openTestJournal({ directory: copyOfFolder(directory) })
    await writeEntries(journal, 'original')
    await writeEntries(copy.journal, 'copy')
    await Promise.all([journal.close(), copy.journal.close()])
    expect(await readEntries({ directory })).toEqual(['common', 'original'])
    expect(await readEntries({ directory: copy.directory })).toEqual(['common', 'copy'])
  })
})

describe('when no further segment can be made', () => {
  test('entries that fit are still written, and later ones wait until there is room', async () => {
    const { journal, directory, warnings } = await openTestJournal()
    const inTheWay = await takeTemporaryNames(directory)
    const filling = 'x'.repeat(400)
    await writeEntries(journal, filling) // The entries go into the segment that was prepared before.
    await writeEntries(journal, filling)
    await writeEntries(journal, filling)
    await soon(() => expect(journal.unavailable()).toContain('no further segment'))
    await writeEntries(journal, filling)
    journal.append(Buffer.from(filling))
    for (let count = 0; count < 2; count++) await expect(journal.sync()).rejects.toBeInstanceOf(JournalUnavailable)
    expect(journal.unavailable()).toContain('(EEXIST)')
    expect(warnings).toEqual(['the journal cannot make a further segment', 'the journal could not be written'])

    for (const path of inTheWay) rmdirSync(path)
    await soon(() => expect(journal.unavailable()).toBeUndefined())
    await journal.sync()
    await journal.close()
    expect((await readEntries({ directory })).join('')).toBe(filling.repeat(5))
  })

  test('no more than waitingBytesMax bytes are kept', async () => {
    const segmentBytes = 2 * payloadBytesMax
    const { journal, directory } = await openTestJournal({ segmentBytes })
    const inTheWay = await takeTemporaryNames(directory)
    const payload = Buffer.alloc(payloadBytesMax - 1)
    const append = () => {
      for (let bytes = 0; bytes <= waitingBytesMax + 4 * segmentBytes; bytes += payload.length) journal.append(payload)
    }
    journal.append(payload)
    journal.append(payload)
    await journal.sync()
    journal.append(payload)
    await expect(journal.sync()).rejects.toBeInstanceOf(JournalUnavailable)
    expect(append).toThrow(JournalUnavailable)
    for (const path of inTheWay) rmdirSync(path)
    await journal.close()
    const { length } = await readEntries({ directory })
    expect(length).toBe(2 + Math.floor(waitingBytesMax / payload.length))
  })
})

async function openEmpty() {
  const { journal, directory } = await openTestJournal()
  await journal.close()
  for (const name of filesIn(directory).keys()) rmSync(join(directory, name))
  return { directory }
}

/** Makes folders with the names of the next temporary files, so that the system refuses these files. */
async function takeTemporaryNames(directory: string): Promise<readonly string[]> {
  await soon(() => expect(statSync(join(directory, temporaryName(1))).size).toBeGreaterThanOrEqual(smallSegmentBytes))
  const paths = Array.from({ length: 60 }, (_, index) => join(directory, temporaryName(index + 2)))
  for (const path of paths) mkdirSync(path)
  return paths
}

function temporaryName(count: number): string {
  return `0000000000000001.${count}.temporary`
}
