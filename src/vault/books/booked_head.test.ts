import { describe, expect, test } from 'vitest'
import { type BookedHead, belowNext, type Comparison, compareHeads, type HeadName, noId } from './booked_head.ts'

const journalId = 'a'.repeat(32)
const another = 'b'.repeat(32)
const third = 'c'.repeat(32)

type Names = Readonly<Record<string, readonly [version: number, tag: string]>>

function nameOf(version: number, tag: string): HeadName {
  return { version, tag, changeKey: noId }
}

/** A head with the heads that it names. This journal made it unless `maker` names another. */
function head(
  version: number,
  tag: string,
  { maker = journalId, below = {} }: { maker?: string; below?: Names } = {},
): BookedHead {
  const named = Object.entries(below).map(([id, [at, as]]) => [id, nameOf(at, as)] as const)
  return { ...nameOf(version, tag), maker, below: new Map(named) }
}

function compare(newest: BookedHead | undefined, presented: BookedHead, lost: readonly string[] = []): Comparison {
  return compareHeads(newest, presented, { isLost: (tag) => lost.includes(tag), journalId })
}

test('the next head names the newest head of each journal, and the head below it as the newest of its maker', () => {
  const newest = head(5, 'five', { below: { [journalId]: [3, 'three'], [another]: [4, 'four'] } })
  expect([...belowNext(newest)]).toEqual([
    [journalId, nameOf(5, 'five')],
    [another, nameOf(4, 'four')],
  ])
  expect([...belowNext(head(1, 'one')).keys()]).toEqual([journalId])
})

test('each head of a chain is above all earlier ones, however many are skipped', () => {
  const line: BookedHead[] = [head(1, 'first', { maker: third })]
  for (let version = 2; version <= 12; version += 1) {
    const [last] = line.slice(-1)
    if (last === undefined) throw new Error('a line has a head')
    const maker: string = version % 3 === 0 ? another : journalId
    line.push({ ...nameOf(version, `head ${version}`), maker, below: belowNext(last) })
  }
  for (const [at, newest] of line.entries()) {
    for (const [place, presented] of line.entries()) {
      expect(compare(newest, presented)).toBe(place < at ? 'behind' : place === at ? 'newest' : 'above')
    }
  }
})

describe('with one journal', () => {
  const newest = head(5, 'five', { below: { [journalId]: [4, 'four'] } })
  for (const [name, presented, comparison] of [
    ['the same head is the newest', head(5, 'five'), 'newest'],
    ['the next one is above', head(6, 'six', { below: { [journalId]: [5, 'five'] } }), 'above'],
    ['one made on a later head is above', head(9, 'nine', { below: { [journalId]: [8, 'eight'] } }), 'above'],
    ['a lower version is behind, whatever it is', head(4, 'other'), 'behind'],
    ['a lower version is behind, whatever it names', head(4, 'x', { below: { [journalId]: [5, 'five'] } }), 'behind'],
    ['another head of the same version is a fork', head(5, 'other'), 'fork'],
    ['a head made on a sibling of the newest is a fork', head(6, 'six', { below: { [journalId]: [5, 'x'] } }), 'fork'],
    [
      'a head made on the one below the newest is a fork',
      head(6, 'x', { below: { [journalId]: [4, 'four'] } }),
      'fork',
    ],
    ['a later head that names the one below is a fork', head(9, 'x', { below: { [journalId]: [4, 'four'] } }), 'fork'],
    ['a head that names nothing is a fork', head(6, 'six'), 'fork'],
    ['a head that names another journal only is a fork', head(6, 'x', { below: { [another]: [5, 'five'] } }), 'fork'],
  ] as const) {
    test(name, () => expect(compare(newest, presented)).toBe(comparison))
  }
})

describe('with several journals', () => {
  const newest = head(7, 'seven', { maker: another, below: { [journalId]: [6, 'six'], [third]: [2, 'two'] } })
  const all = { [another]: [7, 'seven'], [journalId]: [6, 'six'], [third]: [2, 'two'] } as const
  for (const [name, below, comparison] of [
    ['all names of the newest as they are', all, 'above'],
    ['a later head of one of them', { ...all, [third]: [8, 'x'] }, 'above'],
    ['later heads of all of them', { [another]: [8, 'x'], [journalId]: [9, 'y'], [third]: [10, 'z'] }, 'above'],
    ['one more journal', { ...all, ['d'.repeat(32)]: [8, 'x'] }, 'above'],
    ['another head of the maker of the newest', { ...all, [another]: [7, 'x'] }, 'fork'],
    ['an older head of the maker of the newest', { ...all, [another]: [5, 'x'] }, 'fork'],
    ['no head of the maker of the newest', { [journalId]: [6, 'six'], [third]: [2, 'two'] }, 'fork'],
    ['an older own head', { ...all, [journalId]: [5, 'five'] }, 'fork'],
    ['another own head of the same version', { ...all, [journalId]: [6, 'x'] }, 'fork'],
    ['no own head', { [another]: [7, 'seven'], [third]: [2, 'two'] }, 'fork'],
    ['an older head of a third journal', { ...all, [third]: [1, 'one'] }, 'fork'],
    ['another head of a third journal', { ...all, [third]: [2, 'x'] }, 'fork'],
    ['no head of a third journal', { [another]: [7, 'seven'], [journalId]: [6, 'six'] }, 'fork'],
  ] as const) {
    test(`a head that names ${name} is ${comparison === 'fork' ? 'a fork' : comparison}`, () => {
      for (const maker of [journalId, another, third]) {
        for (const version of [11, 100])
          expect(compare(newest, head(version, 'new', { maker, below }))).toBe(comparison)
      }
    })
  }
})

describe('a head that was not written', () => {
  const newest = head(5, 'five')
  const next = head(6, 'six', { below: { [journalId]: [5, 'five'] } })

  test('is a fork, and so is a head that names it as the last of this journal', () => {
    expect(compare(newest, next, ['six'])).toBe('fork')
    expect(compare(newest, head(7, 'seven', { below: { [journalId]: [6, 'six'] } }), ['six'])).toBe('fork')
    const ofAnother = { maker: another, below: { [journalId]: [6, 'six'], [another]: [7, 'x'] } } as const
    expect(compare(newest, head(8, 'eight', ofAnother), ['six'])).toBe('fork')
  })

  test('is a head of this journal: the same tag under another journal does not count', () => {
    const below = { [journalId]: [5, 'five'], [another]: [6, 'six'] } as const
    expect(compare(newest, head(7, 'seven', { below }), ['six'])).toBe('above')
  })

  test('is the newest if it was taken up before, and behind if its version is lower', () => {
    expect(compare(newest, newest, ['five'])).toBe('newest')
    expect(compare(newest, head(4, 'four'), ['four'])).toBe('behind')
  })

  test('is a fork for books that know no head', () => {
    expect(compare(undefined, next, ['six'])).toBe('fork')
    expect(compare(undefined, next, ['five'])).toBe('fork')
  })
})

test('books that know no head take any head', () => {
  expect(compare(undefined, head(1, 'one'))).toBe('above')
  expect(compare(undefined, head(9, 'nine', { maker: another, below: { [third]: [8, 'eight'] } }))).toBe('above')
})
