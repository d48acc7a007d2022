import { expect, test } from 'vitest'
import {
  exportOf,
  headOf,
  logsOf,
  type MadeLog,
  organizationId,
  policyOf,
  type Step,
  strangerId,
  verified,
} from '../../../../../test/support/log_exports.ts'
import type { LogEntry } from '../../../../protocol/log/log_entry.ts'

/** Two nodes that take turns, with entries of a stranger between, in several bundles. */
const honestSteps: readonly Step[] = Array.from({ length: 400 }, (_, at): readonly Step[] => {
  const version = at + 1
  const log = at % 3 === 0 ? 1 : 0
  return [
    { log, makes: version },
    { log: 1 - log, of: strangerId, makes: version },
    { log, restsOn: version },
    { log: 0, restsOn: version },
  ]
}).flat()
const honest = logsOf(2, honestSteps)
const policy = policyOf(honest)

const steps = (...given: readonly Step[]) => logsOf(1, given)
const withEntry = (
  logs: readonly MadeLog[],
  log: number,
  change: (entries: readonly LogEntry[]) => readonly LogEntry[],
) => logs.map((one, at) => (at === log ? { ...one, entries: change(one.entries) } : one))
const few: readonly Step[] = [
  { log: 0, makes: 1 },
  { log: 0, restsOn: 1 },
  { log: 0, makes: 2 },
  { log: 0, makes: 3 },
]

test('an honest export is right: heads, numbers and trees of all logs', async () => {
  const result = await verified(exportOf(honest), policy)
  expect(result).toMatchObject({
    ...{ findings: [], findingsCount: 0, entries: 1_200, begins: undefined, newest: headOf(400), loose: 0 },
    flagged: { late: 0, takenUp: 0, ofOperator: 0 },
    logs: honest.map(({ origin, entries }) => ({ origin, size: entries.length })),
  })
  expect(await verified(exportOf(honest), undefined)).toMatchObject({ findings: [] })
})

test('flags of entries are counted, and a head that was taken up is the next one', async () => {
  const late = { activity: undefined, restsOn: undefined, isLate: true, isTakenUp: true } as const
  const made = steps(
    { log: 0, makes: 1, more: { isOfOperator: true } },
    { log: 0, makes: 2, more: late },
    { log: 0, makes: 3 },
  )
  const flagged = { late: 1, takenUp: 1, ofOperator: 1 }
  expect(await verified(exportOf(made), policyOf(made))).toMatchObject({ findings: [], flagged })
})

test('what was before the log began is told', async () => {
  const made = steps({ log: 0, restsOn: 7 }, { log: 0, makes: 8 }, { log: 0, restsOn: 8 })
  expect(await verified(exportOf(made), policyOf(made))).toMatchObject({ findings: [], begins: headOf(7) })
})

test('heads that another log had not published are told, if they are among the newest', async () => {
  const made = logsOf(2, [...honestSteps, { log: 0, makes: 401 }, { log: 1, restsOn: 401 }])
  const cut = withEntry(made, 0, (entries) => entries.slice(0, -1))
  const looseEntries = [{ origin: made[1]?.origin, index: (made[1]?.entries.length ?? 0) - 1 }]
  expect(await verified(exportOf(cut), policy)).toMatchObject({ findings: [], loose: 1, looseEntries })
})

test('a head below one of the same log, or of all logs, is missing and was not published later', async () => {
  const hidden = (logs: readonly MadeLog[]) => {
    const isShown = (entry: LogEntry) => entry.organizationId === organizationId && entry.makes?.version !== 401
    return verified(exportOf(logs, { isShown }), policyOf(logs))
  }
  const ends = [401, 402, 403]
  const inOne = await hidden(steps(...few, ...[4, 401, 402].map((makes): Step => ({ log: 0, makes }))))
  expect([inOne.loose, inOne.findings.length]).toEqual([0, 2])
  const inAll = await hidden(logsOf(2, [...honestSteps, ...ends.map((makes, log): Step => ({ log: log % 2, makes }))]))
  const what = expect.stringMatching(/^it rests on head 401 .* which no entry makes/)
  expect(inAll).toMatchObject({ loose: 0, findings: expect.arrayContaining([expect.objectContaining({ what })]) })
  const behind = logsOf(2, [...honestSteps, { log: 0, makes: 401 }, { log: 1, makes: 402 }])
  expect(await verified(exportOf(withEntry(behind, 0, (entries) => entries.slice(0, -1))), policy)).toMatchObject({
    ...{ findings: [], loose: 1 },
  })
})

