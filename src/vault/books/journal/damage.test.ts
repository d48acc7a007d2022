import { createHmac } from 'node:crypto'
import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Files,
  filesIn,
  folderOf,
  journalKey,
  openTestJournal,
  readEntries,
  segmentName,
  smallSegmentBytes,
  snapshotName,
  writeEntries,
} from '../../../../test/support/journals.ts'
import { JournalError } from './journal.ts'
import { frameOverheadBytes, headerBytes } from './journal_frames.ts'

const first = segmentName(1)
const second = segmentName(2)
const entries = ['the first entry', 'another', 'and the last one'] as const
const withoutLast = entries.slice(0, -1)
const lastOffset = headerBytes + withoutLast.reduce((sum, { length }) => sum + frameOverheadBytes + length, 0)
const endOffset = lastOffset + frameOverheadBytes + entries[2].length

describe('the last frame', () => {
  test('is left out wherever the file is cut, also at later starts', async () => {
    const files = await threeEntries()
    for (let length = lastOffset; length < endOffset; length++) {
      const directory = folderOf(edited(files, first, (bytes) => bytes.subarray(0, length)))
      for (let start = 0; start < 2; start++) expect(await readEntries({ directory })).toEqual(withoutLast)
    }
  })

  test('is lost with a warning when the file ends before it', async () => {
    const files = await threeEntries()
    const directory = folderOf(edited(files, first, (bytes) => bytes.subarray(0, lastOffset)))
    const { journal, found, warnings } = await openTestJournal({ directory })
    await journal.close()
    expect(found).toEqual(withoutLast)
    expect(warnings).toEqual([expect.stringContaining('is shorter than it was made')])
  })

  test('is left out whichever of its bytes is changed, and later frames are read', async () => {
    const files = await threeEntries()
    for (let offset = lastOffset; offset < endOffset; offset++) {
      for (const mask of [0x01, 0x80]) {
        const directory = folderOf(edited(files, first, (bytes) => changed(bytes, offset, mask)))
        const { journal, found, warnings } = await openTestJournal({ directory })
        expect(found).toEqual(withoutLast)
        expect(warnings).toEqual(['the last frame of the journal was torn and is left out'])
        await writeEntries(journal, 'after')
        await journal.close()
        expect(await readEntries({ directory })).toEqual([...withoutLast, 'after'])
      }
    }
  })

  test('is left out when any of its sectors was lost', async () => {
    const long = 'x'.repeat(4 * 512)
    const files = await written({ segmentBytes: 8192 }, 'before', long)
    const begin = headerBytes + frameOverheadBytes + 'before'.length
    for (let sector = 0; sector * 512 < begin + frameOverheadBytes + long.length; sector++) {
      const lost = edited(files, first, (bytes) => {
        const from = Math.max(sector * 512, begin)
        return Buffer.from(bytes).fill(0, from, Math.max(from, (sector + 1) * 512))
      })
      expect(await readEntries({ directory: folderOf(lost) })).toEqual(['before'])
    }
  })

  test('may hold bytes that look like a frame', async () => {
    const looksLikeFrame = Buffer.alloc(600)
    for (let offset = 0; offset + 12 <= 500; offset += 12) looksLikeFrame.writeUInt32BE(3, offset + 4)
    const files = await written({}, 'a', looksLikeFrame.toString('latin1'))
    const cut = edited(files, first, (bytes) => bytes.subarray(0, headerBytes + 500))
    expect(await readEntries({ directory: folderOf(cut) })).toEqual(['a'])
  })
})

