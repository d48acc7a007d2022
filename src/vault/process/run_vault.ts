import { Socket } from 'node:net'
import type { Handlers } from '../../link/channel/channel.ts'
import { createPipeOpener } from '../../link/channel/pipes.ts'
import { standardError } from '../../link/line_output.ts'
import { jsonLinesLog, type Log } from '../../link/vault_log.ts'
import { laneDescriptors, readSettings, type VaultSettings } from '../../link/vault_settings.ts'
import type { OpenPipe } from '../../link/verbs.ts'
import { secp256k1Implementation } from '../../protocol/crypto/secp256k1.ts'
import { openedWhenUnsealed, type VaultWithOperator } from './operator_socket.ts'
import { serveVault } from './serve_vault.ts'

/** `others`: verbs besides those of any vault. */
type ServedVault = VaultWithOperator & { readonly others?: Handlers }

/** The parts that the process gives to the vault besides the settings. */
type Surroundings = { readonly log: Log; readonly openPipe: OpenPipe }

/**
 * Runs the vault's process. It builds a vault from the settings on the command line, serves it on the inherited sockets
 * and answers the operator on another socket. It exits when the service's end closes, and when the process that started
 * it is gone. The exit code is 2 when the vault cannot start and 1 after an error.
 */
export async function runVault(
  createVault: (settings: VaultSettings, surroundings: Surroundings) => ServedVault,
  { isDecider = false }: { readonly isDecider?: boolean } = {},
): Promise<never> {
  // The service drains before it closes the channel, and a Ctrl-C reaches both processes: the vault must not end first.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => {})
  const log = jsonLinesLog((line) => standardError.write(line))
  process.on('uncaughtException', (error) => {
    log.error({ error }, 'the vault fails')
    process.exit(1)
  })

  // Nothing is ever sent on it. It closes however that process ends.
  process.stdin.resume().once('close', () => {
    // One of several vaults ends with every ordinary stop of the process that keeps their books.
    if (!isDecider) log.warn({}, 'the process that started this vault is gone')
    process.exit(1)
  })

  if (secp256k1Implementation === 'noble') {
    const effect = 'signing takes about ten times as long, verifying about twenty times'
    log.warn({}, `secp256k1 has no native build for this machine: ${effect}`)
  }
  const { openPipe, end } = createPipeOpener()
  const { vault, others } = started(() => {
    const settings = readSettings(process.argv[2])
    const { others, ...created } = createVault(settings, { log, openPipe })
    return { vault: openedWhenUnsealed(created, { path: settings.operatorSocket, log }), others }
  }, log)
  const small = serveVault(new Socket({ fd: laneDescriptors.small }), vault, {
    log,
    pipes: end,
    ...(others && { others }),
  })
  const large = serveVault(new Socket({ fd: laneDescriptors.large }), vault, { log, ...(others && { others }) })
  const cause = await Promise.race([small, large])
  if (cause !== undefined) log.warn({ error: cause }, 'the channel to the service broke')
  process.exit(cause === undefined ? 0 : 1)
}

function started<T>(create: () => T, log: Log): T {
  try {
    return create()
  } catch (error) {
    log.error({ error }, 'the vault cannot start')
    process.exit(2)
  }
}
