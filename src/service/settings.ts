import { isAbsolute, join, resolve } from 'node:path'
import { type Limits, limitsDefault } from '../operations/limits.ts'
import type { Dialect } from '../vault/verbs.ts'
import { type LogLevel, logLevels } from './log.ts'
import { nearestOf } from './nearest.ts'

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
  readonly limits: Limits
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
    default: 'sqlite:',
    description: 'only `sqlite:`, the embedded database, so far',
  },
  { flag: 'log-level', variable: 'CLAVIGER_LOG_LEVEL', default: 'info', description: logLevels.join(', ') },
  {
    flag: 'rate-limits',
    variable: 'CLAVIGER_RATE_LIMITS',
    default: 'off',
    description: 'off; others are not supported yet',
  },
  {
    flag: 'limit-users',
    variable: 'CLAVIGER_LIMIT_USERS',
    default: String(limitsDefault.usersMax),
    description: 'users of an organization at most',
  },
  {
    flag: 'limit-wallets',
    variable: 'CLAVIGER_LIMIT_WALLETS',
    default: String(limitsDefault.walletsMax),
    description: 'wallets of an organization at most',
  },
  {
    flag: 'limit-private-keys',
    variable: 'CLAVIGER_LIMIT_PRIVATE_KEYS',
    default: String(limitsDefault.privateKeysMax),
    description: 'private keys of an organization at most, besides its wallets',
  },
  {
    flag: 'limit-deleted-accounts',
    variable: 'CLAVIGER_LIMIT_DELETED_ACCOUNTS',
    default: String(limitsDefault.deletedAccountsMax),
    description: 'accounts of an organization that were deleted while their wallet stayed, at most',
  },
  {
    flag: 'limit-long-lived-api-keys',
    variable: 'CLAVIGER_LIMIT_LONG_LIVED_API_KEYS',
    default: String(limitsDefault.longLivedApiKeysPerUserMax),
    description: 'API keys of a user that do not expire, at most',
  },
  {
    flag: 'limit-expiring-api-keys',
    variable: 'CLAVIGER_LIMIT_EXPIRING_API_KEYS',
    default: String(limitsDefault.expiringApiKeysPerUserMax),
    description: 'API keys of a user that expire, at most; a further one takes the place of the oldest',
  },
] as const

/** Settings of the interface that this version does not have. */
const notSupportedYet: readonly string[] = [
  'CLAVIGER_SMTP_URL',
  'CLAVIGER_MAIL_FROM',
  'CLAVIGER_SMS_URL',
  'CLAVIGER_OIDC_ISSUERS',
  'CLAVIGER_CA_FILE',
  'CLAVIGER_TRUSTED_PROXIES',
  'CLAVIGER_PROVIDERS_FILE',
]

/** All users, wallets and private keys of an organization are listed in its head, which every request reads. */
const limitMax = 100_000

type Row = (typeof settingRows)[number]
type Flag = Row['flag']
export type GivenFlags = { readonly [F in Flag]?: string | undefined }
type Environment = Readonly<Record<string, string | undefined>>

/** Throws `SettingsError`. */
export function readSettings({
  flags,
  environment,
}: {
  readonly flags: GivenFlags
  readonly environment: Environment
}): Settings {
  refuseUnknown(environment)
  const values = new Map(settingRows.map((row) => [row.flag, given(row, { flags, environment })]))
  const value = (flag: Flag) => values.get(flag)
  const data = resolve(value('data') ?? './data')
  refuseOtherDatabases(value('database-url'))
  oneOf('rate-limits', value('rate-limits'), ['off'])
  return {
    data,
    host: value('host') ?? '127.0.0.1',
    port: wholeNumber('port', value('port'), { min: 0, max: 65_535 }),
    publicUrl: urlOf(value('public-url')),
    rootPassphraseFile: optionalPath(value('root-passphrase-file')),
    wireDialect: oneOf('wire-dialect', value('wire-dialect'), ['spec', 'hosted']),
    markDirectory: optionalPath(value('mark-dir')) ?? join(data, 'mark'),
    logLevel: oneOf('log-level', value('log-level'), logLevels),
    limits: {
      usersMax: limit('limit-users'),
      walletsMax: limit('limit-wallets'),
      privateKeysMax: limit('limit-private-keys'),
      deletedAccountsMax: limit('limit-deleted-accounts'),
      longLivedApiKeysPerUserMax: limit('limit-long-lived-api-keys'),
      expiringApiKeysPerUserMax: limit('limit-expiring-api-keys'),
    },
  }

  function limit(flag: Flag): number {
    return wholeNumber(flag, value(flag), { min: 1, max: limitMax })
  }
}

function given(row: Row, { flags, environment }: { flags: GivenFlags; environment: Environment }): string | undefined {
  const value = flags[row.flag] ?? environment[row.variable]
  // Taking it as absent would turn an empty passphrase file into the key file of development.
  if (value === '') throw new SettingsError(`${row.variable} (--${row.flag}) is empty: give it a value or leave it out`)
  return value ?? row.default
}

/** A misspelt setting that is silently ignored is a server that runs otherwise than its operator believes. */
function refuseUnknown(environment: Environment): void {
  const known = new Set<string>(settingRows.map(({ variable }) => variable))
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith('CLAVIGER_') && !name.startsWith('CLAVIGER_TEST_') && !known.has(name),
  )
  if (unknown === undefined) return
  if (notSupportedYet.includes(unknown)) throw new SettingsError(`${unknown} is not supported yet: leave it out`)
  throw new SettingsError(`${unknown} is no setting: did you mean ${nearestOf(unknown, [...known])}?`)
}

/** The address is not repeated: it may hold a password. */
function refuseOtherDatabases(url: string | undefined): void {
  if (url === 'sqlite:') return
  const reason = /^postgres(ql)?:/.test(url ?? '') ? 'PostgreSQL is not supported yet' : 'only `sqlite:` is supported'
  throw new SettingsError(`CLAVIGER_DATABASE_URL (--database-url): ${reason}; leave it out for the embedded database`)
}

function wholeNumber(flag: Flag, value: string | undefined, { min, max }: { min: number; max: number }): number {
  const number = Number(value)
  if (/^[0-9]{1,9}$/.test(value ?? '') && number >= min && number <= max) return number
  throw wrong(flag, value, `a whole number from ${min} to ${max}`)
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

function oneOf<const T extends readonly string[]>(flag: Flag, value: string | undefined, allowed: T): T[number] {
  const found = allowed.find((candidate) => candidate === value)
  if (found !== undefined) return found
  throw wrong(flag, value, allowed.length === 1 ? `${allowed[0]}` : `one of ${allowed.join(', ')}`)
}

function wrong(flag: Flag, value: string | undefined, expected: string): SettingsError {
  const variable = settingRows.find((row) => row.flag === flag)?.variable
  return new SettingsError(`${variable} (--${flag}) must be ${expected}, not ${value}`)
}
