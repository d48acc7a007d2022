import { builder } from '../query.ts'
import type { Migration } from './migration.ts'

/** How migrations, which are written in SQLite's words, are put to a database. */
export type Wording = {
  /** Makes the table of migrations if there is none. */
  readonly table: string
  readonly of: (text: string) => string
}

/** The statements that make a migration and write down that it is made. */
export function statementsOf({ number, name, statements }: Migration, wording: Wording): readonly string[] {
  const texts = statements.map((statement) => wording.of(statement.compile(builder).sql))
  return [...texts, `insert into migrations (number, name) values (${number}, '${name}')`]
}

/** All that makes some migrations, for a person to read. */
export function scriptOf(steps: readonly Migration[], wording: Wording): string {
  const ended = (statement: string) => `${statement};`
  const parts = steps.flatMap((step) => ['', `-- ${step.name}`, ...statementsOf(step, wording).map(ended)])
  return ['begin;', ended(wording.table), ...parts, '', 'commit;'].join('\n')
}
