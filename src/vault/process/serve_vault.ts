import type { Duplex } from 'node:stream'
import { type Handlers, serve } from '../../link/channel/channel.ts'
import type { PipeEnd } from '../../link/channel/pipes.ts'
import {
  readConfirmRequest,
  readCreateOrganizationRequest,
  readOpenMessageRequest,
  readPublishLogRequest,
  readScrubFound,
  readUnsealRequest,
  readVaultRequest,
} from '../../link/check_messages.ts'
import type { Log } from '../../link/vault_log.ts'
import type { Vault } from '../../link/verbs.ts'
import { isUuid } from '../../protocol/wire/identifiers.ts'
import { UnsealError } from '../keys/wrapped_seed.ts'

/**
 * Answers the verbs of `Vault`, and no others but `others`, on `stream` until the stream ends. It checks the argument of each call.
 * Resolves with the error that broke the stream, if there was one.
 */
export function serveVault(
  stream: Duplex,
  vault: Vault,
  { log, pipes, others = new Map() }: { readonly log: Log; readonly pipes?: PipeEnd; readonly others?: Handlers },
): Promise<Error | undefined> {
  const handlers: Handlers = new Map<string, (argument: unknown) => Promise<unknown>>([
    ...others,
    ['unseal', async (argument) => vault.unseal(readUnsealRequest(argument))],
    ['answer', async (argument) => vault.answer(readVaultRequest(argument))],
    ['confirm', async (argument) => vault.confirm(readConfirmRequest(argument))],
    ['condition', async () => vault.condition()],
    ['createOrganization', async (argument) => vault.createOrganization(readCreateOrganizationRequest(argument))],
    ['openMessage', async (argument) => vault.openMessage(readOpenMessageRequest(argument))],
    ['publishLog', async (argument) => vault.publishLog(readPublishLogRequest(argument))],
    ['scrub', async (argument) => vault.scrub(readScrubFound(argument))],
    ['publishedKeys', async () => vault.publishedKeys()],
  ] satisfies [string, (argument: unknown) => Promise<unknown>][])
  return serve(stream, handlers, {
    ...(pipes === undefined ? {} : { pipes }),
    onHandlerError(verb, error, argument) {
      // The message of an `UnsealError` is for the operator and says everything. The service reports it.
      if (error instanceof UnsealError) return
      log.error({ verb, ...idsIn(argument), error }, 'the vault could not do what it was asked')
    },
  })
}

/** The ids in the argument of a call, as the log shows them. The service may have sent anything. */
function idsIn(argument: unknown): { readonly requestId?: string; readonly organizationId?: string } {
  const idAt = (name: string) => {
    const id: unknown = typeof argument === 'object' && argument !== null ? Reflect.get(argument, name) : undefined
    return typeof id === 'string' && isUuid(id) ? { [name]: id } : {}
  }
  return { ...idAt('requestId'), ...idAt('organizationId') }
}
