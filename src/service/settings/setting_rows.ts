import { type Limits, limitsDefault } from '../../contract/limits.ts'
import { mailColorDefault } from '../delivery/carriers/mail_html.ts'
import { logLevels } from '../process/log.ts'

/** Each setting under its heading, with what it is for. */
const groups = {
  'Data and keys': {
    data: 'folder of the database, keys and sockets',
    'database-url':
      '`sqlite:`, the embedded database in the data folder, or postgres://user:password@host:5432/database, with commas between several hosts; `sqlite:` when not set',
    'scrub-hours':
      'hours from the beginning of one comparison of the transparency log with the database to that of the next; the first begins with the server',
    'scrub-percent': 'percent of a core that such a comparison takes at most',
    'log-waiting-mb':
      'MB of the transparency log that wait in the journal at most when the database does not store them, 1 to 4096; beyond that nothing is changed or signed until it does',
    'root-passphrase-file': 'file with the passphrase that unseals the vault, in place of a key file',
    'mark-dir': 'folder of the vault’s journal, outside of what is backed up; <data>/mark when not set',
    vaults: 'processes that decide and sign, 1 to 64; one less than the cores when not set, at least 1 and at most 4',
    'vault-socket':
      'socket of a vault that runs as a process of its own, `claviger vault`; the server starts a vault itself when not set',
  },
  Network: {
    host: 'address to listen on',
    port: 'port to listen on; 0 takes any',
    'public-url':
      'where people reach the server; it stands in credentials, and is the issuer of the ID tokens of oauth2_authenticate, which needs it',
    'log-origin':
      'address without its scheme under which others read the transparency log, such as keys.example; that of CLAVIGER_PUBLIC_URL when not set, and localhost without either. It counts when a log begins, and never changes it',
    'witnesses-file':
      'file (C2SP tlog-policy) that says which witnesses are asked to cosign the transparency log, and how many are enough',
    'trusted-proxies':
      'ranges of the proxies whose X-Forwarded-For is believed, such as 10.0.0.0/8,2001:db8::/48; none when not set',
    'wire-dialect': 'spec or hosted: what `/public/…` speaks; hosted for clients that need it and take no path',
    'rate-limits': 'off; others are not supported yet',
  },
  'Mail and SMS': {
    'smtp-url': 'server for outgoing mail, smtps://user:password@host; files in <data>/outbox when not set',
    'mail-from': 'sender of mail, an address or Name <address>',
    'mail-name': 'name of the server in mails; the name of the sender when not set',
    'mail-color': 'color of mails',
    'mail-logo-file': 'picture in PNG or JPEG, at most 64 KiB, that stands in mails',
    'mail-support': 'where people get help, a mail address or a web address',
    'sms-url': 'gateway that sends SMS, https://user:password@host/path; files in <data>/outbox when not set',
    notices:
      'on or off: mails to users who may approve an activity, or have asked for it; on when not set if CLAVIGER_SMTP_URL and CLAVIGER_PUBLIC_URL are',
    'sub-organization-mails':
      'parent, plain or free: who decides whether users of a sub-organization choose the sender, the words and the links of mails: its parent, or nobody may, or everybody may',
    'sandbox-passcodes':
      'on or off; on: a passcode of six digits for user@example.com or +19999999999 is 000000, for tests; `serve` refuses it',
  },
  Webhooks: {
    'webhook-private-addresses':
      'allow or refuse webhooks to private addresses, such as those of your own network; `serve` refuses, `dev` allows',
  },
  'Issuers and providers of identities': {
    'oidc-issuers':
      'issuers whose ID tokens are accepted, with commas between, each as its tokens name it; https, and under `dev` http on loopback',
    'oidc-audiences':
      'clients (`aud`) of your own apps at those issuers, with commas between: tokens of others are refused. When not set all are accepted, but none proves an e-mail address or brings `oidcClaims`',
    'oidc-key-hosts':
      'hosts where issuers keep their keys if not where they are themselves, with commas between; that of Google is known',
    'providers-file': 'file (JSON) that says where OAuth 2.0 providers are asked; without it they are X and Discord',
    'ca-file': 'file with certificates (PEM) of authorities that are trusted besides those of the system',
    'private-destinations':
      'allow or refuse connections to issuers at private addresses; `serve` refuses, `dev` allows',
  },
  Log: {
    'log-level': logLevels.join(', '),
  },
  Limits: {
    'limit-users': 'users of an organization at most',
    'limit-wallets': 'wallets of an organization at most',
    'limit-invitations': 'open invitations of an organization at most',
    'limit-policies': 'policies of an organization at most',
    'limit-private-keys': 'private keys of an organization at most, besides its wallets',
    'limit-tags': 'tags of an organization at most, of users and of private keys together',
    'limit-sub-organization-tags': 'the same for a sub-organization',
    'limit-provider-credentials': 'on-ramp credentials of an organization at most, and as many OAuth 2.0 credentials',
    'limit-deleted-accounts': 'accounts of an organization that were deleted while their wallet stayed, at most',
    'limit-long-lived-api-keys': 'API keys of a user that do not expire, at most',
    'limit-expiring-api-keys':
      'API keys of a user that expire, at most, and as many sessions and recovery credentials; a further one takes the place of the oldest of its kind',
    'limit-authenticators': 'passkeys of a user at most',
    'limit-oauth-providers': 'identities at OIDC issuers by which a user logs in, at most',
    'limit-tvc-operators': 'operators of verifiable apps of an organization at most',
    'limit-tvc-apps': 'verifiable apps of an organization at most',
    'limit-tvc-deployments': 'deployments of verifiable apps of an organization at most',
    'limit-mfa-policies': 'MFA policies of a user at most',
    'limit-session-profiles': 'session profiles of an organization at most',
    'limit-smart-contract-interfaces': 'smart contract interfaces of an organization at most',
    'limit-velocity-controls': 'velocity controls of an organization at most',
    'limit-webhook-endpoints': 'webhook endpoints of an organization at most; each gets every activity',
    'limit-pending-activities':
      'activities of an organization that wait for votes at most; the last tenth is for the root quorum, and any other user has a tenth',
    'limit-mails-a-day':
      'mails and SMS within 24 hours at most that users of an organization ask for; as many by users of all its sub-organizations, as many by its auth proxy, and as many notices to its users',
    'limit-sub-organization-mails-a-day': 'the same for users of one sub-organization, with the notices to them',
  },
} as const

