import { type Limits, limitsDefault } from '../../contract/limits.ts'
import { mailColorDefault } from '../delivery/mail_html.ts'
import { logLevels } from '../log.ts'

const groups = [
  {
    heading: 'Data and keys',
    rows: [
      { flag: 'data', default: './data', description: 'folder of the database, keys and sockets' },
      {
        flag: 'database-url',
        description:
          '`sqlite:`, the embedded database in the data folder, or postgres://user:password@host:5432/database, with commas between several hosts; `sqlite:` when not set',
      },
      {
        flag: 'root-passphrase-file',
        description: 'file with the passphrase that unseals the vault, in place of a key file',
      },
      {
        flag: 'mark-dir',
        description: 'folder of the vault’s journal, outside of what is backed up; <data>/mark when not set',
      },
      {
        flag: 'vaults',
        description:
          'processes that decide and sign, 1 to 64; one less than the cores when not set, at least 1 and at most 4',
      },
      {
        flag: 'vault-socket',
        description:
          'socket of a vault that runs as a process of its own, `claviger vault`; the server starts a vault itself when not set',
      },
    ],
  },
  {
    heading: 'Network',
    rows: [
      { flag: 'host', default: '127.0.0.1', description: 'address to listen on' },
      { flag: 'port', default: '8787', description: 'port to listen on; 0 takes any' },
      {
        flag: 'public-url',
        description:
          'where people reach the server; it stands in credentials, and is the issuer of the ID tokens of oauth2_authenticate, which needs it',
      },
      {
        flag: 'trusted-proxies',
        description:
          'ranges of the proxies whose X-Forwarded-For is believed, such as 10.0.0.0/8,2001:db8::/48; none when not set',
      },
      {
        flag: 'wire-dialect',
        default: 'spec',
        description: 'spec or hosted: what `/public/…` speaks; hosted for clients that need it and take no path',
      },
      { flag: 'rate-limits', default: 'off', description: 'off; others are not supported yet' },
    ],
  },
  {
    heading: 'Mail and SMS',
    rows: [
      {
        flag: 'smtp-url',
        description: 'server for outgoing mail, smtps://user:password@host; files in <data>/outbox when not set',
      },
      {
        flag: 'mail-from',
        default: 'Claviger <claviger@localhost>',
        description: 'sender of mail, an address or Name <address>',
      },
      { flag: 'mail-name', description: 'name of the server in mails; the name of the sender when not set' },
      { flag: 'mail-color', default: mailColorDefault, description: 'color of mails' },
      { flag: 'mail-logo-file', description: 'picture in PNG or JPEG, at most 64 KiB, that stands in mails' },
      { flag: 'mail-support', description: 'where people get help, a mail address or a web address' },
      {
        flag: 'sms-url',
        description: 'gateway that sends SMS, https://user:password@host/path; files in <data>/outbox when not set',
      },
      {
        flag: 'notices',
        description:
          'on or off: mails to users who may approve an activity, or have asked for it; on when not set if CLAVIGER_SMTP_URL and CLAVIGER_PUBLIC_URL are',
      },
      {
        flag: 'sub-organization-mails',
        default: 'parent',
        description:
          'parent, plain or free: who decides whether users of a sub-organization choose the sender, the words and the links of mails: its parent, or nobody may, or everybody may',
      },
      {
        flag: 'sandbox-passcodes',
        default: 'off',
        description:
          'on or off; on: a passcode of six digits for user@example.com or +19999999999 is 000000, for tests; `serve` refuses it',
      },
    ],
  },
  {
    heading: 'Webhooks',
    rows: [
      {
        flag: 'webhook-private-addresses',
        description:
          'allow or refuse webhooks to private addresses, such as those of your own network; `serve` refuses, `dev` allows',
      },
    ],
  },
  {
    heading: 'Issuers and providers of identities',
    rows: [
      {
        flag: 'oidc-issuers',
        description:
          'issuers whose ID tokens are accepted, with commas between, each as its tokens name it; https, and under `dev` http on loopback',
      },
      {
        flag: 'oidc-audiences',
        description:
          'clients (`aud`) of your own apps at those issuers, with commas between: tokens of others are refused. When not set all are accepted, but none proves an e-mail address or brings `oidcClaims`',
      },
      {
        flag: 'oidc-key-hosts',
        description:
          'hosts where issuers keep their keys if not where they are themselves, with commas between; that of Google is known',
      },
      {
        flag: 'providers-file',
        description: 'file (JSON) that says where OAuth 2.0 providers are asked; without it they are X and Discord',
      },
      {
        flag: 'ca-file',
        description: 'file with certificates (PEM) of authorities that are trusted besides those of the system',
      },
      {
        flag: 'private-destinations',
        description: 'allow or refuse connections to issuers at private addresses; `serve` refuses, `dev` allows',
      },
    ],
  },
  {
    heading: 'Log',
    rows: [{ flag: 'log-level', default: 'info', description: logLevels.join(', ') }],
  },
] as const

