import { type SelectQueryBuilder, sql } from 'kysely'
import { builder } from './query.ts'
import type { Schema } from './schema.ts'

/** One statement changes so many rows of a queue at most: every commit waits for its end. */
export const portionRowsMax = 200
/** And rows of so many sealed bytes, or one more: to overwrite an event of a megabyte takes as long as thousands of others. */
export const portionBytesMax = 1024 * 1024

type Sized = { message_id: string; bytes: number }

/** The first of these rows, in the order of their ids, that have `portionBytesMax` together. */
export function portion(rows: SelectQueryBuilder<Schema, 'webhook_messages', Sized>) {
  const sized = builder
    .selectFrom(rows.as('portion'))
    .select(['message_id', sql<number>`sum(bytes) over (order by message_id) - bytes`.as('bytes_before')])
  return builder.selectFrom(sized.as('sized')).select('message_id').where('bytes_before', '<', sql.lit(portionBytesMax))
}
