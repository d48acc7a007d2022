import { sql } from 'kysely'
import { builder, columns, query, selected } from './query.ts'

type LogValues = {
  logId: string
  origin: string
  keys: Uint8Array
  size: number
  checkpoint: Uint8Array
  last: Uint8Array
}
type IndexKey = { organization: Uint8Array; log: number }
type IndexValues = IndexKey & { number: number; places: Uint8Array }
type BundleKey = { logId: string; number: number }
type BundleValues = BundleKey & { root: Uint8Array; entries: Uint8Array }

const logs = builder
  .selectFrom('transparency_logs')
  .select(selected('logId', 'origin', 'keys', 'size', 'checkpoint', 'last', 'indexed'))
const bundles = builder.selectFrom('log_bundles')

export const logReadQueries = {
  /** Each node has one, and begins a new one when it loses its journal. */
  logs: query<{ after: string; limit: number }>()((bind) =>
    logs
      .where('log_id', '>', bind('after'))
      // Without the rows of cosigned checkpoints.
      .where('log_id', 'not like', sql.lit('%/cosigned'))
      .orderBy('log_id')
      .limit(bind('limit')),
  ),
  log: query<{ logId: string }>()((bind) => logs.where('log_id', '=', bind('logId'))),
  logBundle: query<BundleKey>()((bind) =>
    bundles.select('entries').where(({ and }) => and(columns(bind, 'logId', 'number'))),
  ),
  /** The roots of bundles, in order. */
  bundleRoots: query<{ logId: string; from: number; limit: number }>()((bind) =>
    bundles
      .select(['number', 'root'])
      .where('log_id', '=', bind('logId'))
      .where('number', '>=', bind('from'))
      .orderBy('number')
      .limit(bind('limit')),
  ),
  /** Where an organization has entries in a log, in order. */
  logIndex: query<IndexKey & { from: number; limit: number }>()((bind) =>
    builder
      .selectFrom('log_index')
      .select(['number', 'places'])
      .where(({ and }) => and(columns(bind, 'organization', 'log')))
      .where('number', '>=', bind('from'))
      .orderBy('number')
      .limit(bind('limit')),
  ),
} as const

export const logWriteQueries = {
  /** The newest checkpoint of a log. Another request may have written a later one. */
  insertLog: query<LogValues>()((bind) =>
    builder
      .insertInto('transparency_logs')
      .values(columns(bind, 'logId', 'origin', 'keys', 'size', 'checkpoint', 'last'))
      .onConflict((conflict) =>
        conflict
          .columns(['log_id'])
          .doUpdateSet(columns(bind, 'keys', 'size', 'checkpoint', 'last'))
          .where('transparency_logs.size', '<=', bind('size')),
      ),
  ),
  /**
   * The vault hands a bundle over again when it was not read back as it was. An unfinished one, which has no root, takes
   * no longer one's place: a write whose outcome was not known may come to pass after later ones.
   */
  insertBundle: query<BundleValues>()((bind) =>
    builder
      .insertInto('log_bundles')
      .values(columns(bind, 'logId', 'number', 'root', 'entries'))
      .onConflict((conflict) =>
        conflict
          .columns(['log_id', 'number'])
          .doUpdateSet(columns(bind, 'root', 'entries'))
          .where(
            sql<boolean>`length(excluded.root) > 0 or
              length(log_bundles.root) = 0 and length(log_bundles.entries) <= length(excluded.entries)`,
          ),
      ),
  ),
  /** Several nodes may index the same bundle. */
  insertIndexRow: query<IndexValues>()((bind) =>
    builder
      .insertInto('log_index')
      .values(columns(bind, 'organization', 'log', 'number', 'places'))
      .onConflict((conflict) =>
        conflict.columns(['organization', 'log', 'number']).doUpdateSet(columns(bind, 'places')),
      ),
  ),
  raiseIndexed: query<{ logId: string; indexed: number }>()((bind) =>
    builder
      .updateTable('transparency_logs')
      .set(columns(bind, 'indexed'))
      .where('log_id', '=', bind('logId'))
      .where('indexed', '<', bind('indexed')),
  ),
} as const
