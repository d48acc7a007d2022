import { type Compilable, sql } from 'kysely'
import { builder } from '../query.ts'
import type { RespelledLookup, Respelling } from './migration.ts'

/** How queries are put to a database. */
export type Run = <Row>(query: Compilable<Row>) => Promise<readonly Row[]>

type Place = {
  readonly organization_id: string
  readonly lookup: string
  readonly key: string
  readonly record_id: string
}
type Holder = {
  readonly scope: string | null
  readonly key: string
  readonly organization_id: string
  readonly record_id: string
}

/** Two statements of a portion have five or six values for each of its rows. */
const portionRows = 500
const first: Place = { organization_id: '', lookup: '', key: '', record_id: '' }

type Warn = { readonly onWarning: (text: string) => void }

/**
 * Gives keys their new spelling, in portions. `inPortion` makes one of them, whole or not at all. After an interruption
 * it is begun again: rows that have their new key already are passed over. Warns of each key that several have by now,
 * before the portion is made: a warning may come twice, and is not lost.
 */
export async function respell(
  respelling: Respelling,
  { inPortion, onWarning }: Warn & { readonly inPortion: <T>(make: (run: Run) => Promise<T>) => Promise<T> },
): Promise<void> {
  for (let from: Place | undefined = first; from !== undefined; ) {
    const after: Place = from
    from = await inPortion((run) => respellPortion(respelling, { run, after, onWarning }))
  }
}

/** Returns the last row that was looked at; undefined if there was none. */
async function respellPortion(
  { candidates, keyOf, lookups }: Respelling,
  { run, after, onWarning }: Warn & { readonly run: Run; readonly after: Place },
): Promise<Place | undefined> {
  const rows = await run(
    builder
      .selectFrom('lookups')
      .selectAll()
      .where(
        'lookup',
        'in',
        lookups.map(({ lookup }) => lookup),
      )
      .where(sql<boolean>`(${sql.raw(candidates)})`)
      .where(sql<boolean>`(organization_id, lookup, key, record_id) > ${tuple(placeOf(after))}`)
      .orderBy('organization_id')
      .orderBy('lookup')
      .orderBy('key')
      .orderBy('record_id')
      .limit(portionRows),
  )
  const last = rows.at(-1)
  const old = rows.filter(({ key }) => keyOf(key) !== key)
  if (old.length === 0) return last
  const respelled = old.map((row) => ({ ...row, key: keyOf(row.key) }))
  await run(
    builder
      .insertInto('lookups')
      .values(respelled)
      .onConflict((conflict) => conflict.doNothing()),
  )
  await run(
    builder
      .deleteFrom('lookups')
      .where(sql<boolean>`(organization_id, lookup, key, record_id) in (values ${tuples(old.map(placeOf))})`),
  )
  for (const one of lookups) {
    const keys = respelled.flatMap((row) => {
      const scope = row[one.among]
      return row.lookup === one.lookup && scope !== null ? [[scope, row.key] as const] : []
    })
    for (const warning of await warningsOf(one, { run, keys })) onWarning(warning)
  }
  return last
}

/** The warnings of those keys that several have. */
async function warningsOf(
  { lookup, among, warning }: RespelledLookup,
  { run, keys }: { readonly run: Run; readonly keys: readonly (readonly [scope: string, key: string])[] },
): Promise<readonly string[]> {
  if (keys.length === 0) return []
  const holders: readonly Holder[] = await run(
    builder
      .selectFrom('lookups')
      // A lookup may have outlived its record.
      .innerJoin('records', (join) =>
        join
          .onRef('records.organization_id', '=', 'lookups.organization_id')
          .onRef('records.kind', '=', 'lookups.kind')
          .onRef('records.record_id', '=', 'lookups.record_id'),
      )
      .select([`lookups.${among} as scope`, 'lookups.key', 'lookups.organization_id', 'lookups.record_id'])
      .where('lookup', '=', lookup)
      // As the index of parents says.
      .where(`lookups.${among}`, 'is not', null)
      .where(sql<boolean>`(${sql.ref(`lookups.${among}`)}, key) in (values ${tuples(keys)})`)
      .orderBy('lookups.organization_id')
      .orderBy('lookups.record_id'),
  )
  const groups = Map.groupBy(holders, ({ scope, key }) => JSON.stringify([scope, key]))
  return [...groups.values()].filter((group) => group.length > 1).map((group) => warning(textOf(group)))
}

const namedMax = 20

function textOf(holders: readonly Holder[]): string {
  const named = holders
    .slice(0, namedMax)
    .map(({ organization_id, record_id }) => `user ${record_id} of organization ${organization_id}`)
  const more = holders.length - named.length
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

function placeOf({ organization_id, lookup, key, record_id }: Place): readonly string[] {
  return [organization_id, lookup, key, record_id]
}

function tuple(values: readonly string[]) {
  return sql`(${sql.join(values)})`
}

function tuples(rows: readonly (readonly string[])[]) {
  return sql.join(rows.map(tuple))
}
