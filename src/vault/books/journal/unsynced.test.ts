import { createHmac, createSecretKey } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { holdWrites } from '../../../../test/support/gated_journal.ts'
import {
  afterPowerLoss,
  copyOfFolder,
  enterEach,
  type Files,
  filesIn,
  folderOf,
  isUnsynced,
  journalKey,
  newFolder,
  openTestJournal,
  readEntries,
  segmentName,
  smallSegmentBytes,
  unsyncedName,
  writeEntries,
} from '../../../../test/support/journals.ts'
import { soon } from '../../../../test/support/soon.ts'
import { JournalError, JournalUnavailable } from './journal.ts'
import { encodeFrame, encodeHeader, frameOverheadBytes, headerBytes, positionAt } from './journal_frames.ts'

/** So long that a test sees no sync that nobody asked for. */
const never = { syncWithinMs: 600_000 }
const firstFile = unsyncedName(1, 1)
const secondFile = unsyncedName(1, 2)

describe('an entered entry', () => {
  test('is found when the process ended before it was synced, also at later starts', async () => {
    const { journal, directory } = await openTestJournal(never)
    await writeEntries(journal, 'synced')
    await enterEach(journal, 'one', 'two')
    const copy = copyOfFolder(directory)
    expect(segmentsOf(filesIn(copy)).join()).not.toContain('one')
    expect(await readEntries({ directory: copy })).toEqual(['synced', 'onetwo'])
    for (let start = 0; start < 2; start++) expect(await readEntries({ directory: copy })).toEqual(['synced', 'onetwo'])
    expect(readdirSync(copy).filter(isUnsynced)).toEqual([])
    await journal.close()
    expect(await readEntries({ directory })).toEqual(['synced', 'onetwo'])
  })

  test('is synced after a while although nobody asks for it', async () => {
    const { journal, directory } = await openTestJournal({ syncWithinMs: 1 })
    for (const entry of ['<one>', '<two>']) {
      await enterEach(journal, entry)
      await soon(() => expect(segmentsOf(filesIn(directory)).join()).toContain(entry))
    }
    await journal.close()
  })

  test('is synced by default in less than a second', async () => {
    const { journal, directory } = await openTestJournal()
    await enterEach(journal, '<one>')
    await soon(() => expect(segmentsOf(filesIn(directory)).join()).toContain('<one>'))
    await journal.close()
  })

  test('is in the next frame, and `sync` waits for it', async () => {
    const { journal, directory } = await openTestJournal(never)
    journal.append(Buffer.from('one'))
    await enterEach(journal, 'two')
    await journal.sync()
    expect(await readEntries({ directory: withoutUnsynced(filesIn(directory)) })).toEqual(['onetwo'])
    await journal.close()
  })

  test('shares its write with the others of the same turn', async () => {
    const { journal, directory } = await openTestJournal(never)
    await Promise.all(['one', 'two', 'three'].map((entry) => journal.enter(Buffer.from(entry))))
    expect(statSync(join(directory, firstFile)).size).toBe(headerBytes + frameOverheadBytes + 'onetwothree'.length)
    await journal.close()
  })

  test('holds the entered bytes, even if the caller changes them afterwards, and may be empty', async () => {
    const { journal, directory } = await openTestJournal(never)
    const bytes = Buffer.from('before')
    const entered = [journal.enter(bytes), journal.enter(new Uint8Array(0))]
    bytes.fill('x')
    await Promise.all(entered)
    expect(await readEntries({ directory: copyOfFolder(directory) })).toEqual(['before'])
    await journal.close()
  })

  test('waits for its sync if it is too large for the file', async () => {
    const { journal, directory } = await openTestJournal(never)
    const largest = 'x'.repeat(smallSegmentBytes - headerBytes - frameOverheadBytes)
    await enterEach(journal, 'small', largest)
    expect(segmentsOf(filesIn(directory)).join()).toContain(largest)
    expect(() => journal.enter(Buffer.alloc(smallSegmentBytes))).toThrow(RangeError)
    await journal.close()
  })

  test('does not outlive the process without one that was entered before it', async () => {
    const { journal, directory } = await openTestJournal(never)
    const large = 'x'.repeat(smallSegmentBytes - headerBytes - frameOverheadBytes)
    const letThrough = await holdWrites(newFolder())
    const entering = [large, 'later', 'last'].map(async (entry, index) => {
      for (let turn = 0; turn < index; turn++) await setImmediate()
      await journal.enter(Buffer.from(entry))
    })
    for (let turn = 0; turn < 9; turn++) await setImmediate()
    const copy = copyOfFolder(directory)
    letThrough()
    expect(await readEntries({ directory: copy })).toEqual([])
    await Promise.all(entering)
    await journal.close()
    expect((await readEntries({ directory })).join('')).toBe(`${large}laterlast`)
  })

  test('is read by a start whose segments are smaller than what was entered', async () => {
    const { journal, directory } = await openTestJournal({ ...never, segmentBytes: 65_536 })
    const entries = Array.from({ length: 100 }, (_, index) => `<${index}>`.padEnd(100))
    await enterEach(journal, ...entries)
    const copy = copyOfFolder(directory)
    for (let start = 0; start < 3; start++) expect(await readEntries({ directory: copy })).toEqual([entries.join('')])
    await journal.close()
  })
})

