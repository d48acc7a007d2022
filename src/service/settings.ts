import { isAbsolute, join, resolve } from 'node:path'
import type { Dialect } from '../vault/verbs.ts'
import { type LogLevel, logLevels } from './log.ts'

/** Where a setting comes from: its flag on the command line, else its environment variable, else its default. */
export type Settings = {
  readonly data: string
  readonly host: string
  readonly port: number
  readonly publicUrl: string | undefined
  readonly rootPassphraseFile: string | undefined
  readonly wireDialect: Dialect
  readonly markDirectory: string
  readonly logLevel: LogLevel
}

/** A setting that is unknown or cannot be used; the message names it and says how to mend it. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
}

export const settingRows = [
  {
    flag: 'data',
    variable: 'CLAVIGER_DATA',
    default: './data',
    description: 'folder of the database, keys and sockets',
  },
  { flag: 'host', variable: 'CLAVIGER_HOST', default: '127.0.0.1', description: 'address to listen on' },
  { flag: 'port', variable: 'CLAVIGER_PORT', default: '8787', description: 'port to listen on; 0 takes any' },
  {
    flag: 'public-url',
    variable: 'CLAVIGER_PUBLIC_URL',
    default: undefined,
    description: 'where people reach the server',
  },
  {
    flag: 'root-passphrase-file',
    variable: 'CLAVIGER_ROOT_PASSPHRASE_FILE',
    default: undefined,
    description: 'file with the passphrase that unseals the vault, in place of a key file',
  },
  { flag: 'wire-dialect', variable: 'CLAVIGER_WIRE_DIALECT', default: 'spec', description: 'spec or hosted' },
  {
    flag: 'mark-dir',
    variable: 'CLAVIGER_MARK_DIR',
    default: undefined,
    description: 'folder of the mark, outside of what is backed up; <data>/mark when not set',
  },
  {
    flag: 'database-url',
    variable: 'CLAVIGER_DATABASE_URL',
    default: undefined,
    description: 'only `sqlite:`, the embedded database, so far',
  },
  { flag: 'log-level', variable: 'CLAVIGER_LOG_LEVEL', default: 'info', description: 'debug, info, warn or error' },
] as const

type Flag = (typeof settingRows)[number]['flag']
export type GivenFlags = { readonly [F in Flag]?: string | undefined }

export function readSettings({
  flags,
  environment,
}: {
  readonly flags: GivenFlags
  readonly environment: Readonly<Record<string, string | undefined>>
}): Settings {
  refuseUnknown(environment)
  const given = (flag: Flag): string | undefined => {
    const row = settingRows.find((candidate) => candidate.flag === flag)
    if (row === undefined) return undefined
    const value = flags[flag] ?? environment[row.variable]
    // Taking it as absent would turn an empty passphrase file into the key file of development.
    if (value === '') throw new SettingsError(`${row.variable} (--${flag}) is empty: give it a value or leave it out`)
    return value ?? row.default
  }
  refuseOtherDatabases(given('database-url'))
  const data = resolve(given('data') ?? './data')
  return {
    data,
    host: given('host') ?? '127.0.0.1',
    port: portOf(given('port')),
    publicUrl: urlOf(given('public-url')),
    rootPassphraseFile: optionalPath(given('root-passphrase-file')),
    wireDialect: oneOf('CLAVIGER_WIRE_DIALECT', given('wire-dialect'), ['spec', 'hosted']),
    markDirectory: optionalPath(given('mark-dir')) ?? join(data, 'mark'),
    logLevel: oneOf('CLAVIGER_LOG_LEVEL', given('log-level'), logLevels),
  }
}

/** A misspelt setting that is silently ignored is a server that runs otherwise than its operator believes. */
function refuseUnknown(environment: Readonly<Record<string, string | undefined>>): void {
  const known = new Set<string>(settingRows.map(({ variable }) => variable))
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith('CLAVIGER_') && !name.startsWith('CLAVIGER_TEST_') && !known.has(name),
  )
  if (unknown === undefined) return
  throw new SettingsError(`${unknown} is no setting; those that exist are ${[...known].join(', ')}`)
}

/** The address is not repeated: it may hold a password. */
function refuseOtherDatabases(url: string | undefined): void {
  if (url === undefined || url === 'sqlite:') return
  const reason = /^postgres(ql)?:/.test(url) ? 'PostgreSQL is not supported yet' : 'only `sqlite:` is supported'
  throw new SettingsError(`CLAVIGER_DATABASE_URL (--database-url): ${reason}; leave it out for the embedded database`)
}

function portOf(value: string | undefined): number {
  const port = Number(value)
  if (/^[0-9]{1,5}$/.test(value ?? '') && port <= 65_535) return port
  throw new SettingsError(`CLAVIGER_PORT (--port) must be a number from 0 to 65535, not ${value}`)
}

function urlOf(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const url = URL.parse(value)
  const isWeb = url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
  if (isWeb && url.username === '' && url.password === '') return url.href
  // Not repeated: it may hold a password.
  throw new SettingsError(
    'CLAVIGER_PUBLIC_URL (--public-url) must be an http or https address without user and password',
  )
}

function optionalPath(value: string | undefined): string | undefined {
  return value === undefined || isAbsolute(value) ? value : resolve(value)
}

function oneOf<const T extends readonly string[]>(name: string, value: string | undefined, allowed: T): T[number] {
  const found = allowed.find((candidate) => candidate === value)
  if (found !== undefined) return found
  throw new SettingsError(`${name} must be one of ${allowed.join(', ')}, not ${value}`)
}
