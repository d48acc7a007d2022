import { isAbsolute } from 'node:path'
import { type Limits, limitsDefault } from '../contract/limits.ts'
import { readOauth2Endpoints } from '../contract/oauth2.ts'
import { type MailDecider, mailDeciders } from '../protocol/wire/sub_organization_mails.ts'

/** The descriptors on which the vault's process finds its ends of the socket pairs, one for each lane (`lanes.ts`). */
export const laneDescriptors = { small: 3, large: 4 } as const

/** `settings` as the argument that `readSettings` reads. */
export function settingsArgument(settings: VaultSettings): string {
  return JSON.stringify(settings)
}

const readers = {
  unsealer: readUnsealer,
  /** The folder of the vault's journal. */
  journalDirectory: absolutePath,
  /** The socket on which the vault answers the operator and nobody else. */
  operatorSocket: absolutePath,
  limits: readLimits,
  /** The issuers whose ID tokens are accepted, exactly as the tokens name them. */
  oidcIssuers: texts,
  /** The clients of the operator's apps at those issuers. Empty: the operator has named none. */
  oidcAudiences: texts,
  oauth2Endpoints: readOauth2Endpoints,
  /** The `iss` of the ID tokens that this server signs; undefined: it signs none. */
  ownIssuer: optional(text),
  /** The console's address for links in mails, without a slash at its end; undefined: the server does not know it. */
  consoleUrl: optional(text),
  /** Whether users are told by mail of activities. */
  sendsNotices: truth,
  /** Certificates in PEM that are trusted besides those of the system. */
  caFile: optional(absolutePath),
  /** Issuers and receivers of webhooks on this machine may speak plain HTTP: for development. */
  loopbackHttp: truth,
  /** How many vaults decide. Several share the books of one more process. */
  vaults: count,
  /** Whether the passcodes of the sandbox's contacts are known: for development. */
  sandboxPasscodes: truth,
  /** Decides which choices users of sub-organizations have in mails. */
  mailDecider: readMailDecider,
  /** The host in the name of a transparency log that begins; undefined: `localhost`. */
  logHost: optional(text),
  /** How much of the transparency log may wait for the database, in MB, before nothing is changed or signed. */
  logWaitingMbMax: count,
}

/**
 * The settings of the vault's process, as one argument on its command line. Everybody on the machine can read a command
 * line, so a secret comes as the path of a file. All paths are absolute.
 */
export type VaultSettings = { readonly [M in keyof typeof readers]: ReturnType<(typeof readers)[M]> }

type Unsealer =
  | {
      readonly kind: 'keyFile'
      readonly path: string
      /** Whether to make the key file when there is none and the first master seed is made. */
      readonly create: boolean
    }
  | {
      readonly kind: 'passphrase'
      /** The file that holds the passphrase. */
      readonly path: string
    }

/** Throws an error that names the member at fault. */
export function readSettings(argument: string | undefined): VaultSettings {
  const given = members('the settings', JSON.parse(argument ?? 'null'), Object.keys(readers))
  const settings = Object.entries(readers).map(([name, read]) => [name, read(given[name], name)] as const)
  return Object.fromEntries(settings) as VaultSettings
}

function readUnsealer(value: unknown): Unsealer {
  const { kind, path, create } = members('unsealer', value, ['kind', 'path', 'create'])
  if (kind === 'passphrase' && create === undefined) return { kind, path: absolutePath(path, 'unsealer.path') }
  if (kind === 'keyFile' && typeof create === 'boolean') {
    return { kind, path: absolutePath(path, 'unsealer.path'), create }
  }
  throw new Error('unsealer: expected {kind: "keyFile", path, create} or {kind: "passphrase", path}')
}

function readLimits(value: unknown): Limits {
  const names = Object.keys(limitsDefault)
  const given = members('limits', value, names)
  for (const name of names) {
    const max = given[name]
    if (typeof max !== 'number' || !Number.isSafeInteger(max) || max <= 0) {
      throw new Error(`limits.${name}: expected a whole number above 0`)
    }
  }
  return given as Limits
}

function texts(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value)) throw new Error(`${name}: expected a list`)
  return value.map((item) => text(item, name))
}

function text(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new Error(`${name}: expected a text`)
  return value
}

function readMailDecider(value: unknown, name: string): MailDecider {
  const decider = mailDeciders.find((one) => one === value)
  if (decider === undefined) throw new Error(`${name}: expected one of ${mailDeciders.join(', ')}`)
  return decider
}

function truth(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw new Error(`${name}: expected true or false`)
  return value
}

function count(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) throw new Error(`${name}: expected a count`)
  return value
}

function absolutePath(value: unknown, name: string): string {
  if (typeof value !== 'string' || !isAbsolute(value)) throw new Error(`${name}: expected an absolute path`)
  return value
}

function optional<T>(read: (value: unknown, name: string) => T): (value: unknown, name: string) => T | undefined {
  return (value, name) => (value === undefined ? undefined : read(value, name))
}

function members(name: string, value: unknown, known: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error(`${name}: expected an object`)
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined) throw new Error(`${name}: there is no member ${JSON.stringify(unknown)}`)
  return value as Record<string, unknown>
}