describe('the unsynced files', () => {
  test('are of the owner alone, and gone after a close', async () => {
    const { journal, directory } = await openTestJournal(never)
    await enterEach(journal, 'one')
    expect(readdirSync(directory).filter(isUnsynced)).toEqual([firstFile, secondFile])
    for (const name of [firstFile, secondFile]) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
    await journal.close()
    expect(readdirSync(directory).filter(isUnsynced)).toEqual([])
    expect(await readEntries({ directory })).toEqual(['one'])
  })

  test('hold nothing that a start would read again once all of it is synced', async () => {
    const { journal, directory } = await openTestJournal(never)
    for (let round = 0; round < 3; round++) {
      await enterEach(journal, `one ${round};`, `two ${round};`)
      await journal.sync()
    }
    const all = [0, 1, 2].map((round) => `one ${round};two ${round};`)
    expect(await readEntries({ directory: copyOfFolder(directory) })).toEqual(all)
    await enterEach(journal, 'last')
    expect(await readEntries({ directory: copyOfFolder(directory) })).toEqual([...all, 'last'])
    await journal.close()
  })

  test('stay small while entries never stop, and no entry that was entered is missing at any time', async () => {
    const entered: number[] = []
    let next = 0
    const { journal, directory } = await openTestJournal({
      segmentBytes: 2048,
      syncWithinMs: 2,
      snapshot: () => Array.from({ length: next }, (_, number) => Buffer.from(`${number};`)),
    })
    let isDone = false
    const entering = Array.from({ length: 8 }, async () => {
      while (!isDone) {
        const number = next++
        await journal.enter(Buffer.from(`${number};`.padEnd(40)))
        entered.push(number)
      }
    })
    for (let round = 0; round < 60; round++) {
      await setTimeout(round % 5)
      const before = [...entered]
      const copy = copyOfFolder(directory)
      const files = filesIn(copy)
      for (const name of files.keys()) if (isUnsynced(name)) expect(files.get(name)?.length).toBeLessThan(2048)
      const found = new Set((await readEntries({ directory: copy, segmentBytes: 2048 })).join('').match(/\d+/g))
      expect(before.filter((number) => !found.has(String(number)))).toEqual([])
    }
    isDone = true
    await Promise.all(entering)
    expect(statSync(join(directory, secondFile)).size).toBeGreaterThan(0) // They took turns.
    await journal.close()
  })

  test('are read oldest first, after the frames, also when several starts ended early', async () => {
    const files = new Map(await enteredFiles('one', 'two'))
    // Nothing wrote a frame since, so the files of three processes are there.
    files.set(unsyncedName(3, 1), unsyncedFile(3, 0, 'five'))
    files.set(unsyncedName(2, 2).replace('unsynced', 'taken'), unsyncedFile(2, 4, 'four'))
    files.set(unsyncedName(2, 1).replace('unsynced', 'taken'), unsyncedFile(2, 7, 'three'))
    const directory = folderOf(files)
    expect(await readEntries({ directory })).toEqual(['onetwo', 'four', 'three', 'five'])
    expect(readdirSync(directory)).toEqual([segmentName(1), segmentName(4)])
    expect(await readEntries({ directory })).toEqual(['onetwo', 'four', 'three', 'five'])
  })

  test('are left where they are by a start that finds damage in a segment', async () => {
    const { journal, directory: used } = await openTestJournal(never)
    await writeEntries(journal, 'synced', 'synced')
    await enterEach(journal, 'one')
    const files = new Map(filesIn(copyOfFolder(used)))
    const segment = Buffer.from(files.get(segmentName(1)) ?? [])
    segment[headerBytes] = 1
    files.set(segmentName(1), segment)
    await journal.close()
    for (const name of files.keys()) if (name.endsWith('.temporary')) files.delete(name)
    const directory = folderOf(files)
    await expect(openTestJournal({ directory })).rejects.toBeInstanceOf(JournalError)
    expect(filesIn(directory)).toEqual(files)
  })

  test('of a later format, or a folder by their name, stop the start', async () => {
    const later = Buffer.from(unsyncedFile(1, 0, 'one'))
    later.writeUInt32BE(2, 16)
    const covered = later.subarray(0, headerBytes - 32)
    later.set(createHmac('sha256', journalKey).update(covered).digest(), covered.length)
    const directory = folderOf(new Map([[firstFile, later]]))
    await expect(openTestJournal({ directory })).rejects.toThrow(/has format 2: start the version of the server/)
    const other = folderOf(new Map())
    mkdirSync(join(other, firstFile))
    await expect(openTestJournal({ directory: other })).rejects.toThrow(/1\.1\.taken is no regular file: remove it/)
  })
})

