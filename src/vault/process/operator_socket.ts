import { lstatSync, unlinkSync } from 'node:fs'
import { AdminError } from '../../link/admin_error.ts'
import { type Operator, readCursor, readLiftRequest, readLinkRequest, readOrganizationIds } from '../../link/heads.ts'
import { type AdminHandlers, serveAdmin } from '../../link/socket.ts'
import type { Log } from '../../link/vault_log.ts'
import type { Vault } from '../../link/verbs.ts'
import { textOfError } from '../../protocol/tools/error_text.ts'

/** A vault and its operator. The vault of a test has no operator. */
export type VaultWithOperator = Vault & { readonly operator?: Operator }

type SocketPlace = { readonly path: string; readonly log: Log }

/**
 * Returns the same vault, which opens the operator's socket once it is unsealed. The service uses the channel, which
 * has no verb of the operator.
 */
export function openedWhenUnsealed({ operator, ...vault }: VaultWithOperator, place: SocketPlace): Vault {
  if (operator === undefined) return vault
  let opening: Promise<void> | undefined
  return {
    ...vault,
    async unseal(request) {
      const answer = await vault.unseal(request)
      if (answer.kind === 'unsealed') {
        opening ??= openSocket(operator, place)
        await opening
      }
      return answer
    },
  }
}

/** Opens the socket, or warns. A vault works without the socket, but its operator cannot ask it for anything. */
async function openSocket(operator: Operator, { path, log }: SocketPlace): Promise<void> {
  try {
    await serveAdmin({ path, handlers: handlersOf(operator, log) })
    removeAtExit(path)
  } catch (error) {
    const reason = textOfError(error)
    log.warn(
      { path, reason },
      "the vault's socket for the operator cannot be opened: no restore can be accepted, no IP allowlist lifted and no link made",
    )
  }
}

function handlersOf(operator: Operator, log: Log): AdminHandlers {
  const handlers: AdminHandlers = new Map<keyof Operator, (argument: unknown) => Promise<unknown>>([
    ['bookedHeads', async (argument) => operator.bookedHeads(readCursor(argument))],
    ['bookedHeadsOf', async (argument) => operator.bookedHeadsOf(readOrganizationIds(argument))],
    ['acceptRestore', async () => operator.acceptRestore()],
    ['liftIpAllowlist', async (argument) => operator.liftIpAllowlist(readLiftRequest(argument))],
    ['makeLink', async (argument) => operator.makeLink(readLinkRequest(argument))],
  ])
  return new Map(
    [...handlers].map(([verb, handler]) => [verb, (argument) => handler(argument).catch(logged(verb, log))]),
  )
}

/** Logs any error but an `AdminError`, which the operator sees and can mend. Any other error is a bug. */
function logged(verb: string, log: Log): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AdminError)) log.error({ verb, error }, 'the vault could not do what the operator asked')
    throw error
  }
}

/** Removes the socket at every exit except by a signal. The socket of another vault at the same path stays. */
function removeAtExit(path: string): void {
  const { ino } = lstatSync(path)
  process.once('exit', () => {
    if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) unlinkSync(path)
  })
}
