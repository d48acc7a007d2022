import { expect, test } from 'vitest'
import {
  altered,
  bundlesIn,
  documentsIn,
  editHeader,
  honestExport,
  randomLogs,
  randomPolicy,
  read,
} from '../../../../test/support/altered_exports.ts'
import {
  activityProofOf,
  checkpointOf,
  exportOf,
  type MadeLog,
  organizationId,
  strangerId,
  verified,
} from '../../../../test/support/log_exports.ts'
import type { LogEntry } from '../../../protocol/log/log_entry.ts'
import type { ChainReading } from './chain/verify_chain.ts'

/**
 * Exports as a hostile server would hand them out: each is made of an honest one and named for its lie. A server cannot
 * sign for the log.
 */

const logs = randomLogs
const [first] = logs
const honest = honestExport
const policy = randomPolicy
const older = exportOf(logs.map((log) => ({ ...log, entries: log.entries.slice(0, 200) })))

function swapDocuments(lines: string[]): void {
  const [one = 0, other = 0] = documentsIn(lines)
  const { document, content } = JSON.parse(lines[one] ?? '')
  lines[other] = JSON.stringify({ ...read(lines[other] ?? ''), document, content })
}

const isShown = (hidden: (entry: LogEntry) => boolean) => (entry: LogEntry) =>
  entry.organizationId === organizationId && !hidden(entry)
const newestOf = (log: MadeLog) => log.entries.findLastIndex((entry) => entry.organizationId === organizationId)
const newest = newestOf(first)
const heldCheckpoints = logs.map((log) => checkpointOf(log, 'held'))
const heldProof = activityProofOf(first, newest, 'proof')

type Lie = Omit<Partial<ChainReading>, 'policy' | 'onEntry'>
type Prepared = readonly [lie: string, file: string, what: string | RegExp, given?: Lie]

/** The lie, the file, how the verifier names it, and what the reader has in hand besides the policy. */
const prepared: readonly Prepared[] = [
  [
    'the first entries are missing',
    exportOf(logs, { isShown: isShown(({ number }) => number < 9) }),
    '8 of the organization’s entries are missing before it, numbers 1 to 8',
  ],
  [
    'a bundle in the middle is missing',
    altered((lines) => {
      const [, from = 0, end = 0] = bundlesIn(lines)
      lines.splice(from, end - from)
    }),
    'entries are missing before it',
  ],
  [
    'two bundles have changed places',
    altered((lines) => {
      const [one = 0, two = 0, three = 0] = bundlesIn(lines)
      lines.splice(one, 0, ...lines.splice(two, three - two))
    }),
    'the bundles are not in order',
  ],
  [
    'one document stands in the place of another',
    altered(swapDocuments),
    'its document is not the one whose digest it has',
  ],
  [
    'a document in the middle is withheld',
    altered((lines) => {
      lines.splice(documentsIn(lines).find((at) => read(lines[at] ?? '').log === 1) ?? 0, 1)
    }),
    /^the document of version 1 of activity .* is missing$/,
  ],
  [
    'the checkpoints of two logs have changed places',
    altered((lines) =>
      editHeader(lines, ({ logs: [one, other] }) => {
        if (one && other) [one.checkpoint, other.checkpoint] = [other.checkpoint, one.checkpoint]
      }),
    ),
    'the checkpoint is refused',
  ],
  [
    'the entries are of another organization',
    altered((lines) =>
      editHeader(lines, (header) => {
        header.organizationId = strangerId
      }),
    ),
    'the entry is of another organization',
  ],
  [
    'the whole file is of another organization',
    exportOf(logs, { of: strangerId }),
    'the file is of another organization',
    { organizationId },
  ],
  ['it has no entry', exportOf(logs, { isShown: () => false }), 'the file has no entry of the organization'],
  ['a log is left out', exportOf([first]), 'the policy names this log, and the file has nothing of it'],
  [
    'all logs are left out',
    altered((lines) => {
      editHeader(lines, (header) => {
        header.logs = []
      })
      lines.length = 1
    }),
    'there is no log',
  ],
  [
    'a log is there twice',
    altered((lines) => {
      const [one = '', ...rest] = lines
      const header = JSON.parse(one)
      header.logs.push(header.logs[0])
      lines.splice(0, lines.length, JSON.stringify(header), ...rest)
    }),
    'the file has the same log twice',
  ],
  [
    'it is an old export',
    older,
    'OLDER THAN WHAT YOU HOLD: the file has a tree of 200 entries',
    { held: { checkpoints: heldCheckpoints, proofs: [] } },
  ],
  [
    'its newest entries are hidden',
    exportOf(logs, { isShown: isShown((entry) => entry === first.entries[newest]) }),
    'proof proves this entry, and the file leaves it out',
    { held: { checkpoints: heldCheckpoints, proofs: [heldProof] } },
  ],
]

test.each(prepared.map(([lie, text, what, given = {}]) => [lie, text, what, given] as const))(
  '%s, and the verifier says so',
  async (_lie, text, what, given) => {
    const { findings } = await verified(text, policy, given)
    expect(findings).toContainEqual(
      expect.objectContaining({
        what: typeof what === 'string' ? expect.stringContaining(what) : expect.stringMatching(what),
      }),
    )
  },
)

test('the honest export has none of these faults, and reaches what its reader holds', async () => {
  const given = { organizationId, held: { checkpoints: heldCheckpoints, proofs: [heldProof] } }
  const held = {
    reached: logs.map(({ origin, entries }) => ({ origin, size: entries.length, path: 'held' })),
    ...{ passed: [], provenEntries: 1 },
  }
  expect(await verified(honest, policy, given)).toMatchObject({ findings: [], held, organizationId })
  expect(altered(() => {})).toBe(honest)
})

test('a second history of a log is named a fork by a checkpoint and by a proof of the first one', async () => {
  const forked = logs.map((log) => ({
    ...log,
    entries: log.entries.map((entry, at) => (at === newestOf(log) ? { ...entry, changeKey: '0f'.repeat(16) } : entry)),
  }))
  const held = { checkpoints: heldCheckpoints, proofs: [heldProof] }
  const { findings } = await verified(exportOf(forked), policy, { held })
  expect(findings).toEqual([
    ...logs.map(({ origin }) => ({ origin, what: expect.stringMatching(/^A FORK: held has another tree/) })),
    { origin: first.origin, index: newest, what: expect.stringMatching(/^A FORK: the log has proven another entry/) },
  ])
})

test('a checkpoint of a smaller tree is passed, one of another key or log is a fault, and so is a proof of another organization', async () => {
  const smaller = checkpointOf({ ...first, entries: first.entries.slice(0, 100) }, 'smaller')
  const passed = await verified(honest, policy, { held: { checkpoints: [smaller], proofs: [] } })
  expect(passed).toMatchObject({
    findings: [],
    held: { passed: [{ origin: first.origin, size: 100, path: 'smaller' }] },
  })
  const forged = checkpointOf({ ...first, seed: 9 }, 'forged')
  const unknown = checkpointOf({ ...first, origin: 'keys.example/log/other' }, 'unknown')
  const ofStranger = first.entries.findIndex((entry) => entry.organizationId === strangerId)
  const proofs = [activityProofOf(first, ofStranger, 'stranger')]
  const { findings } = await verified(honest, policy, { held: { checkpoints: [forged, unknown], proofs } })
  expect(findings.map(({ what }) => what)).toEqual([
    expect.stringMatching(/^forged is no checkpoint of this log/),
    'unknown is of this log, and the file has nothing of it',
    `stranger is of another organization, ${strangerId}`,
  ])
})
