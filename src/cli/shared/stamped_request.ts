import { stampWith } from './api_key.ts'
import type { Credentials } from './credentials.ts'
import { CommandError, type ExitCode, exitCodes } from './exit_codes.ts'

/** An answer of the interface is shorter, whatever it lists. */
const answerBytesMax = 256 * 1024 * 1024
/** So long for the whole answer, be the line slow. Informational answers (1xx) may come without end. */
const answerMsMax = 10 * 60_000

/** Stamps the body with the key of the credentials and sends it. */
export async function post(
  credentials: Credentials,
  path: string,
  body: Buffer<ArrayBuffer>,
): Promise<{ status: number; text: string }> {
  const { apiBaseUrl, apiPublicKey: publicKey, apiPrivateKey: privateKey } = credentials
  const headers = { 'content-type': 'application/json', 'x-stamp': stampWith({ publicKey, privateKey }, body) }
  try {
    const response = await fetch(apiBaseUrl + path, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMsMax),
    })
    const bytes = await bodyOf(response, { bytesMax: answerBytesMax })
    if (bytes !== undefined) return { status: response.status, text: new TextDecoder().decode(bytes) }
  } catch (cause) {
    throw new CommandError(`no server answers on ${apiBaseUrl}`, exitCodes.unreachable, { cause })
  }
  throw new CommandError(`the server’s answer has more than ${answerBytesMax} bytes`, exitCodes.serverFailed)
}

/** Reads the body of an answer. Undefined: it is longer. */
export async function bodyOf(
  { body }: Response,
  { bytesMax }: { readonly bytesMax: number },
): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > bytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Refuses a redirect: the stamp is for this server, and a redirect is no answer of the interface. */
export function answerOf({ status, text }: { readonly status: number; readonly text: string }): unknown {
  const code = exitCodeOf(status)
  if (code === exitCodes.failed) throw new CommandError(`the server answered ${status}: check apiBaseUrl`, code)
  try {
    return JSON.parse(text)
  } catch (cause) {
    const isOurs = code === exitCodes.done ? exitCodes.failed : code
    throw new CommandError(`the server answered ${status} with something that is not JSON`, isOurs, { cause })
  }
}

export function exitCodeOf(status: number): ExitCode {
  if (status < 300) return exitCodes.done
  if (status < 400) return exitCodes.failed
  return status < 500 ? exitCodes.refused : exitCodes.serverFailed
}
