import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { databases } from '../../../test/support/store/fixtures.ts'
import { encodeLogEntry } from '../../protocol/log/encode_entry.ts'
import { writeEntries } from '../../protocol/log/tree/tiles.ts'
import { indexRowsOf } from './log_index.ts'

const logId = '0a'.repeat(16)
const bundlesCount = 40
/** 0.3 KB, with bundles and index. */
const entryBytesMax = 307

const hex = (size: number) => randomBytes(size).toString('hex')

/** A signature, as large as most. */
function signatureOf(organizationId: string) {
  return encodeLogEntry({
    ...{ atMs: 1_790_000_000_000, organizationId, number: 1, before: undefined, changeKey: hex(16), makes: undefined },
    restsOn: { version: 7, tag: hex(16) },
    activity: {
      ...{ activityId: randomUUID(), version: 1, status: 'ACTIVITY_STATUS_COMPLETED' },
      ...{ type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', documentDigest: hex(32) },
    },
  })
}

const sizes = {
  sqlite: "select sum(pgsize) as bytes from dbstat where name in ('log_bundles', 'log_index')",
  postgres: "select (pg_total_relation_size('log_bundles') + pg_total_relation_size('log_index'))::float8 as bytes",
}

describe.each([
  { ...databases[0], size: sizes.sqlite },
  { ...databases[1], size: sizes.postgres },
])('on $name', ({ make, size }) => {
  test('an entry takes 0.3 KB, even if each is of another organization', async () => {
    const database = await make()
    const store = await database.open()
    for (let number = 0; number < bundlesCount; number += 1) {
      const entries = Array.from({ length: 256 }, () => signatureOf(randomUUID()))
      const bundle = { number, root: randomBytes(32), entries: writeEntries(entries) }
      await store.keepLog({ logId, log: undefined, bundles: [bundle] })
      await store.indexBundle({ logId, number, rows: indexRowsOf(number, entries) })
    }
    const [row = {}] = await database.query(size)
    const [bytes] = Object.values(row)
    expect(Number(bytes) / (256 * bundlesCount)).toBeLessThan(entryBytesMax)
  })
})
