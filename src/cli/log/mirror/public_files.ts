import { codeIn } from '../../../protocol/tools/error_codes.ts'
import { CommandError, exitCodes } from '../../exit_codes.ts'
import { exitCodeOf } from '../../stamped_request.ts'
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
      const chunks: Uint8Array[] = []
      let bytes = 0
      try {
        for await (const chunk of answer.body ?? []) {
          bytes += chunk.length
          if (bytes > bytesMax) break
          chunks.push(chunk)
        }
      } catch (cause) {
        throw new CommandError(`the server broke off ${path}${codeIn(cause)}`, exitCodes.unreachable, { cause })
      }
      if (bytes > bytesMax) throw new LogFault(`the server’s file ${path} has more than ${bytesMax} bytes`)
      return Buffer.concat(chunks)
    },
  }
}
