import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newBooksFolder, openTestBooks } from '../../../test/support/books.ts'
import { UnsealError } from '../keys/wrapped_seed.ts'
import { type BookedHead, belowNext, noId } from './booked_head.ts'

const hasMarks = (directory: string) => readdirSync(directory).some((name) => /^[0-9a-f]{2}$/.test(name))

const organizationId = '01234567-89ab-7cde-8f01-23456789abcd'
const another = '01234567-89ab-7cde-8f01-2345678900ef'
const tag = 'aa'.repeat(16)
const newTag = () => randomBytes(16).toString('hex')

/** A mark exactly as an earlier version wrote it. */
function markLine(id: string, version: number | string, markedTag = tag): string {
  const content = `claviger-mark-1 ${id} ${version} ${markedTag}`
  return `${content} ${createHash('sha256').update(content).digest('hex').slice(0, 16)}\n`
}

function writeMark(directory: string, id: string, text: string, name = id): void {
  const shard = join(directory, id.slice(-2))
  mkdirSync(shard, { recursive: true })
  writeFileSync(join(shard, name), text)
}

/** A folder with marks of two organizations. */
function markedFolder(): string {
  const directory = newBooksFolder()
  writeMark(directory, organizationId, markLine(organizationId, 7))
  writeMark(directory, another, markLine(another, 1))
  return directory
}

async function versionsIn(directory: string): Promise<Readonly<Record<string, number>>> {
  const books = await openTestBooks(directory)
  const versions = [...books.organizations()].map((each) => [each.organizationId, each.version] as const)
  await books.close()
  return Object.fromEntries(versions)
}

/** A head from before the vault kept books. */
function headWithout(version: number, headTag = newTag()): BookedHead {
  return { version, tag: headTag, maker: noId, changeKey: noId, below: new Map() }
}

test('marks become the newest heads, and their files are moved away', async () => {
  const directory = markedFolder()
  expect(hasMarks(directory)).toBe(true)
  expect(await versionsIn(directory)).toEqual({ [organizationId]: 7, [another]: 1 })
  expect(hasMarks(directory)).toBe(false)
  expect(readdirSync(join(directory, 'converted')).sort()).toEqual(['cd', 'ef'])
  expect(existsSync(join(directory, 'converted', 'cd', organizationId))).toBe(true)
})

test('marks are converted once, and a later start uses the books', async () => {
  const directory = markedFolder()
  const books = await openTestBooks(directory)
  expect(books.take(organizationId, headWithout(8))).toBe('above')
  await books.sync()
  await books.close()
  expect(await versionsIn(directory)).toEqual({ [organizationId]: 8, [another]: 1 })
})

test('a start completes a conversion that died before the files were moved, and reverts no head', async () => {
  const directory = markedFolder()
  const books = await openTestBooks(directory)
  expect(books.take(organizationId, headWithout(8))).toBe('above')
  await books.sync()
  await books.close()
  for (const shard of ['cd', 'ef']) renameSync(join(directory, 'converted', shard), join(directory, shard))
  expect(await versionsIn(directory)).toEqual({ [organizationId]: 8, [another]: 1 })
  expect(hasMarks(directory)).toBe(false)
})

test('a start completes a conversion that died between two moves', async () => {
  const directory = markedFolder()
  expect(await versionsIn(directory)).toEqual({ [organizationId]: 7, [another]: 1 })
  renameSync(join(directory, 'converted', 'ef'), join(directory, 'ef'))
  expect(await versionsIn(directory)).toEqual({ [organizationId]: 7, [another]: 1 })
  expect(readdirSync(join(directory, 'converted')).sort()).toEqual(['cd', 'ef'])
})

