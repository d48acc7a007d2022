import { describe, expect, test } from 'vitest'
import type { Integrity } from '../../link/verbs.ts'
import { areOvertaken, contradictionIn } from './incident.ts'

const behind = (organizationId: string, shownVersion: number, newestVersion: number): Integrity => ({
  ...{ kind: 'integrity', incident: `${organizationId} is behind`, found: 'behind' },
  ...{ organizationId, shownVersion, newestVersion },
})

describe('a head that is older than the newest on the books', () => {
  test('contradicts the vault if a look that began later shows it again', () => {
    const last = behind('a', 4, 5)
    expect(contradictionIn([behind('a', 4, 5), last])).toBe(last)
  })

  test('may be due to a change that was made in between', () => {
    expect(contradictionIn([behind('a', 4, 5)])).toBeUndefined()
    expect(contradictionIn([behind('a', 4, 5), behind('a', 5, 6)])).toBeUndefined()
  })

  test('says nothing about the head of another organization', () => {
    expect(contradictionIn([behind('parent', 9, 10), behind('child', 1, 2)])).toBeUndefined()
  })
})

describe('heads that are older than the newest on the books, one after another', () => {
  const five = [behind('a', 11, 12), behind('a', 13, 14), behind('a', 14, 15), behind('a', 15, 16), behind('a', 17, 20)]

  test('are explained by commits that came first each time', () => {
    expect(areOvertaken(five)).toBe(true)
  })

  test('are not explained if one of them is of another kind, or of another organization', () => {
    const fork: Integrity = { kind: 'integrity', incident: 'a forked', found: 'fork' }
    expect(areOvertaken([...five.slice(1), fork])).toBe(false)
    expect(areOvertaken([...five.slice(1), behind('b', 1, 2)])).toBe(false)
  })
})