describe('a damaged unsynced file', () => {
  const entries = ['the first entry', 'another', 'and the last one'] as const
  const offsets = entries.map((_, index) =>
    entries.slice(0, index).reduce((sum, { length }) => sum + frameOverheadBytes + length, headerBytes),
  )

  function beginningAt(offset: number): string {
    return entries
      .filter((entry, index) => (offsets[index] ?? 0) + frameOverheadBytes + entry.length <= offset)
      .join('')
  }

  test('counts up to the changed byte, whichever it is, and the start warns', async () => {
    const files = await enteredFiles(...entries)
    const bytes = files.get(firstFile) ?? Buffer.alloc(0)
    for (let offset = 0; offset < bytes.length; offset++) {
      const changed = Buffer.from(bytes)
      changed[offset] = (changed[offset] ?? 0) ^ (1 << (offset % 8))
      const directory = folderOf(new Map([...files, [firstFile, changed]]))
      const { journal, found, warnings } = await openTestJournal({ directory })
      await journal.close()
      expect(found.join('')).toBe(offset < headerBytes ? '' : beginningAt(offset))
      const inFrame = offset - (offsets.findLast((begin) => begin <= offset) ?? 0)
      // A changed sequence number looks like the rest of an earlier use of the file.
      const isUnknown = offset >= headerBytes && inFrame < 8
      expect(warnings).toEqual(isUnknown ? [] : [expect.stringContaining('an unsynced file of the journal was torn')])
    }
  })

  test('counts up to its last whole frame, wherever it is cut', async () => {
    const files = await enteredFiles(...entries)
    const bytes = files.get(firstFile) ?? Buffer.alloc(0)
    for (let length = 0; length <= bytes.length; length++) {
      const directory = folderOf(new Map([...files, [firstFile, bytes.subarray(0, length)]]))
      expect((await readEntries({ directory })).join('')).toBe(beginningAt(length))
    }
  })

  test('of another key or kind, or of any size, is no error', async () => {
    const foreign = new Map(await enteredFiles('one'))
    for (const bytes of [
      unsyncedFile(1, 0, 'foreign', Buffer.alloc(32, 8)),
      foreign.get(segmentName(1)) ?? Buffer.alloc(0),
      Buffer.alloc(3_000_000, 1),
    ]) {
      const directory = folderOf(new Map([...foreign, [firstFile, bytes]]))
      expect(await readEntries({ directory })).toEqual([])
      expect(readdirSync(directory).filter(isUnsynced)).toEqual([])
    }
  })

  test('after a loss of power hides no synced entry, and adds none that was never entered', async () => {
    const older: Files[] = []
    const synced: string[] = []
    const made: string[] = []
    const { journal, directory } = await openTestJournal({
      ...never,
      snapshot: () => made.map((text) => Buffer.from(text)),
    })
    for (let number = 0; number < 40; number++) {
      made.push(`<${number}>`.padEnd(20 + ((number * 37) % 90), '.'))
      await enterEach(journal, made.at(-1) ?? '')
      if (number % 7 === 6) {
        await journal.sync()
        synced.push(...made.slice(synced.length))
      }
      const files = filesIn(copyOfFolder(directory))
      for (let seed = 0; seed < 4; seed++) {
        const left = folderOf(afterPowerLoss(files, older, number * 1_000 + seed))
        const found = (await readEntries({ directory: left })).join('')
        expect(synced.filter((entry) => !found.includes(entry))).toEqual([])
        for (const entry of found.match(/<\d+>\.*/g) ?? []) expect(made).toContain(entry)
        expect(found.replace(/<\d+>\.*/g, '')).toBe('')
      }
      older.unshift(files)
      older.splice(3)
    }
    await journal.close()
  })
})