describe('a start stops with a JournalError', () => {
  test('whichever byte is changed before the last frame', async () => {
    const files = await threeEntries()
    for (let offset = 0; offset < lastOffset; offset++) {
      for (const mask of [0x01, 0x80]) await expectStop(edited(files, first, (bytes) => changed(bytes, offset, mask)))
    }
  })

  test('whichever byte is changed in an earlier segment, its last frame included', async () => {
    const directory = folderOf(await threeEntries())
    expect(await readEntries({ directory })).toEqual(entries)
    const files = filesIn(directory)
    for (let offset = 0; offset < endOffset; offset++) {
      await expectStop(edited(files, first, (bytes) => changed(bytes, offset, 0x01)))
    }
    // The bytes after the last frame belong to no frame.
    const behind = edited(files, first, (bytes) => changed(bytes, endOffset, 0x01))
    expect(await readEntries({ directory: folderOf(behind) })).toEqual(entries)
  })

  test('when several frames before a whole one are lost', async () => {
    const files = await written({}, 'one', 'two', 'three', 'four')
    const [from, to] = [headerBytes + 20, headerBytes + 2 * frameOverheadBytes + 20]
    await expectStop(edited(files, first, (bytes) => Buffer.from(bytes).fill(0, from, to)))
  })

  test('when a segment is missing', async () => {
    const files = await threeSegments()
    for (const name of [first, second]) {
      const missing = new Map(files)
      missing.delete(name)
      await expectStop(missing, name === first ? /0001\.segment is missing/ : /0002\.segment is missing/)
    }
  })

  test('when segments are swapped', async () => {
    const files = await threeSegments()
    const swapped = new Map(files)
    swapped.set(first, fileOf(files, second))
    swapped.set(second, fileOf(files, first))
    await expectStop(swapped, /is really segment/)
  })

  test('with another key, or with a segment of another key or journal', async () => {
    const files = await threeSegments()
    await expectStop(files, /belongs to another journal or key/, Buffer.alloc(32, 8))
    const otherKey = await threeSegments({ key: Buffer.alloc(32, 8) })
    await expectStop(edited(files, second, () => fileOf(otherKey, second)))
    await expectStop(edited(files, segmentName(3), () => fileOf(otherKey, segmentName(3))))
    const otherJournal = await threeSegments({}, ['different', ...entries.slice(1)])
    await expectStop(edited(files, first, () => fileOf(otherJournal, first)))
    await expectStop(edited(files, second, () => fileOf(otherJournal, second)))
  })

  test('when a later version of the format wrote a file', async () => {
    const later = edited(await threeEntries(), first, (bytes) => {
      const copy = Buffer.from(bytes)
      copy.writeUInt32BE(2, 16)
      const covered = copy.subarray(0, headerBytes - 32)
      copy.set(createHmac('sha256', journalKey).update(covered).digest(), covered.length)
      return copy
    })
    await expectStop(later, /has format 2: start the version of the server that wrote it/)
  })

  test('and names the file, the place and the remedy', async () => {
    const files = await threeEntries()
    const place = headerBytes
    const broken = edited(files, first, (bytes) => changed(bytes, place + 14, 0x01))
    await expectStop(
      broken,
      /journal file .*0001\.segment is damaged at byte 112: restore the whole folder as it was, or/,
    )
  })

  test('and leaves the folder as it was', async () => {
    const directory = folderOf(edited(await threeEntries(), first, (bytes) => changed(bytes, headerBytes, 0x01)))
    const before = filesIn(directory)
    await expect(openTestJournal({ directory })).rejects.toBeInstanceOf(JournalError)
    expect(filesIn(directory)).toEqual(before)
  })
})

