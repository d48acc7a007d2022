import type { Command } from 'commander'
import { addSettingOptions, databaseFlags, settingsOf } from './shared/server_options.ts'
import { printRemark, printResult } from './shared/standard_output.ts'

export function registerCopyDatabase(program: Command): void {
  const command = program
    .command('copy-database')
    .description('copy the embedded database of a stopped server into an empty PostgreSQL database')
  addSettingOptions(command, databaseFlags).action(copy)
}

async function copy({ json, ...options }: { readonly json: boolean }): Promise<void> {
  const settings = settingsOf(options)
  const { copyDatabase } = await import('../service/copy_database.ts')
  const copied = await copyDatabase(settings, { onWarning: (text) => printRemark(`claviger: ${text}`) })
  if (json) printResult(JSON.stringify({ rows: Object.fromEntries(copied.map(({ table, rows }) => [table, rows])) }))
  else {
    for (const { table, rows } of copied) printResult(`copied ${rows} rows of ${table}`)
    printResult('Start the server with this database and the same data folder. Keep the embedded one as a backup.')
  }
}
