import { expect, test } from 'vitest'
import { AdminError } from '../../link/admin_error.ts'
import { headsPerPageMax, type NamedHead } from '../../link/heads.ts'
import { compareHeads, rowsMax } from './compare_heads.ts'

const head = (number: number, version: number, tag = 'a'): NamedHead => {
  return { organizationId: `organization ${number}`, version, tag: tag.repeat(32) }
}

/** The heads of both sides. The books may show other heads when they are asked again. */
function sources(booked: readonly NamedHead[], presented: readonly NamedHead[], bookedLater = booked) {
  const named = (heads: readonly NamedHead[], ids: readonly string[]) =>
    heads.filter(({ organizationId }) => ids.includes(organizationId))
  return {
    async bookedHeads({ cursor = 0 }: { readonly cursor?: number | undefined }) {
      const next = cursor + headsPerPageMax
      const heads = booked.slice(cursor, next)
      return next < booked.length ? { heads, cursor: next } : { heads }
    },
    bookedHeadsOf: async ({ organizationIds }: { readonly organizationIds: readonly string[] }) =>
      named(bookedLater, organizationIds),
    presentedHeads: async ({ organizationIds }: { readonly organizationIds: readonly string[] }) =>
      named(presented, organizationIds),
  }
}

test('each difference is told with both versions and its kind', async () => {
  const booked = [head(1, 7), head(2, 3), head(3, 2), head(4, 9), head(5, 1)]
  const presented = [head(1, 5), head(3, 2, 'b'), head(4, 9)]
  const rows = [
    { organizationId: 'organization 1', onBooks: 7, inDatabase: 5, difference: 'older' },
    { organizationId: 'organization 2', onBooks: 3, inDatabase: undefined, difference: 'missing' },
    { organizationId: 'organization 3', onBooks: 2, inDatabase: 2, difference: 'another head' },
    { organizationId: 'organization 5', onBooks: 1, inDatabase: undefined, difference: 'missing' },
  ]
  expect(await compareHeads(sources(booked, presented))).toEqual({ organizations: 5, differing: 4, rows })
})

test('nothing differs where there is nothing', async () => {
  expect(await compareHeads(sources([], [head(1, 1)]))).toEqual({ organizations: 0, differing: 0, rows: [] })
})

test('all pages are compared, and the first rows are kept', async () => {
  const booked = Array.from({ length: 2 * headsPerPageMax + 1 }, (_, index) => head(index, 2))
  const presented = booked.map((each) => ({ ...each, version: 1 }))
  const { rows, ...counts } = await compareHeads(sources(booked, presented))
  expect(counts).toEqual({ organizations: booked.length, differing: booked.length })
  expect(rows).toHaveLength(rowsMax)
})

test('a newer head differs only if the books have not taken it up when they are asked again', async () => {
  const booked = [head(1, 7), head(2, 7), head(3, 7)]
  const presented = [head(1, 8), head(2, 8), head(3, 9)]
  const bookedLater = [head(1, 8), head(2, 9), head(3, 8)]
  expect(await compareHeads(sources(booked, presented, bookedLater), 0)).toEqual({
    organizations: 3,
    differing: 1,
    rows: [{ organizationId: 'organization 3', onBooks: 8, inDatabase: 9, difference: 'newer, and not taken up' }],
  })
})

test.each([
  ['a version that is a text', [{ ...head(1, 1), version: '\u001b[2J' }]],
  ['a head that is none', [null]],
  ['no list', 'heads'],
])('a server that answers with %s is refused', async (_what, answer) => {
  const lying = { ...sources([head(1, 1)], []), presentedHeads: async () => JSON.parse(JSON.stringify(answer)) }
  await expect(compareHeads(lying)).rejects.toThrow(new AdminError('the server answered with no heads'))
})
