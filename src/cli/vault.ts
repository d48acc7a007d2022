import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { standardError } from '../link/line_output.ts'
import { makeFolder } from '../link/make_folder.ts'
import { jsonLinesLog } from '../link/vault_log.ts'
import { codeIn } from '../protocol/tools/error_codes.ts'
import { type Flag, limitFlags } from '../service/settings/setting_rows.ts'
import { CommandError, exitCodes } from './shared/exit_codes.ts'
import { refuseFewOpenFiles } from './shared/open_files.ts'
import { stopSignal, untilStopped } from './shared/run_server.ts'
import { addSettingOptions, settingsOf } from './shared/server_options.ts'
import { announce, refuseLostOutput } from './shared/standard_output.ts'
import { registerAcceptRestore } from './vault/accept_restore.ts'
import { registerLiftIpAllowlist } from './vault/lift_ip_allowlist.ts'

/** The settings that the vault reads itself. No other process may decide these for it. */
const vaultFlags: ReadonlySet<Flag> = new Set([
  'data',
  'root-passphrase-file',
  'mark-dir',
  'vaults',
  'public-url',
  'log-origin',
  'notices',
  'oidc-issuers',
  'oidc-audiences',
  'providers-file',
  'ca-file',
  ...Object.values(limitFlags),
] as const)

export function registerVault(program: Command): void {
  const vault = program
    .command('vault')
    .description('run a vault as a process of its own, which one server uses over a socket')
    .enablePositionalOptions()
    .option('--socket <path>', 'where to listen for `serve --vault-socket` (CLAVIGER_VAULT_SOCKET)')
  addSettingOptions(vault, vaultFlags).action(runVault)
  registerAcceptRestore(vault)
  registerLiftIpAllowlist(vault)
}

async function runVault({ socket, json, ...options }: { readonly socket?: string; readonly json: boolean }) {
  const stopping = stopSignal()
  refuseFewOpenFiles()
  const settings = settingsOf({ ...options, vaultSocket: socket })
  const { vaultSocket: path } = settings
  if (path === undefined) throw new CommandError('give --socket <path>, or CLAVIGER_VAULT_SOCKET', exitCodes.usage)
  for (const folder of [settings.data, settings.journalDirectory]) await prepareOwnFolder(folder)
  await checkSocketFolder(dirname(path))
  const { vaultSettingsOf } = await import('../service/settings/vault_settings_of.ts')
  const { listenForService } = await import('./vault/listener.ts')
  const log = jsonLinesLog((line) => standardError.write(line))
  const listener = await listenForService({
    path,
    settings: await vaultSettingsOf(settings, { development: false }),
    log,
  })
  try {
    // A log that cannot be written is known by its first line.
    log.info({ socket: path }, 'ready')
    announce(json ? JSON.stringify({ event: 'ready', socket: path }) : `claviger: the vault listens on ${path}`)
    refuseLostOutput()
    await untilStopped(stopping)
  } finally {
    await listener.close()
  }
}

/** Makes a folder that only this user may open, or refuses one that others may. */
async function prepareOwnFolder(path: string): Promise<void> {
  await makeFolder(path).catch((cause) => {
    throw faulty(`${path} cannot be used${codeIn(cause)}: make it a folder of the vault's user, with mode 700`)
  })
  const { mode, uid } = await stat(path)
  if (uid !== process.getuid?.()) throw faulty(`${path} belongs to another user than the vault's: run chown`)
  if ((mode & 0o077) !== 0) throw faulty(`others may open ${path}, which is the vault's alone: run chmod 700 ${path}`)
}

/**
 * Node does not tell who connects to a socket. So the folder and the socket's own mode say who may. A user who may
 * write to a folder above could put another folder in the place of this one.
 */
async function checkSocketFolder(path: string): Promise<void> {
  const folder = await stat(path).catch(() => undefined)
  if (folder?.isDirectory() !== true) {
    throw faulty(`there is no folder ${path} for the socket: make one that the user of the server may enter`)
  }
  if (!isOwn(folder) || (folder.mode & 0o022) !== 0) {
    throw faulty(
      `others may write to ${path} and so put another socket in the place of the vault's: choose a folder of the vault's user, and run chmod 750 on it`,
    )
  }
  for (const above of [...foldersAbove(resolve(path)), ...foldersAbove(await realpath(path))]) {
    const its = await stat(above)
    // In a sticky folder, such as /tmp, users move only what is their own.
    if (isOwn(its) && ((its.mode & 0o022) === 0 || (its.mode & 0o1000) !== 0)) continue
    throw faulty(
      `others may write to ${above} and so put another folder in the place of ${path}: choose one below folders to which only root or the vault's user may write`,
    )
  }
}

const isOwn = ({ uid }: Stats) => uid === 0 || uid === process.getuid?.()

function foldersAbove(path: string): readonly string[] {
  const above = dirname(path)
  return above === path ? [] : [above, ...foldersAbove(above)]
}

function faulty(message: string): CommandError {
  return new CommandError(message, exitCodes.usage)
}
