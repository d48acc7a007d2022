import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type BookedHead, makersMax } from '../books/booked_head.ts'
import { encodeHead } from '../books/entries.ts'
import { lineages } from './lineages.ts'

const organizationId = '01234567-89ab-7cde-8f01-23456789abcd'
const hex = () => randomBytes(16).toString('hex')

/** The newest head of an organization whose heads were made by this number of journals. */
function madeBy(makers: number): BookedHead {
  const name = () => ({ version: 1, tag: hex(), changeKey: hex() })
  const below = new Map(Array.from({ length: makers - 1 }, () => [hex(), name()]))
  return { ...name(), version: 2, maker: hex(), below }
}

test('a head is made only if the books can take it up', () => {
  for (const [makers, isMade] of [
    [1, true],
    [makersMax, true],
    [makersMax + 1, false],
  ] as const) {
    const newest = madeBy(makers)
    const lineageOf = lineages({ books: { newest: () => newest, journalId: hex } })
    if (!isMade) {
      expect(() => lineageOf(organizationId)).toThrow(`${makers} journals`)
      continue
    }
    const head = { version: 3, tag: hex(), ...lineageOf(organizationId) }
    expect(head.below.size).toBe(makers)
    expect(() => encodeHead({ organizationId, head, atMs: 1, mayBeNext: false })).not.toThrow()
  }
})
