import { availableParallelism } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Limits } from '../../contract/limits.ts'
import { nearestWord } from '../../protocol/tools/nearest_word.ts'
import { type IpRange, parseIpRange } from '../../protocol/wire/ip_ranges.ts'
import { mailDeciders } from '../../protocol/wire/sub_organization_mails.ts'
import { logLevels } from '../process/log.ts'
import { SettingsError } from '../process/settings_error.ts'
import { lookOf } from './mail_look.ts'
import { refuseSecretFlag, secretOf } from './secret_values.ts'
import {
  type Flag,
  fileFlagOf,
  limitFlags,
  nameOf,
  type SecretFlag,
  type SettingRow,
  secretFlags,
  settingRows,
} from './setting_rows.ts'
import { audiencesOf, databaseOf, deliveryOf, issuersOf, keyHostsOf, logOriginOf, urlOf } from './setting_values.ts'

/** Each setting comes from its flag on the command line, else its environment variable, else its default. */
export type Settings = Readonly<ReturnType<typeof readSettings>>

/** All users, wallets, private keys and tags of an organization are listed in its head, which every request reads. */
const limitMax = 100_000
const mailsADayLimitMax = 10_000_000

const vaultsMax = 64
/** The vault has what waits in memory, and reads it from the journal when it starts. */
const logWaitingMbMax = 4_096

export type GivenFlags = { readonly [F in Flag]?: string | undefined }
type Environment = Readonly<Record<string, string | undefined>>

type GivenSettings = { readonly flags: GivenFlags; readonly environment: Environment }

/** Throws `SettingsError`. */
export function readSettings({ flags, environment }: GivenSettings) {
  refuseUnknown(environment)
  const values = new Map(settingRows.map((row) => [row.flag, given(row, { flags, environment })]))
  for (const flag of secretFlags) refuseSecretFlag(flag, flags[flag])
  const value = (flag: Flag) => values.get(flag)
  const secret = (flag: SecretFlag) =>
    secretOf(flag, { value: value(flag), path: optionalPath(value(fileFlagOf(flag))) })
  const data = resolve(value('data') ?? './data')
  oneOf('rate-limits', value('rate-limits'), ['off'])
  const delivery = deliveryOf({
    smtpUrl: secret('smtp-url'),
    smsUrl: secret('sms-url'),
    mailFrom: value('mail-from'),
  })
  return {
    data,
    /** Undefined: the embedded database, in the data folder. */
    database: databaseOf(secret('database-url')),
    host: value('host') ?? '127.0.0.1',
    port: wholeNumber('port', value('port'), { min: 0, max: 65_535 }),
    /** Without a slash at its end. */
    publicUrl: urlOf(value('public-url')),
    /** How often the transparency log is compared with the database, and the share of a core that this takes. */
    scrub: {
      everyMs: wholeNumber('scrub-hours', value('scrub-hours'), { min: 1, max: 8_760 }) * 3_600_000,
      share: wholeNumber('scrub-percent', value('scrub-percent'), { min: 1, max: 100 }) / 100,
    },
    logWaitingMbMax: wholeNumber('log-waiting-mb', value('log-waiting-mb'), { min: 1, max: logWaitingMbMax }),
    logOrigin: logOriginOf(value('log-origin')),
    witnessesFile: optionalPath(value('witnesses-file')),
    rootPassphraseFile: optionalPath(value('root-passphrase-file')),
    /** Undefined: the server starts a vault itself. */
    vaultSocket: optionalPath(value('vault-socket')),
    /** How many processes decide and sign. */
    vaults: vaultsOf(value('vaults')),
    wireDialect: oneOf('wire-dialect', value('wire-dialect'), ['spec', 'hosted']),
    journalDirectory: optionalPath(value('mark-dir')) ?? join(data, 'mark'),
    logLevel: oneOf('log-level', value('log-level'), logLevels),
    delivery: { ...delivery, look: lookOf(value, delivery.sender) },
    /** Whether users are told by mail of activities. Undefined: if there is a server for mail, and `publicUrl`. */
    notices: value('notices') === undefined ? undefined : oneOf('notices', value('notices'), ['on', 'off']),
    mailDecider: oneOf('sub-organization-mails', value('sub-organization-mails'), mailDeciders),
    /** Whether the passcodes of the sandbox's contacts are known. `serve` refuses it. */
    sandboxPasscodes: oneOf('sandbox-passcodes', value('sandbox-passcodes'), ['on', 'off']) === 'on',
    /** Their `X-Forwarded-For` is believed. */
    trustedProxies: rangesOf('trusted-proxies', value('trusted-proxies')),
    limits: limitsOf(value),
    /** As written: tokens name their issuer by the same text. */
    oidcIssuers: issuersOf(value('oidc-issuers')),
    /** Clients of the operator's apps. Empty: clients of any app. */
    oidcAudiences: audiencesOf(value('oidc-audiences')),
    /** `host` or `host:port` */
    oidcKeyHosts: keyHostsOf(value('oidc-key-hosts')),
    providersFile: optionalPath(value('providers-file')),
    caFile: optionalPath(value('ca-file')),
    /** Undefined: `dev` allows, `serve` refuses. */
    privateDestinations: allowanceOf('private-destinations', value('private-destinations')),
    /** Undefined: `dev` allows, `serve` refuses. */
    webhookPrivateAddresses: allowanceOf('webhook-private-addresses', value('webhook-private-addresses')),
  }
}

