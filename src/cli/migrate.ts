import { type Command, Option } from 'commander'
import { lackOf, type Outlook } from '../service/store/migrations/marks.ts'
import { CommandError, exitCodes } from './shared/exit_codes.ts'
import { addSettingOptions, databaseFlags, settingsOf } from './shared/server_options.ts'
import { printRemark, printResult } from './shared/standard_output.ts'

type MigrateOptions = {
  readonly plan: boolean
  readonly check: boolean
  readonly contract: boolean
  readonly json: boolean
}

export function registerMigrate(program: Command): void {
  const command = program
    .command('migrate')
    .description("bring the database's schema up to date; servers of the version before go on meanwhile")
    .addOption(new Option('--plan', 'print the SQL, and change nothing').default(false).conflicts('check'))
    .option('--check', 'change nothing; exit code 2 when there is something to do', false)
    .option('--contract', 'do also what servers of earlier versions do not survive; end them first', false)
  addSettingOptions(command, databaseFlags).action(migrate)
}

async function migrate({ plan, check, contract, json, ...options }: MigrateOptions): Promise<void> {
  const settings = settingsOf(options)
  const { createMigrator } = await import('../service/migrator.ts')
  const migrator = createMigrator(settings, {
    contracts: contract,
    onWait: (reason) => printRemark(`claviger: ${reason}`),
    onWarning: (text) => printRemark(`claviger: ${text}`),
  })
  if (plan || check) {
    const outlook = await migrator.outlook()
    if (check) refuseDue(outlook, contract ? 'claviger migrate --contract' : 'claviger migrate')
    const sql = outlook.due.length === 0 ? undefined : migrator.script(outlook)
    printResult(json ? JSON.stringify({ ...jsonOf(outlook), sql }) : (sql ?? stateText(outlook)))
    return
  }
  const { current, due, left } = await migrator.migrate()
  const after = { current: current + due.length, due: [], left }
  const made = due.map(({ name }) => name)
  printResult(
    json
      ? JSON.stringify({ ...jsonOf(after), made })
      : [...made.map((name) => `made ${name}`), stateText(after)].join('\n'),
  )
}

function refuseDue(outlook: Outlook, remedy: string): void {
  const names = outlook.due.map(({ name }) => name).join(', ')
  const lack =
    names === '' ? lackOf(outlook) : `the database has schema ${outlook.current} and lacks ${names}: run \`${remedy}\``
  if (lack !== undefined) throw new CommandError(lack, exitCodes.usage)
}

function jsonOf({ current, due, left }: Outlook) {
  return { schema: current, due: due.map(({ name }) => name), left: left.map(({ name }) => name) }
}

function stateText({ current, left }: Outlook): string {
  if (left.length === 0) return `The database has schema ${current}. Nothing is left to do.`
  const names = left.map(({ name }) => name).join(', ')
  return `The database has schema ${current}. For later: ${names}. End the servers of earlier versions, then run \`claviger migrate --contract\`.`
}
