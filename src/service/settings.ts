import { isAbsolute, join, resolve } from 'node:path'
import type { Dialect } from '../vault/verbs.ts'

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

export type LogLevel = (typeof logLevels)[number]
export const logLevels = ['debug', 'info', 'warn', 'error'] as const

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
  { flag: 'database-url', variable: 'CLAVIGER_DATABASE_URL', default: undefined, description: 'not supported yet' },
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
  const valueOf = (flag: Flag): string | undefined => {
    const row = settingRows.find((candidate) => candidate.flag === flag)
    const given = flags[flag] ?? (row === undefined ? undefined : environment[row.variable])
    return given === undefined || given === '' ? row?.default : given
  }
  if (valueOf('database-url') !== undefined) {
    throw new SettingsError('CLAVIGER_DATABASE_URL: only the embedded database is supported so far; leave it out')
  }
  const data = resolve(valueOf('data') ?? './data')
  return {
    data,
    host: valueOf('host') ?? '127.0.0.1',
    port: portOf(valueOf('port')),
    publicUrl: urlOf(valueOf('public-url')),
    rootPassphraseFile: optionalPath(valueOf('root-passphrase-file')),
    wireDialect: oneOf('CLAVIGER_WIRE_DIALECT', valueOf('wire-dialect'), ['spec', 'hosted']),
    markDirectory: optionalPath(valueOf('mark-dir')) ?? join(data, 'mark'),
    logLevel: oneOf('CLAVIGER_LOG_LEVEL', valueOf('log-level'), logLevels),
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

function portOf(value: string | undefined): number {
  const port = Number(value)
  if (/^[0-9]{1,5}$/.test(value ?? '') && port <= 65_535) return port
  throw new SettingsError(`CLAVIGER_PORT (--port) must be a number from 0 to 65535, not ${value}`)
}

function urlOf(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const url = URL.parse(value)
  if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:')) return url.href
  throw new SettingsError(`CLAVIGER_PUBLIC_URL (--public-url) must be an http or https address, not ${value}`)
}

function optionalPath(value: string | undefined): string | undefined {
  return value === undefined || isAbsolute(value) ? value : resolve(value)
}

function oneOf<const T extends readonly string[]>(name: string, value: string | undefined, allowed: T): T[number] {
  const found = allowed.find((candidate) => candidate === value)
  if (found !== undefined) return found
  throw new SettingsError(`${name} must be one of ${allowed.join(', ')}, not ${value}`)
}
