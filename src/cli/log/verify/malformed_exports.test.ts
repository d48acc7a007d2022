import { expect, test } from 'vitest'
import {
  altered,
  editHeader,
  fileOf,
  honestExport as honest,
  linesOf,
  randomPolicy as policy,
} from '../../../../test/support/altered_exports.ts'
import {
  exportOf,
  headOf,
  keepDocument,
  logsOf,
  type MadeLog,
  policyOf,
  type Step,
  verified,
  verifiedInAll,
} from '../../../../test/support/log_exports.ts'
import { exportedLogsMax, exportLineBytesMax } from '../../../protocol/log/exports/export_lines.ts'
import type { LogEntry } from '../../../protocol/log/log_entry.ts'

/** Files that are no export, or that would take a reader's memory or its screen. */
const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const malformed: readonly (readonly [string, string | Uint8Array, string])[] = [
  [
    'has a line that is too long',
    fileOf([linesOf(honest)[0] ?? '', ...linesOf(honest).slice(1)]).replace(
      '\n',
      `\n${'x'.repeat(exportLineBytesMax + 65_536)}\n`,
    ),
    'has more than 16777216 bytes',
  ],
  ['begins with a line that is too long', 'x'.repeat(exportLineBytesMax + 65_536), 'has more than 16777216 bytes'],
  ['begins with JSON of great depth', `${deep(100_000)}\n${honest}`, 'the members are not format'],
  [
    'has half a character in a checkpoint',
    altered((lines) =>
      editHeader(lines, ({ logs: [one] }) => {
        if (one) one.checkpoint = '\ud800'
      }),
    ),
    'a text has half a character',
  ],
  [
    'has more logs than any deployment',
    altered((lines) =>
      editHeader(lines, (header) => {
        header.logs = Array.from({ length: exportedLogsMax + 1 }, () => ({
          keys: [],
          checkpoint: header.logs[0]?.checkpoint ?? '',
        }))
      }),
    ),
    'an export has 1000 logs at most',
  ],
  ['has a member twice', honest.replace('"indexes":', '"log":0,"indexes":'), 'the JSON is not in its one form'],
  ['has a number in another form', honest.replace('"from":256', '"from":2.56e2'), 'the JSON is not in its one form'],
  [
    'counts other entries',
    honest.replace(/"entries":(\d+)\}\}/, (_, count) => `"entries":${Number(count) + 1}}}`),
    'and says that it has',
  ],
  [
    'says that a log begins elsewhere',
    honest.replace(/"starts":\[\d+/, '"starts":[1'),
    'the end does not say where the logs begin',
  ],
  [
    'has bytes that are no UTF-8',
    Buffer.concat([Buffer.from(honest.slice(0, -1)), Buffer.from([0xff, 0x0a])]),
    'the file was cut off, or it is still being written',
  ],
]

test.each(malformed)('a file that %s is named, and does not end the command', async (_name, file, what) => {
  const { findings } = await verified(file, policy)
  expect(findings).toContainEqual(expect.objectContaining({ what: expect.stringContaining(what) }))
})

test('an entry on a head from before the first one, and one on nothing, are named', async () => {
  const before: readonly Step[] = [
    { log: 0, restsOn: 7 },
    { log: 0, makes: 8 },
    { log: 0, restsOn: 3 },
  ]
  const made = logsOf(1, before)
  expect((await verified(exportOf(made), policyOf(made))).findings).toEqual([
    { origin: made[0]?.origin, index: 2, what: `it rests on head 3 (${headOf(3).tag}), which no entry makes` },
  ])
  const other = logsOf(1, [
    { log: 0, makes: 8 },
    { log: 0, restsOn: 7, branch: 'b' },
  ])
  expect((await verified(exportOf(other), policyOf(other))).findings).toHaveLength(1)
  const nothing = logsOf(1, [
    { log: 0, makes: 1 },
    { log: 0, restsOn: 0 },
  ])
  expect((await verified(exportOf(nothing), policyOf(nothing))).findings).toEqual([
    { origin: nothing[0]?.origin, index: 1, what: 'it rests on nothing, makes no head and is not late' },
  ])
  const late = logsOf(1, [
    { log: 0, makes: 1 },
    { log: 0, restsOn: 0, more: { isLate: true } },
  ])
  expect((await verified(exportOf(late), policyOf(late))).findings).toEqual([])
})

test('a document of any form is named, and does not end the command', async () => {
  for (const changes of [[null], [{}], [{ records: [null] }], [{ records: [{ kind: 'user', record: null }] }]]) {
    const [{ entries, ...log }] = logsOf(1, [{ log: 0, makes: 1 }]) as [MadeLog]
    const [{ activity, ...entry }] = entries as [LogEntry]
    if (activity === undefined) throw new Error('the entry has no activity')
    const document = JSON.stringify({ activityId: activity.activityId, version: 1, changes })
    const documentDigest = keepDocument({ document, content: undefined })
    const bound = [{ ...log, entries: [{ ...entry, activity: { ...activity, documentDigest } }] }]
    const { chain, stamps, results } = await verifiedInAll(exportOf(bound), policyOf(bound))
    expect(chain.findings).toEqual([])
    expect(stamps.findings.concat(results.findings)).toContainEqual(
      expect.objectContaining({ index: 0, what: expect.stringMatching(/cannot be read|no vote/) }),
    )
  }
})
