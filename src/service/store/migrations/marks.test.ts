import { expect, test } from 'vitest'
import { type Extent, isExpansion, lackOf, outlookOf } from './marks.ts'
import type { Migration } from './migration.ts'
import { migrations } from './migrations.ts'

const names = ['0001_initial', '0002_expand_a', '0003_contract_a', '0004_expand_b', '0005_break'] as const
const steps: readonly Migration[] = names.map((name, index) => ({ number: index + 1, name, statements: [] }))

/** What a program that knows the first `known` migrations finds in a database that has the first `made`. */
function outlook(known: number, made: number, extent: Extent = 'expand') {
  const found = outlookOf(steps.slice(0, made), { steps: steps.slice(0, known), extent })
  return { ...found, due: found.due.map(({ number }) => number), left: found.left.map(({ number }) => number) }
}

function lack(known: number, made: number): string | undefined {
  return lackOf(outlookOf(steps.slice(0, made), { steps: steps.slice(0, known), extent: 'first' }))
}

test('each migration has its number in its name, and those from the fifth on have a mark', () => {
  for (const [index, { number, name }] of migrations.entries()) {
    expect(number).toBe(index + 1)
    expect(name).toMatch(number < 5 ? /^\d{4}_[a-z_]+$/ : /^\d{4}_(expand|contract)_[a-z0-9_]+$/)
    expect(Number(name.slice(0, 4))).toBe(number)
  }
})

test('an index that is built apart is an expansion and all of its migration', () => {
  for (const { name, statements, builds } of migrations) {
    if (builds !== undefined) expect([isExpansion({ name }), statements]).toEqual([true, []])
  }
})

test('a newer database is opened only if all that is newer are expansions', () => {
  expect(outlook(1, 2)).toEqual({ current: 2, due: [], left: [] })
  expect(outlook(3, 4)).toEqual({ current: 4, due: [], left: [] })
  for (const [known, made, closing] of [
    [1, 3, 3],
    [2, 3, 3],
    [2, 4, 3],
    [4, 5, 5],
  ] as const) {
    expect(() => outlook(known, made)).toThrow(
      `the database has schema ${made}, and this program knows schemas up to ${known}; migration ${closing} shuts`,
    )
  }
})

test.each(['', 'expand', '0002expand_a', '2_expand_a', 'x0002_expand_a', '0002_Expand_a', '0002_contract_expand_a'])(
  'a newer migration of the name %j shuts older programs out',
  (name) => {
    const made = [...steps.slice(0, 1), { number: 2, name }]
    expect(() => outlookOf(made, { steps: steps.slice(0, 1), extent: 'all' })).toThrow('shuts older programs out')
  },
)

test('an empty database gets everything, another one as much as is asked for', () => {
  for (const extent of ['first', 'expand', 'all'] as const) {
    expect(outlook(5, 0, extent)).toEqual({ current: 0, due: [1, 2, 3, 4, 5], left: [] })
  }
  expect(outlook(5, 1, 'first')).toEqual({ current: 1, due: [], left: [2, 3, 4, 5] })
  expect(outlook(5, 1, 'expand')).toEqual({ current: 1, due: [2], left: [3, 4, 5] })
  expect(outlook(5, 1, 'all')).toEqual({ current: 1, due: [2, 3, 4, 5], left: [] })
  expect(outlook(4, 3, 'expand')).toEqual({ current: 3, due: [4], left: [] })
})

test('a program works before a contraction, and before nothing else', () => {
  expect([lack(3, 2), lack(3, 3), lack(3, 4)]).toEqual([undefined, undefined, undefined])
  expect(lack(2, 1)).toMatch(/has schema 1, and this program needs schema 2: run `claviger migrate`;/)
  expect(lack(3, 1)).toMatch(/needs schema 2: run `claviger migrate`;/)
  expect(lack(4, 2)).toMatch(/needs schema 4: end the servers of earlier versions, then run/)
  expect(lack(5, 4)).toMatch(/needs schema 5: end the servers of earlier versions, then run/)
})