describe('a segment whose header was never written', () => {
  for (const [name, bytes] of [
    ['an empty file', Buffer.alloc(0)],
    ['some zeroes', Buffer.alloc(100)],
    ['zeroes', Buffer.alloc(smallSegmentBytes)],
  ] as const) {
    test(`is left out: ${name}`, async () => {
      for (const numbers of [[4], [4, 5]]) {
        const files = new Map(await threeSegments())
        for (const number of numbers) files.set(segmentName(number), bytes)
        const directory = folderOf(files)
        for (let start = 0; start < 2; start++) expect(await readEntries({ directory })).toEqual(entries)
      }
    })
  }

  test('is left out wherever it is torn', async () => {
    const directory = folderOf(await threeEntries())
    expect(await readEntries({ directory })).toEqual(entries)
    const files = filesIn(directory)
    for (let offset = 0; offset < headerBytes; offset++) {
      const cut = edited(files, second, (bytes) => bytes.subarray(0, offset))
      expect(await readEntries({ directory: folderOf(cut) })).toEqual(entries)
      const torn = edited(files, second, (bytes) => changed(bytes, offset, 0x01))
      expect(await readEntries({ directory: folderOf(torn) })).toEqual(entries)
    }
  })

  test('is left out when it is the only one', async () => {
    const directory = folderOf(new Map([[first, Buffer.alloc(0)]]))
    for (let start = 0; start < 2; start++) expect(await readEntries({ directory })).toEqual([])
  })
})

test.each([
  ['of a new journal', () => threeSegments()],
  ['of one with a snapshot', compacted],
])('whatever the bytes of the files %s, a start reads them or throws a JournalError', async (_which, made) => {
  const valid = await made()
  const edit = fc.record({
    name: fc.constantFrom(...valid.keys(), segmentName(4), snapshotName(2), segmentName(9)),
    offset: fc.nat(400),
    bytes: fc.uint8Array({ maxLength: 200 }),
    keep: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
      const files = new Map(valid)
      for (const { name, offset, bytes, keep } of edits) {
        const before = keep ? (files.get(name) ?? Buffer.alloc(0)) : Buffer.alloc(0)
        files.set(name, Buffer.concat([before.subarray(0, offset), bytes, before.subarray(offset + bytes.length)]))
      }
      try {
        await readEntries({ directory: folderOf(files) })
      } catch (error) {
        expect(error).toBeInstanceOf(JournalError)
      }
    }),
    { numRuns: 200 },
  )
})

function threeEntries(): Promise<Files> {
  return written({}, ...entries)
}

async function written(options: Parameters<typeof openTestJournal>[0], ...texts: readonly string[]): Promise<Files> {
  const { journal, directory } = await openTestJournal(options)
  await writeEntries(journal, ...texts)
  await journal.close()
  return filesIn(directory)
}

/** Segments with one entry each. */
async function threeSegments(
  options: Parameters<typeof openTestJournal>[0] = {},
  [text = '', ...others]: readonly string[] = entries,
): Promise<Files> {
  const { journal, directory } = await openTestJournal(options)
  await writeEntries(journal, text)
  await journal.close()
  for (const entry of others) {
    const { journal: next } = await openTestJournal({ ...options, directory })
    await writeEntries(next, entry)
    await next.close()
  }
  return filesIn(directory)
}

/** A folder with a snapshot and the segments after it. */
async function compacted(): Promise<Files> {
  const { journal, directory } = await openTestJournal({ snapshot: () => [Buffer.from('all before')] })
  while (!readdirSync(directory).join().includes('.snapshot')) await writeEntries(journal, 'x'.repeat(700))
  await journal.close()
  return filesIn(directory)
}

function fileOf(files: Files, name: string): Buffer {
  const bytes = files.get(name)
  if (bytes === undefined) throw new Error(`there is no ${name}`)
  return bytes
}

function edited(files: Files, name: string, edit: (bytes: Buffer) => Buffer): Files {
  return new Map([...files, [name, edit(fileOf(files, name))]])
}

function changed(bytes: Buffer, offset: number, mask: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[offset] = (copy[offset] ?? 0) ^ mask
  return copy
}

async function expectStop(files: Files, message = /./, key: Uint8Array = journalKey): Promise<void> {
  const opening = openTestJournal({ directory: folderOf(files), key })
  await expect(opening).rejects.toBeInstanceOf(JournalError)
  await expect(opening).rejects.toThrow(message)
}
