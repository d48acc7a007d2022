import { activityPageBytesMax, type FoundActivity, type Read } from '../../../protocol/reads.ts'
import { completedSequences } from '../completed_sequences.ts'
import { readQueries, sequenceFilters, sequenceQueries } from '../queries.ts'
import type { Connection } from './connection.ts'
import { statement, statementsOf } from './statement.ts'

const below = statementsOf(sequenceQueries('<'))
const above = statementsOf(sequenceQueries('>'))
const { activitySequence } = statementsOf(readQueries)

type Sequences = { organizationId: string; sequences: readonly number[] }
const sizes = statement<Sequences, { sequence: number; bytes: number }>()`
  select sequence, length(sealed) as bytes from activities
  where organization_id = ${'organizationId'} and sequence = any(${'sequences'}::bigint[])`
const bodies = statement<Sequences, FoundActivity & { sequence: number }>()`
  select sequence, activity_id as "activityId", version, sealed from activities
  where organization_id = ${'organizationId'} and sequence = any(${'sequences'}::bigint[])`

export const activityPageStatements = { below, above, sizes, bodies }

type ActivitiesRead = Extract<Read, { readonly read: 'activities' }>

/** Activities, newest first. The bodies are read last, and only as many as the page may hold. */
export async function activityPage(
  connection: Connection,
  read: ActivitiesRead,
): Promise<readonly FoundActivity[] | undefined> {
  const { organizationId, limit } = read
  const cursor = await cursorOf(connection, read)
  if (cursor === undefined) return undefined

  // Activities after the cursor are older than it.
  const isBefore = read.before !== undefined
  const nearest = (await sequencesOf(connection, read, cursor))
    .sort((a, b) => (isBefore ? a - b : b - a))
    .slice(0, limit)
  const sizeOf = new Map(
    (await connection.run(sizes, { organizationId, sequences: nearest })).rows.map((row) => [row.sequence, row.bytes]),
  )
  let bytes = 0
  const fitting = nearest.filter((sequence, index) => {
    bytes += sizeOf.get(sequence) ?? 0
    return bytes <= activityPageBytesMax || index === 0
  })
  const { rows } = await connection.run(bodies, { organizationId, sequences: fitting })
  return rows
    .toSorted((a, b) => b.sequence - a.sequence)
    .map(({ activityId, version, sealed }) => ({ activityId, version, sealed }))
}

/** undefined: the activity of the cursor is unknown. */
async function cursorOf(connection: Connection, read: ActivitiesRead): Promise<number | undefined> {
  const { organizationId } = read
  const activityId = read.after ?? read.before
  if (activityId === undefined) return Number.MAX_SAFE_INTEGER
  return (await connection.run(activitySequence, { organizationId, activityId })).rows[0]?.sequence
}

/** The sequences nearest to the cursor for each requested status and type, at most `limit` for each. */
async function sequencesOf(connection: Connection, read: ActivitiesRead, cursor: number): Promise<number[]> {
  const { organizationId, limit } = read
  const range = { organizationId, cursor, limit }
  const statements = read.before === undefined ? below : above
  const { open, completed } = sequenceFilters(read)
  const found = await Promise.all([
    ...open.map(async ({ query, ...filter }) => {
      const { rows } = await connection.run(statements[query], { ...range, ...filter })
      return rows.map(({ sequence }) => sequence)
    }),
    ...completed.map(({ query, ...filter }) =>
      completedSequences(range, async (part) => {
        return (await connection.run(statements[query], { organizationId, ...part, ...filter })).rows
      }),
    ),
  ])
  return found.flat()
}
