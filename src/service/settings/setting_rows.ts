import { limitsDefault } from '../../operations/limits.ts'
import { logLevels } from '../log.ts'

/** Every setting under its heading: its flag, its environment variable, its default and what it is for. */
export const settingGroups = [
  {
    heading: 'Data and keys',
    rows: [
      {
        flag: 'data',
        variable: 'CLAVIGER_DATA',
        default: './data',
        description: 'folder of the database, keys and sockets',
      },
      {
        flag: 'database-url',
        variable: 'CLAVIGER_DATABASE_URL',
        default: 'sqlite:',
        description: 'only `sqlite:`, the embedded database, so far',
      },
      {
        flag: 'root-passphrase-file',
        variable: 'CLAVIGER_ROOT_PASSPHRASE_FILE',
        default: undefined,
        description: 'file with the passphrase that unseals the vault, in place of a key file',
      },
      {
        flag: 'mark-dir',
        variable: 'CLAVIGER_MARK_DIR',
        default: undefined,
        description: 'folder of the vault’s journal, outside of what is backed up; <data>/mark when not set',
      },
    ],
  },
  {
    heading: 'Network',
    rows: [
      { flag: 'host', variable: 'CLAVIGER_HOST', default: '127.0.0.1', description: 'address to listen on' },
      { flag: 'port', variable: 'CLAVIGER_PORT', default: '8787', description: 'port to listen on; 0 takes any' },
      {
        flag: 'public-url',
        variable: 'CLAVIGER_PUBLIC_URL',
        default: undefined,
        description:
          'where people reach the server; it stands in credentials, and is the issuer of the ID tokens of oauth2_authenticate, which needs it',
      },
      {
        flag: 'trusted-proxies',
        variable: 'CLAVIGER_TRUSTED_PROXIES',
        default: undefined,
        description:
          'ranges of the proxies whose X-Forwarded-For is believed, such as 10.0.0.0/8,2001:db8::/48; none when not set',
      },
      {
        flag: 'wire-dialect',
        variable: 'CLAVIGER_WIRE_DIALECT',
        default: 'spec',
        description: 'spec or hosted: what `/public/…` speaks',
      },
      {
        flag: 'rate-limits',
        variable: 'CLAVIGER_RATE_LIMITS',
        default: 'off',
        description: 'off; others are not supported yet',
      },
    ],
  },
  {
    heading: 'Mail and SMS',
    rows: [
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
    ],
  },
  {
    heading: 'Issuers and providers of identities',
    rows: [
      {
        flag: 'oidc-issuers',
        variable: 'CLAVIGER_OIDC_ISSUERS',
        default: undefined,
        description:
          'issuers whose ID tokens are accepted, with commas between, each as its tokens name it; https, and under `dev` http on loopback',
      },
      {
        flag: 'oidc-audiences',
        variable: 'CLAVIGER_OIDC_AUDIENCES',
        default: undefined,
        description:
          'clients (`aud`) of your own apps at those issuers, with commas between: tokens of others are refused. When not set all are accepted, but none proves an e-mail address or brings `oidcClaims`',
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
    ],
  },
  {
    heading: 'Log',
    rows: [{ flag: 'log-level', variable: 'CLAVIGER_LOG_LEVEL', default: 'info', description: logLevels.join(', ') }],
  },
  {
    heading: 'Limits',
    rows: [
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
        flag: 'limit-policies',
        variable: 'CLAVIGER_LIMIT_POLICIES',
        default: String(limitsDefault.policiesMax),
        description: 'policies of an organization at most',
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
      {
        flag: 'limit-pending-activities',
        variable: 'CLAVIGER_LIMIT_PENDING_ACTIVITIES',
        default: String(limitsDefault.pendingActivitiesMax),
        description: 'activities of an organization that wait for votes at most; the last tenth is for the root quorum',
      },
    ],
  },
] as const

export const settingRows = settingGroups.flatMap(({ rows }): readonly (typeof rows)[number][] => rows)
