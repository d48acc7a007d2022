import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import type { AcceptedRestore, Operator } from '../../link/heads.ts'
import { CommandError, exitCodes } from '../shared/exit_codes.ts'
import { printResult } from '../shared/standard_output.ts'
import { askService, askVault, type DataFolders } from '../shared/vault_socket.ts'
import { compareHeads, type Difference, type HeadComparison, type HeadSources } from './compare_heads.ts'

type AcceptOptions = {
  readonly data: string
  readonly vaultData?: string
  readonly yes: boolean
  readonly json: boolean
}

const word = 'accept'

export function registerAcceptRestore(vault: Command): void {
  vault
    .command('accept-restore')
    .description('after a restore: show how the database differs from the books of the vault, and accept it as it is')
    .option('--data <folder>', 'the data folder of the server', process.env.CLAVIGER_DATA ?? './data')
    .option('--vault-data <folder>', 'the data folder of the vault, where the vault is a process of its own')
    .option('--yes', 'accept without a question: for scripts', false)
    .option('--json', 'print JSON', false)
    .action(acceptRestore)
}

async function acceptRestore({ data, vaultData = data, yes, json }: AcceptOptions): Promise<void> {
  const { acceptRestore, ...sources } = socketsOf({ data: resolve(data), vaultData: resolve(vaultData) })
  const comparison = await compareHeads(sources)
  if (comparison.differing === 0) {
    if (json) printResult(JSON.stringify({ ...comparison, accepted: null }))
    else printResult(`Nothing differs: the database shows the newest version of ${counted(comparison.organizations)}.`)
    return
  }
  if (!json) printResult([...listed(comparison), ...meaning].join('\n'))
  if (!yes) await confirmOnTerminal({ json })
  const accepted = await acceptRestore()
  if (json) printResult(JSON.stringify({ ...comparison, accepted }))
  else printResult(report(accepted).join('\n'))
}

/** Asks both sockets of a server. */
function socketsOf(folders: DataFolders): HeadSources & Pick<Operator, 'acceptRestore'> {
  return {
    bookedHeads: (request) => askVault(folders, 'bookedHeads', request),
    bookedHeadsOf: (request) => askVault(folders, 'bookedHeadsOf', request),
    presentedHeads: (request) => askService(folders, request),
    acceptRestore: () => askVault(folders, 'acceptRestore', {}),
  }
}

function listed({ organizations, differing, rows }: HeadComparison): readonly string[] {
  const left = differing - rows.length
  return [
    `The database differs from the books of the vault in ${differing} of ${counted(organizations)}:`,
    '',
    `  ${'organization'.padEnd(36)}  ${'on the books'.padEnd(16)}  in the database`,
    ...rows.map(rowOf),
    ...(left > 0 ? [`  and ${left} more`] : []),
    '',
  ]
}

function rowOf({ organizationId, onBooks, inDatabase, difference }: Difference): string {
  const presented = inDatabase === undefined ? difference : `version ${inDatabase} (${difference})`
  return `  ${organizationId}  ${`version ${onBooks}`.padEnd(16)}  ${presented}`
}

const meaning: readonly string[] = [
  'If the newest database still exists, do not accept: stop the server and put that one back.',
  '',
  'To accept the database as it is now means:',
  '- Changes after the backup are undone. Revocations are changes: old keys that were revoked since work again.',
  '- What was counted stays counted: amounts that were signed, uses of tokens, attempts at passcodes,',
  '  mails of the last day.',
  '- The vault forgets the newest version of every organization, also of those that are not in this list. It trusts what',
  '  the database shows next. Make sure that nobody else can write the database.',
  '- Each node has books of its own. Every node must be told: run this command on each of them.',
  '',
]

function report({ organizations, oldJournalId, newJournalId }: AcceptedRestore): readonly string[] {
  return [
    `Accepted: the vault has forgotten the newest version of ${counted(organizations)}.`,
    `Its journal was ${oldJournalId} and is now ${newJournalId}.`,
    'Revoke again what was revoked after the backup.',
  ]
}

function counted(organizations: number): string {
  return organizations === 1 ? '1 organization' : `${organizations} organizations`
}

/**
 * Throws `CommandError` unless a person types the word. The question is on standard error: standard output may be a
 * file.
 */
async function confirmOnTerminal({ json }: Pick<AcceptOptions, 'json'>): Promise<void> {
  if (json || !process.stdin.isTTY) {
    throw new CommandError('nothing was accepted: there is nobody to ask; give --yes to accept', exitCodes.usage)
  }
  if (await isTyped()) return
  throw new CommandError(`nothing was accepted: ${word} was not typed`, exitCodes.usage)
}

/** Asks for the word once. The end of the input is no answer. */
async function isTyped(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const ended = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)))
    const answer = await Promise.race([terminal.question(`Type ${word} to go on: `), ended])
    return answer?.trim() === word
  } finally {
    terminal.close()
  }
}
