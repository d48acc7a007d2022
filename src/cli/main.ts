import { Command, CommanderError } from 'commander'
import { AdminError, AdminUnreachable } from '../link/admin_error.ts'
import { version } from '../link/version.ts'
import { textOfError } from '../protocol/tools/error_text.ts'
import { SettingsError } from '../service/process/settings_error.ts'
import { StoppedEarly } from '../service/process/stopped_early.ts'
import { SchemaError } from '../service/store/schema_error.ts'
import { registerConsoleLink } from './console_link.ts'
import { registerCopyDatabase } from './copy_database.ts'
import { registerDev } from './dev.ts'
import { registerKey } from './key_generate.ts'
import { registerLog } from './log/log_commands.ts'
import { registerMigrate } from './migrate.ts'
import { registerOrg } from './org_create.ts'
import { registerPolicies } from './policies_check.ts'
import { registerRequest } from './request.ts'
import { registerServe } from './serve.ts'
import { CommandError, type ExitCode, exitCodes } from './shared/exit_codes.ts'
import { printLast, refuseLostResult } from './shared/standard_output.ts'
import { registerVault } from './vault.ts'
import { registerWitness } from './witness.ts'

const program = new Command('claviger')
  .description('A key and wallet service that signs only what each organization’s own rules allow.')
  .version(version)
  .exitOverride()
  .showHelpAfterError()
  // Options after the name of a command belong to that command: `vault` has some, and so have those below it.
  .enablePositionalOptions()

for (const register of [
  registerDev,
  registerServe,
  registerMigrate,
  registerCopyDatabase,
  registerOrg,
  registerVault,
  registerConsoleLink,
  registerKey,
  registerPolicies,
  registerLog,
  registerRequest,
  registerWitness,
]) {
  register(program)
}
/** Their messages say how to mend it. */
const mendable = [CommanderError, SettingsError, SchemaError, AdminError]
// With `--json` every message on standard output is JSON, so `report` prints commander's own messages.
const isJson = process.argv.includes('--json')
for (const command of [program, ...allCommands(program)]) {
  command.exitOverride()
  if (isJson) command.configureOutput({ writeErr: () => undefined })
}
refuseLostResult()

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

function allCommands(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => [child, ...allCommands(child)])
}

/** People get a line on standard error; with `--json` scripts get `{ "error": { "message" } }` on standard output. */
function report(error: unknown): ExitCode {
  if (error instanceof CommanderError && (error.exitCode === 0 || !isJson)) {
    // commander has printed its own message, or the help that was asked for.
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  }
  const message = textOfError(error)
  printLast(message, { json: isJson })
  if (error instanceof StoppedEarly) return exitCodes.done
  if (error instanceof CommandError) return error.exitCode
  if (error instanceof AdminUnreachable) return exitCodes.unreachable
  return mendable.some((kind) => error instanceof kind) ? exitCodes.usage : exitCodes.failed
}
