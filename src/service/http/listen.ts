import { codeOf } from '../../protocol/tools/error_codes.ts'
import { SettingsError } from '../process/settings_error.ts'
import type { HttpServer } from './server.ts'

type Place = { readonly host: string; readonly port: number }

/** Returns the address on this machine. Throws `SettingsError` where a setting is why nobody can listen there. */
export async function listen(http: Pick<HttpServer, 'listen'>, { host, port }: Place): Promise<string> {
  try {
    return urlOf(host, (await http.listen({ host, port })).port)
  } catch (cause) {
    const reason = refusals.get(codeOf(cause))
    if (reason === undefined) throw cause
    throw new SettingsError(`cannot listen on ${host} port ${port}: ${reason}`, { cause })
  }
}

const refusals: ReadonlyMap<unknown, string> = new Map([
  ['EADDRINUSE', 'it is already in use; choose another --port'],
  ['EACCES', 'this user may not; choose a --port above 1023'],
  ['EADDRNOTAVAIL', 'the --host is no address of this machine'],
  ['ENOTFOUND', 'the --host is not known'],
])

/** A server that listens everywhere is reached over the loopback address, which a person can click. */
function urlOf(host: string, port: number): string {
  const isEverywhere = host === '0.0.0.0' || host === '::' || host === 'localhost'
  const name = isEverywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