type GivenFlag = { [H in keyof typeof groups]: keyof (typeof groups)[H] }[keyof typeof groups]

/** The settings of the limits: `limit-users` for `usersMax`, `limit-authenticators` for `authenticatorsPerUserMax`. */
export const limitFlags = Object.fromEntries(
  Object.keys(limitsDefault).map((name) => {
    const words = name.replace(/(PerUser)?Max$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return [name, `limit-${words}`]
  }),
) as { readonly [L in keyof Limits]: keyof (typeof groups)['Limits'] }

const defaults: { readonly [F in GivenFlag]?: string } = {
  data: './data',
  host: '127.0.0.1',
  port: '8787',
  'scrub-hours': '24',
  'scrub-percent': '1',
  'log-waiting-mb': '128',
  'wire-dialect': 'spec',
  'rate-limits': 'off',
  'mail-from': 'Claviger <claviger@localhost>',
  'mail-color': mailColorDefault,
  'sub-organization-mails': 'parent',
  'sandbox-passcodes': 'off',
  'log-level': 'info',
  ...Object.fromEntries(
    Object.entries(limitFlags).map(([name, flag]) => [flag, String(limitsDefault[name as keyof Limits])]),
  ),
}

/** Settings that may hold a password. Each has a second setting, which names a file that holds the value. */
export const secretFlags = ['database-url', 'smtp-url', 'sms-url'] as const satisfies readonly GivenFlag[]

export type SecretFlag = (typeof secretFlags)[number]
export type Flag = GivenFlag | `${SecretFlag}-file`

/** One setting: its flag, its environment variable, its default and what it is for. */
export type SettingRow = {
  readonly flag: Flag
  readonly variable: string
  readonly default: string | undefined
  readonly description: string
}

/** Every setting under its heading. */
export const settingGroups = Object.entries(groups).map(([heading, descriptions]) => ({
  heading,
  rows: Object.entries(descriptions).flatMap(([flag, description]) => rowsOf(flag as GivenFlag, description)),
}))

export const settingRows = settingGroups.flatMap(({ rows }) => rows)

/** How messages name a setting: `CLAVIGER_MARK_DIR (--mark-dir)`. */
export function nameOf(flag: Flag): string {
  return `${variableOf(flag)} (--${flag})`
}

/** The setting that names a file in the place of a value that may be secret. */
export function fileFlagOf<F extends SecretFlag>(flag: F): `${F}-file` {
  return `${flag}-file`
}

function rowsOf(flag: GivenFlag, description: string): readonly SettingRow[] {
  const row = { flag, variable: variableOf(flag), default: defaults[flag], description }
  const secretFlag = secretFlags.find((one) => one === flag)
  if (secretFlag === undefined) return [row]
  const [fileFlag, ofFile] = [fileFlagOf(secretFlag), `file that holds ${row.variable}; only its owner may read it`]
  return [row, { flag: fileFlag, variable: variableOf(fileFlag), default: undefined, description: ofFile }]
}

/** The environment variable is named as the flag: `--mark-dir` and `CLAVIGER_MARK_DIR`. */
export function variableOf(flag: Flag): string {
  return `CLAVIGER_${flag.toUpperCase().replaceAll('-', '_')}`
}
