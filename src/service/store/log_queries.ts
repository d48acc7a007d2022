import { type Bind, builder, query } from './query.ts'

type LogValues = {
  logId: string
  origin: string
  keys: Uint8Array
  size: number
  checkpoint: Uint8Array
  last: Uint8Array
}
type BundleKey = { logId: string; number: number }
type BundleValues = BundleKey & { root: Uint8Array; entries: Uint8Array }

const newest = (bind: Bind<LogValues>) => ({
  size: bind('size'),
  checkpoint: bind('checkpoint'),
  last: bind('last'),
})
const bundle = (bind: Bind<BundleValues>) => ({ root: bind('root'), entries: bind('entries') })

export const logReadQueries = {
  /** Each node has one, and begins a new one when it loses its journal. */
  logs: query<{ after: string; limit: number }>()((bind) =>
    builder
      .selectFrom('transparency_logs')
      .select(['log_id as logId', 'origin', 'keys', 'size', 'checkpoint', 'last'])
      .where('log_id', '>', bind('after'))
      .orderBy('log_id')
      .limit(bind('limit')),
  ),
  log: query<{ logId: string }>()((bind) =>
    builder
      .selectFrom('transparency_logs')
      .select(['log_id as logId', 'origin', 'keys', 'size', 'checkpoint', 'last'])
      .where('log_id', '=', bind('logId')),
  ),
  logBundle: query<BundleKey>()((bind) =>
    builder
      .selectFrom('log_bundles')
      .select('entries')
      .where('log_id', '=', bind('logId'))
      .where('number', '=', bind('number')),
  ),
  /** The roots of bundles, in order. */
  bundleRoots: query<{ logId: string; from: number; limit: number }>()((bind) =>
    builder
      .selectFrom('log_bundles')
      .select(['number', 'root'])
      .where('log_id', '=', bind('logId'))
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
      .values({ log_id: bind('logId'), origin: bind('origin'), keys: bind('keys'), ...newest(bind) })
      .onConflict((conflict) =>
        conflict
          .columns(['log_id'])
          .doUpdateSet({ keys: bind('keys'), ...newest(bind) })
          .where('transparency_logs.size', '<=', bind('size')),
      ),
  ),
  /** The vault hands a bundle over again when it was not read back as it was. */
  insertBundle: query<BundleValues>()((bind) =>
    builder
      .insertInto('log_bundles')
      .values({ log_id: bind('logId'), number: bind('number'), ...bundle(bind) })
      .onConflict((conflict) => conflict.columns(['log_id', 'number']).doUpdateSet(bundle(bind))),
  ),
} as const
