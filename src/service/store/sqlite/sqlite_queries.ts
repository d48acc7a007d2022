import { readQueries } from '../queries.ts'
import { sqliteBuilder } from '../query.ts'
import { writeQueries } from '../write_queries.ts'

/**
 * Every statement that has one form, compiled once. The writer's thread gets the texts, so it loads no query builder.
 */
export const sqliteQueries = { ...readQueries(sqliteBuilder), ...writeQueries(sqliteBuilder) }
