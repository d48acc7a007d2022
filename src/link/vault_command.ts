import type { SpawnOptions } from 'node:child_process'
import { join } from 'node:path'
import { compileCacheFolder, entryFile } from './entry_file.ts'
import { settingsArgument, type VaultSettings } from './vault_settings.ts'

/**
 * No signal opens a debugger. Node's permission model would also block the network, but it disables fsync, without which
 * the journal is not durable.
 */
const nodeOptions = [
  '--disable-sigusr1',
  // Young garbage is collected half as often as by default, for 20 MiB more.
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
  // By default each 64 MiB of buffers lead to a major collection: one for every four to ten requests of a megabyte.
  '--external-memory-accounted-in-global-limit',
  // One thread less than there are cores helps to collect, and not four, which would keep the cores from all processes.
  '--v8-pool-size=0',
]

const mainPath = entryFile(join(import.meta.dirname, '..', 'vault'), 'main')

/** Why there is no vault where `spawn` returned none. */
export const noProcessText =
  'no process could be started: this user has too many processes, or this one too many open files'

type VaultCommand = {
  readonly program: string
  readonly parts: readonly string[]
  readonly environment: NonNullable<SpawnOptions['env']>
}

/**
 * Returns the command that runs the vault's process. The caller of `spawn` gives it the lanes at `laneDescriptors`, a
 * pipe as standard input, which tells it when the caller is gone, and no environment but this, because that of the
 * parent may hold secrets. `entryPath` is another entry than the vault's own.
 */
export function vaultCommand(settings: VaultSettings, entryPath = mainPath): VaultCommand {
  return {
    program: process.execPath,
    parts: [...nodeOptions, entryPath, settingsArgument(settings)],
    environment: compileCacheFolder === undefined ? {} : { NODE_COMPILE_CACHE: compileCacheFolder },
  }
}