/** The settings of the limits, whose defaults are `limitsDefault`. */
export const limitRows = {
  usersMax: { flag: 'limit-users', description: 'users of an organization at most' },
  walletsMax: { flag: 'limit-wallets', description: 'wallets of an organization at most' },
  invitationsMax: { flag: 'limit-invitations', description: 'open invitations of an organization at most' },
  policiesMax: { flag: 'limit-policies', description: 'policies of an organization at most' },
  privateKeysMax: {
    flag: 'limit-private-keys',
    description: 'private keys of an organization at most, besides its wallets',
  },
  tagsMax: {
    flag: 'limit-tags',
    description: 'tags of an organization at most, of users and of private keys together',
  },
  tagsPerSubOrganizationMax: { flag: 'limit-sub-organization-tags', description: 'the same for a sub-organization' },
  providerCredentialsMax: {
    flag: 'limit-provider-credentials',
    description: 'on-ramp credentials of an organization at most, and as many OAuth 2.0 credentials',
  },
  deletedAccountsMax: {
    flag: 'limit-deleted-accounts',
    description: 'accounts of an organization that were deleted while their wallet stayed, at most',
  },
  longLivedApiKeysPerUserMax: {
    flag: 'limit-long-lived-api-keys',
    description: 'API keys of a user that do not expire, at most',
  },
  expiringApiKeysPerUserMax: {
    flag: 'limit-expiring-api-keys',
    description:
      'API keys of a user that expire, at most, and as many sessions and recovery credentials; a further one takes the place of the oldest of its kind',
  },
  authenticatorsPerUserMax: { flag: 'limit-authenticators', description: 'passkeys of a user at most' },
  oauthProvidersPerUserMax: {
    flag: 'limit-oauth-providers',
    description: 'identities at OIDC issuers by which a user logs in, at most',
  },
  tvcOperatorsMax: {
    flag: 'limit-tvc-operators',
    description: 'operators of verifiable apps of an organization at most',
  },
  tvcAppsMax: { flag: 'limit-tvc-apps', description: 'verifiable apps of an organization at most' },
  tvcDeploymentsMax: {
    flag: 'limit-tvc-deployments',
    description: 'deployments of verifiable apps of an organization at most',
  },
  mfaPoliciesPerUserMax: { flag: 'limit-mfa-policies', description: 'MFA policies of a user at most' },
  sessionProfilesMax: { flag: 'limit-session-profiles', description: 'session profiles of an organization at most' },
  smartContractInterfacesMax: {
    flag: 'limit-smart-contract-interfaces',
    description: 'smart contract interfaces of an organization at most',
  },
  velocityControlsMax: { flag: 'limit-velocity-controls', description: 'velocity controls of an organization at most' },
  webhookEndpointsMax: {
    flag: 'limit-webhook-endpoints',
    description: 'webhook endpoints of an organization at most; each gets every activity',
  },
  pendingActivitiesMax: {
    flag: 'limit-pending-activities',
    description:
      'activities of an organization that wait for votes at most; the last tenth is for the root quorum, and any other user has a tenth',
  },
  mailsADayMax: {
    flag: 'limit-mails-a-day',
    max: 10_000_000,
    description:
      'mails and SMS within 24 hours at most that users of an organization ask for; as many by users of all its sub-organizations, as many by its auth proxy, and as many notices to its users',
  },
  subOrganizationMailsADayMax: {
    flag: 'limit-sub-organization-mails-a-day',
    description: 'the same for users of one sub-organization, with the notices to them',
  },
} as const satisfies Record<keyof Limits, object>

type GivenRow = (typeof groups)[number]['rows'][number]

/** Settings that may hold a password. Each has a second setting, which names a file that holds the value. */
export const secretFlags = ['database-url', 'smtp-url', 'sms-url'] as const satisfies readonly GivenRow['flag'][]

export type SecretFlag = (typeof secretFlags)[number]
export type Flag = GivenRow['flag'] | `${SecretFlag}-file` | (typeof limitRows)[keyof Limits]['flag']

/** One setting: its flag, its environment variable, its default and what it is for. */
export type SettingRow = {
  readonly flag: Flag
  readonly variable: string
  readonly default: string | undefined
  readonly description: string
}

/** Every setting under its heading. */
export const settingGroups: readonly { readonly heading: string; readonly rows: readonly SettingRow[] }[] = [
  ...groups.map(({ heading, rows }) => ({ heading, rows: rows.flatMap(withFileRow) })),
  {
    heading: 'Limits',
    rows: Object.entries(limitRows).map(([name, row]) =>
      settingRow({ ...row, default: String(limitsDefault[name as keyof Limits]) }),
    ),
  },
]

export const settingRows = settingGroups.flatMap(({ rows }) => rows)

/** How messages name a setting: `CLAVIGER_MARK_DIR (--mark-dir)`. */
export function nameOf(flag: Flag): string {
  return `${variableOf(flag)} (--${flag})`
}

/** The setting that names a file in the place of a value that may be secret. */
export function fileFlagOf<F extends SecretFlag>(flag: F): `${F}-file` {
  return `${flag}-file`
}

function withFileRow(row: GivenRow): readonly SettingRow[] {
  const secretFlag = secretFlags.find((flag) => flag === row.flag)
  if (secretFlag === undefined) return [settingRow(row)]
  const description = `file that holds ${variableOf(secretFlag)}; only its owner may read it`
  return [settingRow(row), settingRow({ flag: fileFlagOf(secretFlag), description })]
}

function settingRow(row: Pick<SettingRow, 'flag' | 'description'> & Partial<SettingRow>): SettingRow {
  return { default: undefined, ...row, variable: variableOf(row.flag) }
}

/** The environment variable is named as the flag: `--mark-dir` and `CLAVIGER_MARK_DIR`. */
export function variableOf(flag: Flag): string {
  return `CLAVIGER_${flag.toUpperCase().replaceAll('-', '_')}`
}