test('a mark that a crash cut short is no mark, and neither is a file of others', async () => {
  const directory = markedFolder()
  writeMark(directory, organizationId, 'claviger-mark-1 0123', `${organizationId}.new`)
  mkdirSync(join(directory, 'notes'))
  writeFileSync(join(directory, 'notes', organizationId), 'of the operator')
  expect(await versionsIn(directory)).toEqual({ [organizationId]: 7, [another]: 1 })
  expect(existsSync(join(directory, 'notes', organizationId))).toBe(true)
})

test('a folder without marks is left as it is', async () => {
  const directory = newBooksFolder()
  expect(await versionsIn(directory)).toEqual({})
  expect(existsSync(join(directory, 'converted'))).toBe(false)
})

describe('a damaged mark stops the start with its path and the remedy', () => {
  const good = markLine(organizationId, 7)
  for (const [what, text] of [
    ['cut', good.slice(0, -1)],
    ['empty', ''],
    ['changed in its version', good.replace(' 7 ', ' 6 ')],
    ['changed in its tag', good.replace('aaaa', 'aaab')],
    ['of another organization', markLine(another, 7)],
    ['of another format', good.replace('mark-1', 'mark-2')],
    ['with more behind it', `${good}\n`],
    ['of a version beyond counting', markLine(organizationId, '9999999999999999')],
    ['of version 0', markLine(organizationId, 0)],
  ] as const) {
    test(what, async () => {
      const directory = newBooksFolder()
      writeMark(directory, another, markLine(another, 1))
      writeMark(directory, organizationId, text)
      const path = join(directory, 'cd', organizationId)
      const opened = openTestBooks(directory)
      await expect(opened).rejects.toThrow(`the mark ${path} is damaged: restore it, or remove it`)
      await expect(opened).rejects.toBeInstanceOf(UnsealError)
      expect(hasMarks(directory)).toBe(true)
      rmSync(path)
      expect(await versionsIn(directory)).toEqual({ [another]: 1 })
    })
  }
})

describe('after the conversion', () => {
  async function converted() {
    const directory = markedFolder()
    const books = await openTestBooks(directory)
    return { directory, books }
  }

  test('the marked head is the newest', async () => {
    const { books } = await converted()
    expect(books.take(organizationId, headWithout(7, tag))).toBe('newest')
    expect(books.take(organizationId, headWithout(7))).toBe('fork')
    expect(books.take(organizationId, headWithout(6))).toBe('behind')
    await books.close()
  })

  test('a head from before the books is taken as the next version, once', async () => {
    const { books } = await converted()
    const next = headWithout(8)
    expect(books.take(organizationId, next)).toBe('above')
    expect(books.take(organizationId, next)).toBe('newest')
    expect(books.take(organizationId, headWithout(9))).toBe('fork')
    await books.close()
  })

  test('it is taken only once, even if a start comes between', async () => {
    const { books, directory } = await converted()
    expect(books.take(organizationId, headWithout(8))).toBe('above')
    await books.sync()
    await books.close()
    const later = await openTestBooks(directory)
    expect(later.take(organizationId, headWithout(9))).toBe('fork')
    await later.close()
  })

  test('it is still taken after a start that took none', async () => {
    const { books, directory } = await converted()
    await books.close()
    const later = await openTestBooks(directory)
    expect(later.take(organizationId, headWithout(8))).toBe('above')
    await later.close()
  })

  test('a head from before the books is not taken two versions ahead', async () => {
    const { books } = await converted()
    expect(books.take(organizationId, headWithout(9))).toBe('fork')
    expect(books.take(organizationId, headWithout(8))).toBe('above')
    await books.close()
  })

  test('a head that names the marked one is taken, and no head from before the books follows it', async () => {
    const { books } = await converted()
    const next = { ...headWithout(8), maker: books.journalId(), below: belowNext(headWithout(7, tag)) }
    expect(books.take(organizationId, { ...next, below: belowNext(headWithout(7)) })).toBe('fork')
    expect(books.take(organizationId, next)).toBe('above')
    expect(books.take(organizationId, headWithout(9))).toBe('fork')
    await books.close()
  })
})