describe('when another process takes the journal over', () => {
  test('the older one enters nothing more, and what it entered is found', async () => {
    const older = await openTestJournal(never)
    await enterEach(older.journal, 'entered')
    const newer = await openTestJournal({ directory: older.directory, ...never })
    expect(newer.found).toEqual(['entered'])
    const late = ['late', 'later'].map((entry) => older.journal.enter(Buffer.from(entry)))
    for (const entering of late) await expect(entering).rejects.toBeInstanceOf(JournalUnavailable)
    await expect(older.journal.enter(Buffer.from('too late'))).rejects.toBeInstanceOf(JournalUnavailable)
    await expect(older.journal.sync()).rejects.toBeInstanceOf(JournalUnavailable)
    expect(older.journal.unavailable()).toContain('another process has opened the journal')
    expect(older.superseded.count).toBe(1)
    await expect(older.journal.close()).rejects.toBeInstanceOf(JournalUnavailable)
    await enterEach(newer.journal, 'newer')
    await newer.journal.close()
    expect(await readEntries({ directory: newer.directory })).toEqual(['entered', 'newer'])
  })

  test('the older one is told once, although it is writing a frame at that time', async () => {
    for (let round = 0; round < 20; round++) {
      const older = await openTestJournal(never)
      const newer = await openTestJournal({ directory: older.directory })
      older.journal.append(Buffer.from('frame'))
      const syncing = older.journal.sync()
      const entering = older.journal.enter(Buffer.from('entry'))
      for (const told of [syncing, entering]) await expect(told).rejects.toBeInstanceOf(JournalUnavailable)
      await older.journal.close().catch(() => {})
      expect(older.superseded.count).toBe(1)
      await newer.journal.close()
      expect(readdirSync(older.directory).filter((name) => !name.endsWith('.segment'))).toEqual([])
    }
  })

  test('whenever that happens, no entry that the older one entered is missing', async () => {
    for (let round = 0; round < 40; round++) {
      const entered: string[] = []
      const older = await openTestJournal({ syncWithinMs: round % 3 })
      const entering = (async () => {
        for (let index = 0; ; index++) {
          await enterEach(older.journal, `<${round}.${index}>`)
          entered.push(`<${round}.${index}>`)
        }
      })()
      entering.catch(() => {})
      await setTimeout(round % 10)
      const newer = await openTestJournal({ directory: older.directory })
      await expect(entering).rejects.toBeInstanceOf(JournalUnavailable)
      const found = newer.found.join('')
      expect(entered.filter((entry) => !found.includes(entry))).toEqual([])
      await newer.journal.close()
      await older.journal.close().catch(() => {})
    }
  })

  test('a crash of the newer one at any step loses no entry, also if the older one goes on', async () => {
    const older = await openTestJournal(never)
    await writeEntries(older.journal, 'synced;')
    await enterEach(older.journal, 'one;', 'two;')
    const copies: string[] = []
    const opening = openTestJournal({
      directory: older.directory,
      onPayload: () => copies.push(copyOfFolder(older.directory)),
    })
    let isOpen = false
    opening.finally(() => {
      isOpen = true
    })
    while (!isOpen) {
      copies.push(copyOfFolder(older.directory))
      await setImmediate()
    }
    const newer = await opening
    copies.push(copyOfFolder(older.directory))
    const whileReading = copies.find((copy) => readdirSync(copy).join().includes('taken')) ?? ''
    // Its frame is written, and any of the files are removed.
    const done = filesIn(copies.at(-1) ?? '')
    const taken = [...filesIn(whileReading)].filter(([name]) => isUnsynced(name))
    expect(taken.length).toBe(2)
    for (let count = 0; count <= taken.length; count++) copies.push(folderOf(new Map([...done, ...taken.slice(count)])))
    await expect(older.journal.enter(Buffer.from('late;'))).rejects.toBeInstanceOf(JournalUnavailable)
    for (const copy of copies) {
      for (let start = 0; start < 2; start++) {
        const found = (await readEntries({ directory: copy })).join('')
        expect(new Set(found.split(';'))).toEqual(new Set(['synced', 'one', 'two', '']))
      }
    }
    await newer.journal.close()
    await older.journal.close().catch(() => {})
  })

  test('a start that fails leaves what was entered to the next one', async () => {
    const older = await openTestJournal(never)
    await enterEach(older.journal, 'one')
    const failing = openTestJournal({
      directory: older.directory,
      onPayload() {
        throw new TypeError('not mine')
      },
    })
    await expect(failing).rejects.toThrow('not mine')
    await expect(older.journal.enter(Buffer.from('two'))).rejects.toBeInstanceOf(JournalUnavailable)
    await older.journal.close().catch(() => {})
    expect((await readEntries({ directory: older.directory })).join('')).toMatch(/^one/)
  })

  test('a journal whose files are gone or other ones enters nothing', async () => {
    for (const isReplaced of [false, true]) {
      const { journal, directory, superseded } = await openTestJournal(never)
      renameSync(directory, `${directory}.gone`)
      if (isReplaced) {
        mkdirSync(directory)
        for (const [name, bytes] of filesIn(`${directory}.gone`)) writeFileSync(join(directory, name), bytes)
      }
      await expect(journal.enter(Buffer.from('lost'))).rejects.toThrow('is gone')
      expect(superseded.count).toBe(1)
      await expect(journal.close()).rejects.toBeInstanceOf(JournalUnavailable)
    }
  })
})

