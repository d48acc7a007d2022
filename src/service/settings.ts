import { isAbsolute, join, resolve } from 'node:path'
import { type Limits, limitsDefault } from '../operations/limits.ts'
import type { Dialect } from '../protocol/dialect.ts'
import { type IpRange, parseIpRange } from '../protocol/ip_ranges.ts'
import type { DeliverySettings } from './delivery/carriers.ts'
import { type LogLevel, logLevels } from './log.ts'
import { nearestOf } from './nearest.ts'
import { deliveryOf, issuersOf, keyHostsOf, refuseOtherDatabases, SettingsError, urlOf } from './setting_values.ts'

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
  readonly delivery: DeliverySettings
  /** Their `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly IpRange[]
  readonly limits: Limits
  /** As written: tokens name their issuer by the same text. */
  readonly oidcIssuers: readonly string[]
  /** `host` or `host:port` */
  readonly oidcKeyHosts: readonly string[]
  readonly providersFile: string | undefined
  readonly caFile: string | undefined
  /** Undefined: as `dev` or `serve` has it. */
  readonly privateDestinations: 'allow' | 'refuse' | undefined
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
  {
    flag: 'smtp-url',
    variable: 'CLAVIGER_SMTP_URL',
    default: undefined,
    description: 'server for outgoing mail, smtps://user:password@host; files in <data>/outbox when not set',
  },
  {
    flag: 'mail-from',
    variable: 'CLAVIGER_MAIL_FROM',
    default: 'Claviger <claviger@localhost>',
    description: 'sender of mail, an address or Name <address>',
  },
  {
    flag: 'sms-url',
    variable: 'CLAVIGER_SMS_URL',
    default: undefined,
    description: 'gateway that sends SMS, https://user:password@host/path; files in <data>/outbox when not set',
  },
  { flag: 'log-level', variable: 'CLAVIGER_LOG_LEVEL', default: 'info', description: logLevels.join(', ') },
  {
    flag: 'rate-limits',
    variable: 'CLAVIGER_RATE_LIMITS',
    default: 'off',
    description: 'off; others are not supported yet',
  },
  {
    flag: 'oidc-issuers',
    variable: 'CLAVIGER_OIDC_ISSUERS',
    default: undefined,
    description:
      'issuers whose ID tokens are accepted, with commas between, each as its tokens name it; https, and under `dev` http on loopback',
  },
  {
    flag: 'oidc-key-hosts',
    variable: 'CLAVIGER_OIDC_KEY_HOSTS',
    default: undefined,
    description:
      'hosts where issuers keep their keys if not where they are themselves, with commas between; that of Google is known',
  },
  {
    flag: 'providers-file',
    variable: 'CLAVIGER_PROVIDERS_FILE',
    default: undefined,
    description: 'file (JSON) that says where OAuth 2.0 providers are asked; without it they are X and Discord',
  },
  {
    flag: 'ca-file',
    variable: 'CLAVIGER_CA_FILE',
    default: undefined,
    description: 'file with certificates (PEM) of authorities that are trusted besides those of the system',
  },
  {
    flag: 'private-destinations',
    variable: 'CLAVIGER_PRIVATE_DESTINATIONS',
    default: undefined,
    description: 'allow or refuse connections to issuers at private addresses; `serve` refuses, `dev` allows',
  },
  {
    flag: 'trusted-proxies',
    variable: 'CLAVIGER_TRUSTED_PROXIES',
    default: undefined,
    description:
      'ranges of the proxies whose X-Forwarded-For is believed, such as 10.0.0.0/8,2001:db8::/48; none when not set',
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
    flag: 'limit-tags',
    variable: 'CLAVIGER_LIMIT_TAGS',
    default: String(limitsDefault.tagsMax),
    description: 'tags of an organization at most, of users and of private keys together',
  },
  {
    flag: 'limit-sub-organization-tags',
    variable: 'CLAVIGER_LIMIT_SUB_ORGANIZATION_TAGS',
    default: String(limitsDefault.tagsPerSubOrganizationMax),
    description: 'the same for a sub-organization',
  },
  {
    flag: 'limit-provider-credentials',
    variable: 'CLAVIGER_LIMIT_PROVIDER_CREDENTIALS',
    default: String(limitsDefault.providerCredentialsMax),
    description: 'on-ramp credentials of an organization at most, and as many OAuth 2.0 credentials',
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
  {
    flag: 'limit-authenticators',
    variable: 'CLAVIGER_LIMIT_AUTHENTICATORS',
    default: String(limitsDefault.authenticatorsPerUserMax),
    description: 'passkeys of a user at most',
  },
  {
    flag: 'limit-oauth-providers',
    variable: 'CLAVIGER_LIMIT_OAUTH_PROVIDERS',
    default: String(limitsDefault.oauthProvidersPerUserMax),
    description: 'identities at OIDC issuers by which a user logs in, at most',
  },
  {
    flag: 'limit-tvc-operators',
    variable: 'CLAVIGER_LIMIT_TVC_OPERATORS',
    default: String(limitsDefault.tvcOperatorsMax),
    description: 'operators of verifiable apps of an organization at most',
  },
  {
    flag: 'limit-tvc-apps',
    variable: 'CLAVIGER_LIMIT_TVC_APPS',
    default: String(limitsDefault.tvcAppsMax),
    description: 'verifiable apps of an organization at most',
  },
  {
    flag: 'limit-tvc-deployments',
    variable: 'CLAVIGER_LIMIT_TVC_DEPLOYMENTS',
    default: String(limitsDefault.tvcDeploymentsMax),
    description: 'deployments of verifiable apps of an organization at most',
  },
  {
    flag: 'limit-mfa-policies',
    variable: 'CLAVIGER_LIMIT_MFA_POLICIES',
    default: String(limitsDefault.mfaPoliciesPerUserMax),
    description: 'MFA policies of a user at most',
  },
  {
    flag: 'limit-session-profiles',
    variable: 'CLAVIGER_LIMIT_SESSION_PROFILES',
    default: String(limitsDefault.sessionProfilesMax),
    description: 'session profiles of an organization at most',
  },
  {
    flag: 'limit-smart-contract-interfaces',
    variable: 'CLAVIGER_LIMIT_SMART_CONTRACT_INTERFACES',
    default: String(limitsDefault.smartContractInterfacesMax),
    description: 'smart contract interfaces of an organization at most',
  },
] as const

