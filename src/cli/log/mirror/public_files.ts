import { codeIn } from '../../../protocol/tools/error_codes.ts'
import { CommandError, exitCodes } from '../../shared/exit_codes.ts'
import { bodyOf, exitCodeOf } from '../../shared/stamped_request.ts'
import { LogFault } from './log_fault.ts'

/** The files of logs, as a server or any copy of it serves them to everybody. */
export type PublicFiles = {
  /** Undefined: there is no such file. Throws `CommandError`, and `LogFault` for a file that is longer than `bytesMax`. */
  get(path: string, bounds: { readonly bytesMax: number }): Promise<Uint8Array | undefined>
}

const answerMsMax = 60_000

export function publicFilesAt(url: string): PublicFiles {
  return {
    async get(path, { bytesMax }) {
      const answer = await fetch(url + path, { redirect: 'manual', signal: AbortSignal.timeout(answerMsMax) }).catch(
        (cause: unknown) => {
          throw new CommandError(`no server answers on ${url}`, exitCodes.unreachable, { cause })
        },
      )
      if (answer.status === 404) {
        await answer.body?.cancel()
        return undefined
      }
      if (answer.status !== 200) {
        throw new CommandError(`the server answered ${answer.status} to ${path}`, exitCodeOf(answer.status))
      }
      const bytes = await bodyOf(answer, { bytesMax }).catch((cause: unknown) => {
        throw new CommandError(`the server broke off ${path}${codeIn(cause)}`, exitCodes.unreachable, { cause })
      })
      if (bytes === undefined) throw new LogFault(`the server’s file ${path} has more than ${bytesMax} bytes`)
      return bytes
    },
  }
}
