import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type LoggedFact, noOrganizationId } from '../../../protocol/log/log_entry.ts'
import { factOfAct, type OperatorAct } from '../operator_acts.ts'
import { createMissingRows } from './missing_rows.ts'

const organizationId = '01234567-89ab-7cde-8f01-23456789abcd'
const acceptance = { act: 'accept_restore', journal: '0a'.repeat(16), organizations: 1 } as const
const comparison = { act: 'compare_restore', acceptedAt: 0, organizations: 0, entries: 0, unread: 0 } as const
const signature = { atMs: 1, organizationId, activity: undefined, changeKey: '0d'.repeat(16), restsOn: undefined }

/** A pass over signatures, of which some (`false`) have no row, and acts in between. Returns what is entered. */
async function entered(passed: readonly (boolean | OperatorAct)[], unread = 0) {
  const missing = createMissingRows()
  let number = 0
  for (const [index, one] of passed.entries()) {
    const fact =
      typeof one === 'boolean' ? { ...signature, makes: undefined } : factOfAct(one, { atMs: 1, randomBytes })
    if (fact.organizationId === organizationId) number += 1
    const own = fact.organizationId === organizationId ? number : 1
    missing.pass({ ...fact, number: own, before: undefined }, { index, lacksRow: one === false })
  }
  const facts: LoggedFact[] = []
  const enter = async (some: readonly LoggedFact[]) => void facts.push(...some)
  const entering = missing.enter({ books: { enter } as never, nowMs: () => 7, randomBytes }, unread)
  while ((await entering.next({ of: 'rows', presented: [] })).done !== true);
  return facts.map((fact) => ({ for: fact.organizationId, ...JSON.parse(fact.document ?? '') }))
}

const end = { act: 'compare_restore', for: noOrganizationId }

test('nothing is told unless the operator has accepted a database since', async () => {
  expect(await entered([true, false, false])).toEqual([])
  expect(await entered([false, acceptance, comparison, false])).toEqual([])
})

test('what was entered before an acceptance and has no row is told, by its numbers', async () => {
  const numbers = [
    [2, 3],
    [5, 5],
  ]
  expect(await entered([true, false, false, true, false, acceptance, false], 256)).toEqual([
    { act: 'miss_rows', for: organizationId, acceptedAt: 5, numbers },
    { ...end, acceptedAt: 5, organizations: 1, entries: 3, unread: 256 },
  ])
  // A second acceptance before the first comparison.
  expect(await entered([false, acceptance, true, false, acceptance, false])).toEqual([
    {
      act: 'miss_rows',
      for: organizationId,
      acceptedAt: 4,
      numbers: [
        [1, 1],
        [3, 3],
      ],
    },
    { ...end, acceptedAt: 4, organizations: 1, entries: 2, unread: 0 },
  ])
})

test('more ranges than a document holds take several', async () => {
  const gaps = Array.from({ length: 500 }, (_, at) => at % 2 === 0)
  const acts = await entered([...gaps, acceptance])
  expect(acts.map(({ act }) => act)).toEqual(['miss_rows', 'miss_rows', 'miss_rows', 'compare_restore'])
  expect(acts.flatMap(({ numbers = [] }) => numbers)).toHaveLength(250)
})
