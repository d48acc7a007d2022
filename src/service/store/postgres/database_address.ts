import { readText } from '../../../link/text_file.ts'
import { codeIn } from '../../../protocol/tools/error_codes.ts'

export type DatabaseHost = { readonly name: string; readonly port: number }

/** The place of a PostgreSQL database, and the proofs of who asks and who answers. */
export type DatabaseAddress = {
  /** In the order in which they are tried. A name with a slash is the folder of a Unix socket. */
  readonly hosts: readonly DatabaseHost[]
  readonly user: string
  readonly database: string
  readonly password: string | undefined
  /** undefined: no TLS. `ca` undefined: the certificate authorities that Node knows. */
  readonly tls: { readonly ca: string | undefined; readonly checksName: boolean } | undefined
}

const form =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^@/?#:]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^/?#]*)(?:\/(?<database>[^?#]*))?(?:\?(?<query>[^#]*))?$/u
const hostForm = /^(?:\[(?<ipv6>[0-9a-f:.]+(?:%\w+)?)\]|(?<socket>\/[^:]*)|(?<name>[^:[\]/]*))(?::(?<port>.*))?$/iu
const standardPort = 5432
const hostsMax = 16
const parameters = ['host', 'port', 'sslmode', 'sslrootcert'] as const
const loopback: readonly string[] = ['localhost', '127.0.0.1', '::1']
const modesUnverified: readonly string[] = ['allow', 'prefer', 'require']

type Parameters = ReadonlyMap<string, string>

/**
 * Reads `postgres://user@host1:port1,host2:port2/database?sslmode=…&sslrootcert=…`, as libpq documents it ("Connection
 * URIs"). `host` may also stand among the parameters, for the folder of a Unix socket. Without `sslmode` a server on
 * another machine is verified as by `verify-full`. The modes that verify nothing are refused.
 * @throws Error that names the part and how to mend it, without the password.
 */
export function readDatabaseUrl(url: string, password?: string): DatabaseAddress {
  const parts = /[\0\n\r]/.test(url) ? undefined : form.exec(url)?.groups
  if (parts === undefined) throw new Error('it is not of the form postgres://user@host:5432/database')
  // A password with one of these characters would be read as a host or a parameter, and messages name those.
  if (Object.values(parts).some((part) => part?.includes('@'))) {
    throw new Error('in a user or password the characters @ : / ? # % are to be written as %40 %3A %2F %3F %23 %25')
  }
  const query = readParameters(parts.query ?? '')
  const hosts = (query.get('host') ?? decoded(parts.hosts ?? ''))
    .split(',')
    .map((host) => readHost(host, query.get('port')))
  if (hosts.length > hostsMax) throw new Error(`it names ${hosts.length} hosts, and ${hostsMax} may be tried`)
  const user = decoded(parts.user ?? '')
  if (user === '') throw new Error('it names no user: postgres://user@host/database')
  return {
    hosts,
    user,
    database: decoded(parts.database ?? '') || user,
    password: password ?? (parts.password === undefined ? undefined : decoded(parts.password)),
    tls: readTls(query, hosts),
  }
}

function readParameters(text: string): Parameters {
  const read = new Map<string, string>()
  for (const part of text.split('&').filter((one) => one !== '')) {
    const end = part.includes('=') ? part.indexOf('=') : part.length
    const name = parameters.find((one) => one === part.slice(0, end))
    if (name === undefined) throw new Error(`it has a parameter that is not one of ${parameters.join(', ')}`)
    if (read.has(name)) throw new Error(`${name} is given twice`)
    read.set(name, decoded(part.slice(end + 1)))
  }
  return read
}

function readHost(text: string, port: string | undefined): DatabaseHost {
  const parts = hostForm.exec(text)?.groups
  const name = parts?.ipv6 ?? parts?.socket ?? parts?.name ?? ''
  if (name === '') throw new Error('it names no host: postgres://user@host/database, or ?host=/folder for a socket')
  return { name, port: readPort(parts?.port ?? port) }
}

function readPort(text: string = String(standardPort)): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535) throw new Error('a port is a number from 1 to 65535')
  return port
}

function readTls(query: Parameters, hosts: readonly DatabaseHost[]): DatabaseAddress['tls'] {
  const isLocal = hosts.every(({ name }) => name.startsWith('/') || loopback.includes(name))
  const mode = query.get('sslmode') ?? (isLocal ? 'disable' : 'verify-full')
  const file = query.get('sslrootcert')
  const ca = file === undefined ? undefined : readAuthorities(file)
  if (mode === 'disable') return undefined
  if (mode === 'verify-ca' || mode === 'verify-full') return { ca, checksName: mode === 'verify-full' }
  if (!modesUnverified.includes(mode)) throw new Error('sslmode is not one of verify-full, verify-ca, disable')
  throw new Error(
    `sslmode=${mode} does not verify who answers: use verify-full with sslrootcert=FILE, or disable where the network is trusted`,
  )
}

function readAuthorities(path: string): string {
  try {
    return readText(path)
  } catch (cause) {
    throw new Error(`sslrootcert: ${path} cannot be read${codeIn(cause)}`, { cause })
  }
}

function decoded(text: string): string {
  const read = decodedOrNot(text)
  if (read === undefined) throw new Error('a % in it is not followed by two hexadecimal digits of UTF-8')
  if (read.includes('\0')) throw new Error('it holds the character U+0000')
  return read
}

function decodedOrNot(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
