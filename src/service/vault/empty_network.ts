import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Log } from '../../link/vault_log.ts'

const run = promisify(execFile)

/** Each runs another command in a network namespace without a network: the first for root, the second for other users. */
const commandsKnown: readonly (readonly string[])[] = [
  ['unshare', '--net'],
  ['unshare', '--user', '--map-current-user', '--net'],
]

const tryMsMax = 2_000

/**
 * Returns a command in front of another one, which then runs without a network and has the same process id. Where the
 * kernel allows none of them, as in most containers, the result is empty and the log says so.
 */
export async function emptyNetwork(
  log: Pick<Log, 'warn'>,
  commands: readonly (readonly string[])[] = commandsKnown,
): Promise<readonly string[]> {
  const reasons: string[] = []
  for (const command of commands) {
    const [program = '', ...parts] = command
    try {
      // The vault's environment has no PATH either.
      await run(program, [...parts, 'true'], { env: {}, timeout: tryMsMax })
      return command
    } catch (error) {
      reasons.push(error instanceof Error ? error.message.trim() : String(error))
    }
  }
  log.warn({ reasons }, 'the vault can reach the network of this machine: it cannot be given an empty one')
  return []
}
