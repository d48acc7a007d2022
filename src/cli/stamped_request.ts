import { stampWith } from './api_key.ts'
import type { Credentials } from './credentials.ts'
import { CommandError, type ExitCode, exitCodes } from './exit_codes.ts'

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
    })
    return { status: response.status, text: await response.text() }
  } catch (cause) {
    throw new CommandError(`no server answers on ${apiBaseUrl}`, exitCodes.unreachable, { cause })
  }
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