test('while the journal cannot be written, an entry waits for its sync, and is written later', async () => {
  const { journal, directory } = await openTestJournal(never)
  const inTheWay = Array.from({ length: 60 }, (_, index) => join(directory, `0000000000000001.${index + 2}.temporary`))
  await soon(() => expect(readdirSync(directory)).toContain('0000000000000001.1.temporary'))
  for (const path of inTheWay) mkdirSync(path)
  const filling = 'x'.repeat(700)
  await enterEach(journal, filling)
  await journal.sync()
  await writeEntries(journal, filling) // It is in the segment that was prepared before.
  await soon(() => expect(journal.unavailable()).toContain('no further segment'))
  await expect(journal.enter(Buffer.from(filling))).rejects.toBeInstanceOf(JournalUnavailable)
  expect(readFileSync(join(directory, firstFile)).length).toBeLessThan(smallSegmentBytes)
  for (const path of inTheWay) rmdirSync(path)
  await soon(() => expect(journal.unavailable()).toBeUndefined())
  await journal.close()
  expect((await readEntries({ directory })).join('')).toBe(filling.repeat(3))
})

test('after a close nothing is entered', async () => {
  const { journal, directory } = await openTestJournal(never)
  const entering = journal.enter(Buffer.from('one'))
  await Promise.all([journal.close(), entering])
  expect(() => journal.enter(Buffer.from('two'))).toThrow('the journal is closed')
  expect(await readEntries({ directory })).toEqual(['one'])
})

function segmentsOf(files: Files): readonly string[] {
  return [...files].filter(([name]) => name.endsWith('.segment')).map(([, bytes]) => bytes.toString('latin1'))
}

function withoutUnsynced(files: Files): string {
  return folderOf(new Map([...files].filter(([name]) => !isUnsynced(name))))
}

/** A journal whose process ended after it had entered these. */
async function enteredFiles(...entries: readonly string[]): Promise<Files> {
  const { journal, directory } = await openTestJournal(never)
  await enterEach(journal, ...entries)
  const files = new Map([...filesIn(directory)].filter(([name]) => !name.endsWith('.temporary')))
  await journal.close()
  return files
}

/** An unsynced file with one entry. */
function unsyncedFile(number: number, sequence: number, entry: string, keyBytes: Uint8Array = journalKey): Buffer {
  const key = createSecretKey(keyBytes)
  const last = { sequence, mac: new Uint8Array(32) }
  const header = encodeHeader(key, { kind: 'unsynced', number, previousSegment: 0, last })
  const frame = encodeFrame(key, positionAt(header, headerBytes, sequence), [Buffer.from(entry)])
  return Buffer.concat([header, frame.bytes])
}
