import { readQueries } from '../queries.ts'
import { writeQueries } from '../write_queries.ts'

/**
 * Every statement that has one form. The writer's thread gets the texts, so it loads no query builder.
 */
export const sqliteQueries = { ...readQueries, ...writeQueries }
