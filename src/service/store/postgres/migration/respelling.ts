import { type Compilable, PostgresQueryCompiler } from 'kysely'
import type { QueryResultRow } from 'pg'
import type { Respelling } from '../../migrations/migration.ts'
import type { Run } from '../../migrations/respell.ts'
import type { Connection } from '../connection.ts'
import { storableText } from '../statement.ts'

/** The same with keys as they are stored. */
export function storable({ keyOf, ...respelling }: Respelling): Respelling {
  return { ...respelling, keyOf: (key) => storableText(keyOf(key)) }
}

/** For portions of a large table: without statistics, the planner would read the whole table for some hundred rows. */
export const byIndex =
  'set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off'

/** Puts queries to a connection that run seldom. Each is compiled anew. */
export function runOn({ client }: Connection): Run {
  return async <Row>(query: Compilable<Row>) => {
    const { query: node, queryId } = query.compile()
    const { sql, parameters } = new PostgresQueryCompiler().compileQuery(node, queryId)
    const { rows } = await client.query<QueryResultRow & Row>(sql, [...parameters])
    return rows
  }
}