/** Each is signed by the key of its log: only a holder of the master seed can tell such lies. */
const lies: readonly (readonly [string, readonly MadeLog[], string])[] = [
  [
    'a missing entry',
    withEntry(honest, 0, (entries) =>
      entries.filter(({ organizationId: of, number }) => of !== organizationId || number !== 500),
    ),
    'entry number 500 is missing',
  ],
  [
    'another order',
    withEntry(steps(...few), 0, ([one, two, ...rest]) => [...(two ? [two] : []), ...(one ? [one] : []), ...rest]),
    'it names',
  ],
  ['two entries for one head', steps(...few, { log: 0, makes: 3 }), 'again, which entry 3'],
  ['two heads of one version', steps(...few, { log: 0, makes: 3, branch: 'b' }), 'in the place of'],
  [
    'another head below',
    steps(...few, { log: 0, makes: 4, branch: 'b' }, ...Array.from({ length: 20 }, () => ({ log: 0, restsOn: 3 }))),
    'which no entry makes',
  ],
  ['an entry on a head that was never', steps(...few, { log: 0, restsOn: 2, branch: 'b' }), 'which no entry makes'],
  ['a skipped version', steps(...few, { log: 0, makes: 5, restsOn: 3 }), 'it makes head 5'],
  ['a second beginning', steps(...few, { log: 0, makes: 4, restsOn: 0 }), 'out of nothing'],
  [
    'a number twice',
    withEntry(steps(...few), 0, (entries) => entries.map((entry) => ({ ...entry, number: Math.min(entry.number, 3) }))),
    'it has number 3 among',
  ],
  [
    'a wrong place of the one before',
    withEntry(steps(...few), 0, (entries) => entries.map((entry) => ({ ...entry, before: entry.before && 0 }))),
    'it names the one at index 0 before it',
  ],
  [
    'a taken up entry without a head',
    steps(...few, { log: 0, restsOn: 3, more: { isTakenUp: true } }),
    'makes no head',
  ],
]

test.each(lies)('%s is found and named', async (_name, logs, what) => {
  const { findings } = await verified(exportOf(logs), policyOf(logs))
  expect(findings).toContainEqual(
    expect.objectContaining({
      origin: logs[0]?.origin,
      index: expect.any(Number),
      what: expect.stringContaining(what),
    }),
  )
})

test('a history that was rewritten with a new key is refused', async () => {
  const rewritten = honest.map((log) => ({ ...log, seed: log.seed + 10 }))
  const { findings } = await verified(exportOf(rewritten), policy)
  expect(findings).toEqual(
    honest.map(({ origin }) => ({
      origin,
      what: expect.stringMatching(/^the checkpoint is signed by key/),
      kind: 'unvouched',
    })),
  )
})

test('a hidden log is named, by the policy and by the heads that it made', async () => {
  const hidden = honest.slice(0, 1)
  const { findings } = await verified(exportOf(hidden), policy)
  expect(findings).toContainEqual({
    origin: honest[1]?.origin,
    what: 'the policy names this log, and the file has nothing of it',
  })
  const alone = await verified(exportOf(hidden), policyOf(hidden))
  expect(alone.findings).toContainEqual(
    expect.objectContaining({ origin: honest[0]?.origin, what: expect.stringContaining('which no entry makes') }),
  )
})

test('an entry of another organization is named', async () => {
  const { findings } = await verified(exportOf(honest, { isShown: () => true }), policy)
  expect(findings[0]).toEqual({
    origin: honest[0]?.origin,
    index: expect.any(Number),
    what: `the entry is of another organization, ${strangerId}`,
  })
})

test('an entry that is left out of a bundle is missed', async () => {
  const isShown = ({ organizationId: of, number }: LogEntry) => of === organizationId && number !== 300
  const { findings } = await verified(exportOf(honest, { isShown }), policy)
  expect(findings).toContainEqual(
    expect.objectContaining({
      what: expect.stringContaining('the organization’s entry number 300 is missing'),
    }),
  )
})

test('a missing document is named, and one that makes no head is unconfirmed', async () => {
  const made = steps(...few)
  const { findings, unconfirmed } = await verified(exportOf(made, { isDocumented: () => false }), policyOf(made))
  expect(findings.map(({ index, what }) => [index, what])).toEqual(
    [0, 2, 3].map((index) => [index, expect.stringMatching(/^the document of version 1 of activity .* is missing$/)]),
  )
  expect(unconfirmed).toMatchObject({ count: 1, named: [{ index: 1, version: 1 }] })
})

test('an altered document, altered content and a document of another entry are named', async () => {
  const made = steps(...few)
  const text = exportOf(made)
  const altered = async (from: string | RegExp, to: string) =>
    (await verified(text.replace(from, to), policyOf(made))).findings.map(({ index, what }) => [index, what])
  const [first, second] = text.split('\n').filter((line) => line.includes('"document"'))
  expect(await altered('\\"version\\":1', '\\"version\\":2')).toEqual([
    [0, 'its document is not the one whose digest it has'],
  ])
  expect(await altered('\\"step\\\\\\":2', '\\"step\\\\\\":9')).toEqual([
    [2, 'the content of its document is not the one whose digest the document has'],
  ])
  expect(await altered(`${first}\n${second}`, `${second}\n${first}`)).toContainEqual([
    0,
    'there is a document without its entry',
  ])
})

test('a flipped bit at any place is found', async () => {
  const made = logsOf(2, honestSteps.slice(0, 8))
  const bytes = Buffer.from(exportOf(made))
  const policyOfBoth = policyOf(made)
  const unnoticed: number[] = []
  for (let at = 0; at < bytes.length; at += 1) {
    const flipped = Buffer.from(bytes)
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 7))
    const { findings } = await verified(flipped, policyOfBoth)
    if (findings.length === 0) unnoticed.push(at)
  }
  expect(unnoticed).toEqual([])
}, 120_000)

test('a file that was cut off is no export', async () => {
  const text = exportOf(honest)
  for (const length of [
    0,
    1,
    text.indexOf('\n'),
    text.indexOf('\n') + 1,
    text.length - 1,
    text.lastIndexOf('{"end"'),
  ]) {
    expect((await verified(text.slice(0, length), policy)).findings).toHaveLength(1)
  }
})