/** All users, wallets, private keys and tags of an organization are listed in its head, which every request reads. */
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
    delivery: deliveryOf(value),
    trustedProxies: rangesOf('trusted-proxies', value('trusted-proxies')),
    limits: {
      usersMax: limit('limit-users'),
      walletsMax: limit('limit-wallets'),
      privateKeysMax: limit('limit-private-keys'),
      tagsMax: limit('limit-tags'),
      tagsPerSubOrganizationMax: limit('limit-sub-organization-tags'),
      providerCredentialsMax: limit('limit-provider-credentials'),
      deletedAccountsMax: limit('limit-deleted-accounts'),
      longLivedApiKeysPerUserMax: limit('limit-long-lived-api-keys'),
      expiringApiKeysPerUserMax: limit('limit-expiring-api-keys'),
      authenticatorsPerUserMax: limit('limit-authenticators'),
      oauthProvidersPerUserMax: limit('limit-oauth-providers'),
      tvcOperatorsMax: limit('limit-tvc-operators'),
      tvcAppsMax: limit('limit-tvc-apps'),
      tvcDeploymentsMax: limit('limit-tvc-deployments'),
      mfaPoliciesPerUserMax: limit('limit-mfa-policies'),
      sessionProfilesMax: limit('limit-session-profiles'),
      smartContractInterfacesMax: limit('limit-smart-contract-interfaces'),
    },
    oidcIssuers: issuersOf(value('oidc-issuers')),
    oidcKeyHosts: keyHostsOf(value('oidc-key-hosts')),
    providersFile: optionalPath(value('providers-file')),
    caFile: optionalPath(value('ca-file')),
    privateDestinations: privateDestinationsOf(value('private-destinations')),
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
  throw new SettingsError(`${unknown} is no setting: did you mean ${nearestOf(unknown, [...known])}?`)
}

function wholeNumber(flag: Flag, value: string | undefined, { min, max }: { min: number; max: number }): number {
  const number = Number(value)
  if (/^[0-9]{1,9}$/.test(value ?? '') && number >= min && number <= max) return number
  throw wrong(flag, value, `a whole number from ${min} to ${max}`)
}

function privateDestinationsOf(value: string | undefined): Settings['privateDestinations'] {
  return value === undefined ? undefined : oneOf('private-destinations', value, ['allow', 'refuse'])
}

function rangesOf(flag: Flag, value: string | undefined): readonly IpRange[] {
  const ranges = value?.split(',').map((text) => parseIpRange(text.trim())) ?? []
  const known = ranges.filter((range) => range !== undefined)
  if (known.length === ranges.length) return known
  throw wrong(flag, value, 'ranges of IP addresses with commas between them, such as 10.0.0.0/8 or 203.0.113.7/32')
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
