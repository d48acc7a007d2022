import { readQueries } from '../queries.ts'
import { sqliteBuilder } from '../query.ts'
import { writeQueries } from '../write_queries.ts'

/** Every statement that has one form, compiled once. The writer's thread gets their text: it does not load a builder. */
export const sqliteQueries = { ...readQueries(sqliteBuilder), ...writeQueries(sqliteBuilder) }