/** Beyond these the service itself is the slower part (docs/operate/scale.md). */
const usefulVaultsMax = 4

function vaultsOf(value: string | undefined): number {
  if (value !== undefined) return wholeNumber('vaults', value, { min: 1, max: vaultsMax })
  return Math.max(1, Math.min(usefulVaultsMax, availableParallelism() - 1))
}

function limitsOf(value: (flag: Flag) => string | undefined): Limits {
  const limits = Object.entries(limitFlags).map(([name, flag]) => {
    const bounds = { min: 1, max: flag === 'limit-mails-a-day' ? mailsADayLimitMax : limitMax }
    return [name, wholeNumber(flag, value(flag), bounds)] as const
  })
  return Object.fromEntries(limits) as Limits
}

function given(
  row: SettingRow,
  { flags, environment }: { flags: GivenFlags; environment: Environment },
): string | undefined {
  const value = flags[row.flag] ?? environment[row.variable]
  // An empty passphrase file that counts as absent would mean the key file of development.
  if (value === '') throw new SettingsError(`${nameOf(row.flag)} is empty: give it a value or leave it out`)
  return value ?? row.default
}

/** Throws for a misspelt setting. If it were ignored, the server would run otherwise than its operator believes. */
function refuseUnknown(environment: Environment): void {
  const known = new Set<string>(settingRows.map(({ variable }) => variable))
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith('CLAVIGER_') && !name.startsWith('CLAVIGER_TEST_') && !known.has(name),
  )
  if (unknown === undefined) return
  // A secret is named without its `_FILE` more often than it is misspelt.
  const meant = nearestWord(unknown, known) ?? [...known].find((name) => name.startsWith(`${unknown}_`))
  const hint = meant === undefined ? 'docs/operate.md lists all' : `did you mean ${meant}?`
  throw new SettingsError(`${unknown} is no setting: ${hint}`)
}

function wholeNumber(flag: Flag, value: string | undefined, { min, max }: { min: number; max: number }): number {
  const number = Number(value)
  if (/^[0-9]{1,9}$/.test(value ?? '') && number >= min && number <= max) return number
  throw wrong(flag, value, `a whole number from ${min} to ${max}`)
}

function allowanceOf(flag: Flag, value: string | undefined): 'allow' | 'refuse' | undefined {
  return value === undefined ? undefined : oneOf(flag, value, ['allow', 'refuse'])
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
  return new SettingsError(`${nameOf(flag)} must be ${expected}, not ${value}`)
}
