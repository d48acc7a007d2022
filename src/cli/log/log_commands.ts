import type { Command } from 'commander'
import { serverAddress, uuid } from '../shared/option_values.ts'
import { exportLog } from './log_export.ts'
import { mirrorLogs } from './log_mirror.ts'
import { verifyLog } from './log_verify.ts'

export function registerLog(program: Command): void {
  const log = program.command('log').description('the transparency logs of a server')
  log
    .command('export')
    .description('write all entries of an organization to a file that verifies without the server; goes on with a part')
    .requiredOption('--output <file>', 'where to; a file that was begun is continued')
    .option('--organization <id>', 'which organization; else that of the credentials', uuid)
    .option('--credentials <file>', 'who asks: a user of the organization or of its parent', './data/credentials.json')
    .option(
      '--checkpoint <files...>',
      'checkpoints from elsewhere, or an export, at which a new export ends; else the newest ones',
      [],
    )
    .option('--json', 'print JSON', false)
    .action(exportLog)
  log
    .command('verify')
    .argument('<file>', 'an export')
    .description(
      'check an export without the server; exits with 0 if nothing is wrong and the policy vouches, and the report says what it could not check',
    )
    .option('--policy <file>', 'the keys of the logs, and whose cosignatures are needed (C2SP tlog-policy)')
    .option('--organization <id>', 'the organization of which the export must be', uuid)
    .option(
      '--checkpoint <files...>',
      'checkpoints from elsewhere, as of a witness or another export, that the export must reach',
      [],
    )
    .option('--proof <files...>', 'proofs of activities whose entries the export must have', [])
    .option(
      '--strict',
      'what left the vault and was not kept is a fault too, and a late entry that the rules of its place do not allow',
      false,
    )
    .option('--json', 'print JSON', false)
    .action(verifyLog)
  log
    .command('mirror')
    .argument('<folder>', 'the copy; one that was begun is continued')
    .description('copy the logs of a server as static files; refuses a history that does not continue that of the copy')
    .requiredOption('--server <url>', 'the server, such as https://keys.example', serverAddress)
    .option('--policy <file>', 'the keys of the logs, and whose cosignatures are needed (C2SP tlog-policy)')
    .option('--anew', 'check every file of the copy again, and replace wrong ones', false)
    .option('--json', 'print JSON', false)
    .action(mirrorLogs)
}
