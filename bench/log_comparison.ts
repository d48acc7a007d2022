import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asId } from '../src/contract/fields/ids.ts'
import type { Activity } from '../src/contract/records/activity.ts'
import type { ScrubFound, ScrubWanted } from '../src/link/scrubbing.ts'
import { SecretBytes } from '../src/protocol/crypto/secret_bytes.ts'
import { readBundle } from '../src/protocol/log/bundle.ts'
import { tileWidth, writeEntries } from '../src/protocol/log/tree/tiles.ts'
import { loggedActivity } from '../src/vault/activity/logged_facts.ts'
import { createScrub } from '../src/vault/activity/scrub/scrub.ts'
import { createSeals } from '../src/vault/keys/seal.ts'
import { sealActivity } from '../src/vault/state/sealed_activity.ts'
import { bytesOf, openLogBooks } from './log_books.ts'

/**
 * Measures the vault's part of a comparison of its transparency log with the database. The rows are sealed signatures
 * that the bench makes when they are asked for, which is not counted: no database is read.
 *
 *     node bench/log_comparison.ts [rows]
 */
const rows = Math.ceil(Number(process.argv[2] ?? 1_000_000) / tileWidth) * tileWidth
const organizationId = '0190aaaa-0000-7000-8000-000000000001'
const directory = mkdtempSync(join(tmpdir(), 'claviger-log-comparison-'))
const seals = createSeals({
  masterSeeds: { current: 1, seeds: new Map([[1, new SecretBytes(new Uint8Array(32).fill(1))]]) },
  randomBytes: bytesOf,
})
const books = await openLogBooks(directory, { copies: { keep: async () => {}, read: async () => undefined } })
const type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'
const startMs = Date.now() - 3_600_000

const idOf = (index: number) => asId(`0190aaaa-0000-7000-9000-${String(index).padStart(12, '0')}`)

function activityOf(index: number): Activity {
  const parameters = { signWith: `0x${'11'.repeat(20)}`, payload: `payload ${index} `.repeat(20), encoding: 'e' }
  const times = { createdAtMs: startMs, updatedAtMs: startMs }
  return {
    ...{ activityId: idOf(index), organizationId, type, status: 'ACTIVITY_STATUS_COMPLETED', fingerprint: 'f' },
    result: { signRawPayloadResult: { r: 'a'.repeat(64), s: 'b'.repeat(64), v: '00' } },
    votes: [
      {
        ...{ voteId: idOf(index), userId: idOf(0), organizationId, userName: 'root' },
        ...{ selection: 'VOTE_SELECTION_APPROVED', publicKey: `02${'c'.repeat(64)}`, signature: 'd'.repeat(142) },
        ...{ message: JSON.stringify({ type, timestampMs: `${startMs}`, organizationId, parameters }) },
        ...{ scheme: 'SIGNATURE_SCHEME_TK_API_P256', createdAtMs: startMs },
      },
    ],
    log: books.logId(),
    ...times,
  }
}

const bundles: Uint8Array[] = []

function found(wanted: ScrubWanted): ScrubFound {
  switch (wanted.of) {
    case 'roots': {
      const some = bundles.slice(wanted.from, wanted.from + wanted.limit)
      const roots = some.map((bytes, at) => ({ number: wanted.from + at, root: readBundle(bytes)?.root ?? bytes }))
      return { of: 'roots', roots }
    }
    case 'bundle':
      return { of: 'bundle', bytes: bundles[wanted.number] }
    case 'rows': {
      const presented = wanted.reads.flatMap((read) => {
        if (read.read !== 'activity') return []
        const sealed = sealActivity(seals, activityOf(Number(read.activityId.slice(-12))), 1)
        return [
          { read, found: { read: 'activity', row: { activityId: read.activityId, version: 1, sealed } } as const },
        ]
      })
      return { of: 'rows', presented }
    }
    case 'activities': {
      const from = wanted.after.organizationId === '' ? 0 : wanted.after.sequence
      const count = Math.max(0, Math.min(wanted.limit, rows - from))
      const activities = Array.from({ length: count }, (_, at) => {
        return { organizationId, sequence: from + at + 1, activityId: idOf(from + at), version: 1 }
      })
      return { of: 'activities', activities }
    }
    default:
      throw new Error(`nothing answers ${wanted.of}`)
  }
}

try {
  for (let from = 0; from < rows; from += tileWidth) {
    const facts = Array.from({ length: tileWidth }, (_, at) => {
      const activity = loggedActivity(activityOf(from + at), { organizationId, version: 1 })
      const heads = { restsOn: { version: 7, tag: '0c'.repeat(16) }, makes: undefined }
      return { atMs: startMs, organizationId, changeKey: '0d'.repeat(16), activity, ...heads }
    })
    const first = (await books.enter(facts)) ?? 0
    books.noteWritten(
      facts.map((_, at) => ({ of: 'written', changeKey: '', index: first + at, isChange: false }) as const),
    )
    const bundle = writeEntries(books.transparency.kept().entries.slice(0, tileWidth))
    bundles.push(bundle)
    books.transparency.forget(bundle)
  }
  const scrub = createScrub({ books, seals, randomBytes: bytesOf, nowMs: Date.now, openedMs: Date.now() })
  let [milliseconds, processorMicroseconds, longestMs] = [0, 0, 0]
  let next: ScrubFound = { of: 'beginning' }
  for (;;) {
    const [startedMs, before] = [performance.now(), process.cpuUsage()]
    const { wanted, incidents } = await scrub(next)
    const { user, system } = process.cpuUsage(before)
    const tookMs = performance.now() - startedMs
    milliseconds += tookMs
    processorMicroseconds += user + system
    longestMs = Math.max(longestMs, tookMs)
    if (incidents.length > 0) throw new Error(incidents[0])
    if (wanted.of === 'nothing') {
      console.log(JSON.stringify(wanted.report))
      break
    }
    next = found(wanted)
  }
  console.log(
    `${rows} rows: ${(milliseconds / 1_000).toFixed(1)} s, ${(processorMicroseconds / rows).toFixed(1)} µs of processor ` +
      `time for each; the longest step ${longestMs.toFixed(0)} ms`,
  )
} finally {
  await books.close()
  rmSync(directory, { recursive: true })
}
