import { builder } from '../query.ts'
import type { Migration, Respelling } from './migration.ts'

/** How migrations, which are written in SQLite's words, are put to a database. */
export type Wording = {
  /** Makes the table of migrations if there is none. */
  readonly table: string
  readonly of: (text: string) => string
  /** Whether indexes of large tables are built outside of the transaction. */
  readonly buildsApart: boolean
}

/** The statements that make a migration and write down that it is made. */
export function statementsOf(step: Migration, wording: Wording): readonly string[] {
  const texts = step.statements.map((statement) => wording.of(statement.compile(builder).sql))
  const built = step.builds === undefined ? [] : [indexText(step.builds, { concurrently: false })]
  return [...texts, ...built, noteOf(step)]
}

/** `concurrently`: in PostgreSQL, without a lock that writers wait for; an index of that name is left as it is. */
export function indexText(
  { table, index: { name, on } }: NonNullable<Migration['builds']>,
  { concurrently }: { readonly concurrently: boolean },
): string {
  return `create index ${concurrently ? 'concurrently if not exists ' : ''}${name} on ${table} ${on}`
}

/** Writes down that a migration is made. */
export function noteOf({ number, name }: Pick<Migration, 'number' | 'name'>): string {
  return `insert into migrations (number, name) values (${number}, '${name}')`
}

/** Stands for what no statement does. */
function respellingText({ lookups }: Respelling): string {
  return `-- The program writes keys of ${lookups.map(({ lookup }) => lookup).join(' and ')} anew: no SQL does that`
}

/** All that makes some migrations, for a person to read. */
export function scriptOf(steps: readonly Migration[], wording: Wording): string {
  const ended = (statement: string) => `${statement};`
  const parts = steps.flatMap((step) => ['', `-- ${step.name}`, ...statementsFor(step).map(ended)])
  return ['begin;', ended(wording.table), ...parts, '', 'commit;'].join('\n')

  function statementsFor(step: Migration): readonly string[] {
    if (step.respells !== undefined) return [respellingText(step.respells), ...statementsOf(step, wording)]
    if (step.builds === undefined || !wording.buildsApart) return statementsOf(step, wording)
    return ['commit', indexText(step.builds, { concurrently: true }), 'begin', noteOf(step)]
  }
}
