import { readFileSync } from 'node:fs'

export type DatabaseHost = { readonly name: string; readonly port: number }

/** Where a PostgreSQL database is, and how to prove who asks and who answers. */
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
const hostForm = /^(?:\[(?<ipv6>[0-9a-f:.%]+)\]|(?<name>[^:[\]]*))(?::(?<port>\d{1,5}))?$/iu
const standardPort = 5432
const hostsMax = 16
const parameters: readonly string[] = ['host', 'port', 'sslmode', 'sslrootcert']
const loopback: readonly string[] = ['localhost', '127.0.0.1', '::1']

/**
 * Reads `postgres://user@host1:port1,host2:port2/database?sslmode=…&sslrootcert=…`, as libpq documents it ("Connection
 * URIs"). `host` may also stand among the parameters, for the folder of a Unix socket. Without `sslmode` a server on
 * another machine is verified as by `verify-full`. The modes that verify nothing are refused.
 * @throws Error that names the part and how to mend it, without the password.
 */
export function readDatabaseUrl(url: string, password?: string): DatabaseAddress {
  const parts = form.exec(url)?.groups
  if (parts === undefined) throw new Error('it is not of the form postgres://user@host:5432/database')
  const query = new URLSearchParams(parts.query ?? '')
  for (const name of query.keys()) {
    if (!parameters.includes(name)) throw new Error(`the parameter ${name} is not one of ${parameters.join(', ')}`)
  }
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

function readHost(text: string, port: string | null): DatabaseHost {
  if (text.startsWith('/')) return { name: text, port: readPort(port ?? undefined) }
  const parts = hostForm.exec(text)?.groups
  const name = parts?.ipv6 ?? parts?.name ?? ''
  if (name === '') throw new Error('it names no host: postgres://user@host/database, or ?host=/folder for a socket')
  return { name, port: readPort(parts?.port ?? port ?? undefined) }
}

function readPort(text: string | undefined): number {
  const port = text === undefined ? standardPort : Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`${text} is not a port`)
  return port
}

function readTls(query: URLSearchParams, hosts: readonly DatabaseHost[]): DatabaseAddress['tls'] {
  const isLocal = hosts.every(({ name }) => name.startsWith('/') || loopback.includes(name))
  const mode = query.get('sslmode') ?? (isLocal ? 'disable' : 'verify-full')
  const file = query.get('sslrootcert')
  switch (mode) {
    case 'disable':
      return undefined
    case 'verify-ca':
    case 'verify-full':
      return { ca: file === null ? undefined : readFileSync(file, 'utf8'), checksName: mode === 'verify-full' }
    default:
      throw new Error(
        `sslmode=${mode} does not verify who answers: use verify-full with sslrootcert=FILE, or disable where the network is trusted`,
      )
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('a % in it is not followed by two hexadecimal digits')
  }
}
