import {
  type Compilable,
  DummyDriver,
  Kysely,
  PostgresQueryCompiler,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { Schema } from './schema.ts'

export type SqlValue = string | number | Uint8Array | null
export type Parameters = Readonly<Record<string, SqlValue>>

/** A statement's text for each database, and which named parameter stands at each of its places. */
export type Query<P extends Parameters, Row> = {
  readonly sqlite: string
  readonly postgres: string
  readonly places: readonly (keyof P & string)[]
  /** Never present: it carries the type of a row. */
  readonly row?: Row
}

export type Bind<P extends Parameters> = <Name extends keyof P & string>(name: Name) => RawBuilder<P[Name]>

/** Builds statements; it has no connection. */
export const builder: Kysely<Schema> = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

/** A column has the name of its value, in snake case. */
type Column<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Column<Rest>}`
  : Name

function columnOf<Name extends string>(name: Name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as Column<Name>
}

/** The columns of these values, each with the place of its value. */
export function columns<P extends Parameters, Name extends keyof P & string>(bind: Bind<P>, ...names: Name[]) {
  type Columns = { readonly [N in Name as Column<N>]: RawBuilder<P[N]> }
  return Object.fromEntries(names.map((name) => [columnOf(name), bind(name)])) as Columns
}

/** The columns of these values, selected under the names of the values. */
export function selected<const Names extends readonly string[]>(...names: Names) {
  type Selected<Name extends string> = Name extends Column<Name> ? Name : `${Column<Name>} as ${Name}`
  return names.map((name) => {
    const column = columnOf(name)
    return column === name ? name : `${column} as ${name}`
  }) as Selected<Names[number]>[]
}

/** The parent of the organization of a row. */
export function parentOf(table: 'notices' | 'outbox'): RawBuilder<string | null> {
  return sql`(select parent_id from organizations where organizations.organization_id = ${sql.ref(`${table}.organization_id`)})`
}

/** The parent of the organization of a row, or else the organization itself. */
export function familyOf(table: 'notices'): RawBuilder<string> {
  return sql`coalesce(${parentOf(table)}, ${sql.ref(`${table}.organization_id`)})`
}

/**
 * Compiles a statement once, with names in the places of its values. It takes two calls, because the names are given
 * and the row is inferred: `query<{ id: string }>()((bind) => …)`.
 */
export function query<P extends Parameters>(): <Row>(build: (bind: Bind<P>) => Compilable<Row>) => Query<P, Row> {
  return (build) => {
    const { sql: sqlite, parameters, query: node, queryId } = build(bindPlace).compile()
    const places = parameters.map((parameter) => {
      if (!isPlace(parameter)) throw new Error(`a value instead of a named parameter in: ${sqlite}`)
      return parameter.place
    })
    const { sql: postgres } = new PostgresQueryCompiler().compileQuery(node, queryId)
    return { sqlite, postgres, places }
  }
}

/** Stands in the query builder in the place of a value. */
type Placeholder = { readonly place: string }

function bindPlace<T>(name: string): RawBuilder<T> {
  const place: Placeholder = { place: name }
  return sql<T>`${place}`
}

function isPlace(parameter: unknown): parameter is Placeholder {
  return typeof parameter === 'object' && parameter !== null && 'place' in parameter
}
