import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { newBooksFolder, openTestBooks } from '../../../test/support/books.ts'
import { asId } from '../../contract/fields/ids.ts'
import { SecretBytes } from '../../protocol/crypto/secret_bytes.ts'
import { createByteCache } from '../../protocol/tools/byte_cache.ts'
import { type BookedHead, belowNext, type HeadName } from '../books/booked_head.ts'
import { requestMsMax } from '../books/counts.ts'
import { decisionBooks } from '../books/decision_books.ts'
import { createSeals } from '../keys/seal.ts'
import { createEvidence, IntegrityError } from './evidence.ts'
import { requireOnBooks } from './on_books.ts'

const organizationId = '01234567-89ab-7cde-8f01-23456789abcd'
const startMs = 1_800_000_000_000
const newKey = () => randomBytes(16).toString('hex')
const seals = createSeals({
  masterSeeds: { current: 1, seeds: new Map([[1, new SecretBytes(new Uint8Array(32).fill(1))]]) },
  randomBytes: (size) => new Uint8Array(randomBytes(size)),
})

/** Books with one head of another journal, and a function that asks whether the activity that made a head is shown. */
async function start() {
  const clock = { ms: startMs }
  const books = await openTestBooks(newBooksFolder(), { nowMs: () => clock.ms })
  onTestFinished(() => books.close())
  const [maker, another] = [books.journalId(), newKey()]
  const first = headOf(1, { maker: another })
  books.take(organizationId, first)
  const cache = {
    heads: createByteCache<never>({ bytesMax: 0 }),
    records: createByteCache<never>({ bytesMax: 0 }),
    rows: createByteCache<never>({ bytesMax: 0 }),
    stamps: createByteCache<never>({ bytesMax: 0 }),
    looks: createByteCache<never>({ bytesMax: 0 }),
  }

  function isShown({ version, tag, maker, changeKey }: BookedHead): boolean {
    const made = [{ organizationId, version, tag, maker, changeKey }]
    const services = { books: decisionBooks(books), seals, cache }
    const activity = { activityId: asId('a'), organizationId, made, updatedAtMs: startMs }
    try {
      requireOnBooks({ services, evidence: createEvidence([]), nowMs: clock.ms }, activity)
      return true
    } catch (error) {
      expect(error).toBeInstanceOf(IntegrityError)
      return false
    }
  }

  return { books, clock, maker, another, first, isShown }
}

type Made = { readonly maker: string; readonly on?: BookedHead; readonly changeKey?: string }

function headOf(version: number, { maker, on, changeKey = newKey() }: Made): BookedHead {
  const below: ReadonlyMap<string, HeadName> = on === undefined ? new Map() : belowNext(on)
  return { version, tag: newKey(), maker, changeKey, below }
}

test('an activity is shown only if its head is the newest or lies below it', async () => {
  const { books, maker, first, isShown } = await start()
  const own = headOf(2, { maker, on: first })
  const next = headOf(3, { maker, on: own })
  expect([first, own, next].map(isShown)).toEqual([true, false, false])
  books.take(organizationId, own)
  books.take(organizationId, next)
  expect([first, own, next].map(isShown)).toEqual([true, true, true])
  expect(isShown(headOf(2, { maker, on: first }))).toBe(false)
})

test('if one change made two heads, only the one on the books is shown', async () => {
  const { books, maker, first, isShown } = await start()
  const one = headOf(2, { maker, on: first })
  const other = headOf(2, { maker, on: first, changeKey: one.changeKey })
  books.take(organizationId, one)
  expect([one, other].map(isShown)).toEqual([true, false])
})

test('a head of another journal is shown when a later head of that journal lies below the newest', async () => {
  const { books, maker, another, first, isShown } = await start()
  const second = headOf(2, { maker: another, on: first })
  const own = headOf(3, { maker, on: second })
  books.take(organizationId, own)
  expect([first, second].map(isShown)).toEqual([true, true])
  expect(isShown(headOf(3, { maker: another, on: second }))).toBe(false)
  expect(isShown(headOf(1, { maker: newKey() }))).toBe(false)
})

test('a head that this journal made is still shown after two hours', async () => {
  const { books, clock, maker, first, isShown } = await start()
  const own = headOf(2, { maker, on: first })
  const next = headOf(3, { maker, on: own })
  books.take(organizationId, own)
  books.take(organizationId, next)
  clock.ms += 2 * requestMsMax
  expect([own, next].map(isShown)).toEqual([true, true])
  expect(isShown(headOf(4, { maker, on: next }))).toBe(false)
})
