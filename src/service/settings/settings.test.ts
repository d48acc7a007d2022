import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { namedPipe } from '../../../test/support/named_pipe.ts'
import { limitsDefault } from '../../contract/limits.ts'
import { SettingsError } from '../process/settings_error.ts'
import { settingRows, variableOf } from './setting_rows.ts'
import { type GivenFlags, readSettings } from './settings.ts'

const read = (flags: GivenFlags = {}, environment: Record<string, string | undefined> = {}) =>
  readSettings({ flags, environment })

test('with nothing given every setting has its default', () => {
  expect(read({}, { PATH: '/bin' })).toEqual({
    data: resolve('data'),
    database: undefined,
    host: '127.0.0.1',
    port: 8787,
    publicUrl: undefined,
    witnessesFile: undefined,
    rootPassphraseFile: undefined,
    vaultSocket: undefined,
    wireDialect: 'spec',
    journalDirectory: resolve('data', 'mark'),
    logLevel: 'info',
    delivery: {
      smtp: undefined,
      sender: { name: 'Claviger', address: 'claviger@localhost' },
      look: { name: 'Claviger', color: '#335a85', support: undefined, logo: undefined },
      smsGateway: undefined,
    },
    trustedProxies: [],
    scrub: { everyMs: 86_400_000, share: 0.01 },
    logWaitingMbMax: 128,
    limits: limitsDefault,
    oidcIssuers: [],
    oidcAudiences: [],
    oidcKeyHosts: [],
    providersFile: undefined,
    caFile: undefined,
    notices: undefined,
    sandboxPasscodes: false,
    mailDecider: 'parent',
    vaults: Math.max(1, Math.min(4, availableParallelism() - 1)),
    privateDestinations: undefined,
  })
})

test('every setting has a flag and a variable of its own', () => {
  expect(new Set(settingRows.map(({ flag }) => flag)).size).toBe(settingRows.length)
  expect(new Set(settingRows.map(({ variable }) => variable)).size).toBe(settingRows.length)
})

function fileOf(text: string, mode = 0o600, encoding: BufferEncoding = 'utf8'): string {
  const path = join(mkdtempSync(join(tmpdir(), 'claviger-settings-')), 'file')
  writeFileSync(path, text, encoding)
  chmodSync(path, mode)
  return path
}

const logoFile = fileOf('\u0089PNG\r\n\u001a\npicture', 0o600, 'latin1')

/** A valid value of each setting, and the settings that it makes. */
const usable: Readonly<Record<(typeof settingRows)[number]['flag'], readonly [string, object]>> = {
  data: ['/srv/claviger', { data: '/srv/claviger', journalDirectory: '/srv/claviger/mark' }],
  host: ['0.0.0.0', { host: '0.0.0.0' }],
  port: ['0', { port: 0 }],
  'public-url': ['https://keys.example', { publicUrl: 'https://keys.example' }],
  'scrub-hours': ['2', { scrub: { everyMs: 7_200_000, share: 0.01 } }],
  'scrub-percent': ['50', { scrub: { everyMs: 86_400_000, share: 0.5 } }],
  'log-waiting-mb': ['64', { logWaitingMbMax: 64 }],
  'log-origin': ['keys.example/wallets', { logOrigin: 'keys.example/wallets' }],
  'root-passphrase-file': ['secrets/passphrase', { rootPassphraseFile: resolve('secrets/passphrase') }],
  'wire-dialect': ['hosted', { wireDialect: 'hosted' }],
  vaults: ['3', { vaults: 3 }],
  'vault-socket': ['vault.sock', { vaultSocket: resolve('vault.sock') }],
  'mark-dir': ['/var/mark', { journalDirectory: '/var/mark' }],
  'database-url': [
    'postgres://claviger@db.example/keys',
    { database: { hosts: [{ name: 'db.example', port: 5432 }], user: 'claviger', database: 'keys' } },
  ],
  'database-url-file': [
    fileOf('postgres://claviger:hush@db.example/keys\n'),
    { database: { hosts: [{ name: 'db.example', port: 5432 }], password: 'hush' } },
  ],
  'smtp-url': ['smtp://localhost:25', { delivery: { smtp: { host: 'localhost', port: 25 } } }],
  'smtp-url-file': [
    fileOf('smtps://ada:hush@localhost\n'),
    { delivery: { smtp: { host: 'localhost', login: { user: 'ada', password: 'hush' } } } },
  ],
  'mail-from': ['Keys <keys@keys.example>', { delivery: { sender: { name: 'Keys', address: 'keys@keys.example' } } }],
  'mail-name': ['Keys of Acme', { delivery: { look: { name: 'Keys of Acme' } } }],
  'mail-color': ['#0A7f3c', { delivery: { look: { color: '#0A7f3c' } } }],
  'mail-logo-file': [logoFile, { delivery: { look: { logo: { type: 'image/png', bytes: readFileSync(logoFile) } } } }],
  'mail-support': ['help@keys.example', { delivery: { look: { support: 'help@keys.example' } } }],
  'sms-url': ['https://sms.example/send', { delivery: { smsGateway: { url: 'https://sms.example/send' } } }],
  'sms-url-file': [
    fileOf('https://sms.example/send?key=hush'),
    { delivery: { smsGateway: { url: 'https://sms.example/send?key=hush' } } },
  ],
  'log-level': ['debug', { logLevel: 'debug' }],
  'rate-limits': ['off', {}],
  'oidc-issuers': [
    'https://accounts.google.com, http://localhost:9000/realms/a/',
    { oidcIssuers: ['https://accounts.google.com', 'http://localhost:9000/realms/a/'] },
  ],
  'oidc-audiences': ['1234.apps.example, com.example.app', { oidcAudiences: ['1234.apps.example', 'com.example.app'] }],
  'oidc-key-hosts': ['keys.example,Keys.example:8443', { oidcKeyHosts: ['keys.example', 'keys.example:8443'] }],
  'providers-file': ['providers.json', { providersFile: resolve('providers.json') }],
  'witnesses-file': ['policy', { witnessesFile: resolve('policy') }],
  'ca-file': ['ca.pem', { caFile: resolve('ca.pem') }],
  notices: ['on', { notices: 'on' }],
  'sandbox-passcodes': ['on', { sandboxPasscodes: true }],
  'private-destinations': ['allow', { privateDestinations: 'allow' }],
  'trusted-proxies': [
    '10.1.0.0/8, ::1/128',
    {
      trustedProxies: [
        { family: 4, first: 0x0a000000n, prefixBits: 8 },
        { family: 6, first: 1n, prefixBits: 128 },
      ],
    },
  ],
  'limit-users': ['7', { limits: { usersMax: 7 } }],
  'limit-wallets': ['8', { limits: { walletsMax: 8 } }],
  'limit-private-keys': ['9', { limits: { privateKeysMax: 9 } }],
  'limit-tags': ['11', { limits: { tagsMax: 11 } }],
  'limit-sub-organization-tags': ['12', { limits: { subOrganizationTagsMax: 12 } }],
  'limit-provider-credentials': ['13', { limits: { providerCredentialsMax: 13 } }],
  'limit-deleted-accounts': ['11', { limits: { deletedAccountsMax: 11 } }],
  'limit-long-lived-api-keys': ['10', { limits: { longLivedApiKeysPerUserMax: 10 } }],
  'limit-expiring-api-keys': ['100000', { limits: { expiringApiKeysPerUserMax: 100_000 } }],
  'limit-authenticators': ['11', { limits: { authenticatorsPerUserMax: 11 } }],
  'limit-oauth-providers': ['11', { limits: { oauthProvidersPerUserMax: 11 } }],
  'limit-tvc-operators': ['11', { limits: { tvcOperatorsMax: 11 } }],
  'limit-tvc-apps': ['12', { limits: { tvcAppsMax: 12 } }],
  'limit-tvc-deployments': ['13', { limits: { tvcDeploymentsMax: 13 } }],
  'limit-mfa-policies': ['11', { limits: { mfaPoliciesPerUserMax: 11 } }],
  'limit-session-profiles': ['12', { limits: { sessionProfilesMax: 12 } }],
  'limit-invitations': ['17', { limits: { invitationsMax: 17 } }],
  'limit-policies': ['15', { limits: { policiesMax: 15 } }],
  'limit-smart-contract-interfaces': ['13', { limits: { smartContractInterfacesMax: 13 } }],
  'limit-velocity-controls': ['16', { limits: { velocityControlsMax: 16 } }],
  'limit-webhook-endpoints': ['14', { limits: { webhookEndpointsMax: 14 } }],
  'webhook-private-addresses': ['allow', { webhookPrivateAddresses: 'allow' }],
  'limit-pending-activities': ['14', { limits: { pendingActivitiesMax: 14 } }],
  'sub-organization-mails': ['plain', { mailDecider: 'plain' }],
  'limit-mails-a-day': ['1000000', { limits: { mailsADayMax: 1_000_000 } }],
  'limit-sub-organization-mails-a-day': ['15', { limits: { subOrganizationMailsADayMax: 15 } }],
}

describe.each(settingRows)('$variable', ({ flag, variable }) => {
  const [value, expected] = usable[flag]

  test('is read from the flag and from the environment', () => {
    expect(read({ [flag]: value })).toMatchObject(expected)
    expect(read({}, { [variable]: value })).toMatchObject(expected)
  })

  test('is read from the flag when both are given', () => {
    expect(read({ [flag]: value }, { [variable]: 'never read' })).toMatchObject(expected)
  })

  test('is refused when it is empty: an empty passphrase file must not turn into the key file of development', () => {
    expect(() => read({ [flag]: '' })).toThrow(`${variable} (--${flag}) is empty`)
    expect(() => read({}, { [variable]: '' })).toThrow(SettingsError)
  })
})

describe('a value that cannot be used is refused with the names of the setting and the expected values:', () => {
  for (const [flag, values, expected] of [
    ['port', ['-1', '65536', '80a', '1e3', '0x50', ' 80', '8.5'], 'CLAVIGER_PORT (--port) must be a whole number'],
    ['wire-dialect', ['Spec', 'both', 'constructor'], 'must be one of spec, hosted'],
    ['log-level', ['verbose', 'INFO'], 'must be one of debug, info, warn, error'],
    ['rate-limits', ['on', '10'], 'CLAVIGER_RATE_LIMITS (--rate-limits) must be off'],
    ['oidc-key-hosts', ['https://keys.example', 'keys.example/jwks', 'keys example', 'a,,b'], 'must be hosts'],
    ['notices', ['yes', 'true'], 'must be one of on, off'],
    ['sandbox-passcodes', ['yes', 'true'], 'must be one of on, off'],
    ['private-destinations', ['yes', 'Allow'], 'must be one of allow, refuse'],
    [
      'mail-from',
      ['keys', 'a@b.c, d@e.f', 'Keys <keys@keys.example', 'a b@c.d'],
      'an e-mail address or Name <address>',
    ],
    [
      'trusted-proxies',
      ['10.0.0.1', 'localhost/8', '10.0.0.0/8,', '10.0.0.0/8 ::1/128', '*'],
      'CLAVIGER_TRUSTED_PROXIES (--trusted-proxies) must be ranges of IP addresses',
    ],
    ['mail-color', ['blue', '#fff', '#12345g', '#335a85;'], 'must be a color such as #335a85'],
    ['limit-users', ['0', '-1', '100001', 'many', '1.5'], 'must be a whole number from 1 to 100000'],
    ['limit-expiring-api-keys', ['0'], 'CLAVIGER_LIMIT_EXPIRING_API_KEYS (--limit-expiring-api-keys)'],
  ] as const) {
    for (const value of values) {
      test(`--${flag} ${JSON.stringify(value)}`, () => {
        expect(() => read({ [flag]: value })).toThrow(SettingsError)
        expect(() => read({ [flag]: value })).toThrow(expected)
        expect(() => read({ [flag]: value })).toThrow(`not ${value}`)
      })
    }
  }
})

describe('an address that cannot be used is refused without repeating it, since it may hold a password:', () => {
  for (const [flag, values, expected] of [
    ['log-origin', ['https://keys.example', 'keys.example/', 'a b'], 'CLAVIGER_LOG_ORIGIN (--log-origin) must be'],
    ['public-url', ['keys.example', 'ftp://keys.example', '/keys'], 'CLAVIGER_PUBLIC_URL (--public-url) must be'],
    ['public-url', ['https://ada:hush@keys.example'], 'without user and password'],
    ['public-url', ['https://keys.example//keys', 'https://keys.example/?a=1'], 'two slashes in a row'],
    ['oidc-issuers', ['https://ada:hush@issuer.example', 'https://issuer.example/?hush'], 'without user, password'],
    ['mail-support', ['help', 'javascript:hush()', 'https://ada:hush@help.example'], 'must be a mail address or an'],
    ['mail-name', ['Keys\nBcc: hush@a.example', 'k'.repeat(101)], 'must be one line of at most 100 characters'],
    ['oidc-audiences', ['web,', 'web app', ','], 'CLAVIGER_OIDC_AUDIENCES (--oidc-audiences) must be client ids'],
    ['oidc-issuers', ['http://issuer.example', 'issuer.example', 'https://issuer.example,'], 'must be https addresses'],
    [
      'smtp-url',
      ['https://hush@mail.example', 'mail.example:25', 'smtp://ada:hush@'],
      'CLAVIGER_SMTP_URL (--smtp-url) must be',
    ],
    ['smtp-url', ['smtps://hush@mail.example/?logger=true'], 'must be smtps://'],
    ['sms-url', ['sms.example', 'ftp://ada:hush@sms.example'], 'CLAVIGER_SMS_URL (--sms-url) must be an http or https'],
    ['database-url', ['mysql://hush', 'sqlite:hush', 'hush'], 'it is not of the form postgres://user@host'],
    ['database-url', ['postgres://ada:hush@'], 'it names no host'],
    ['database-url', ['postgres://ada:hush/hush@db', 'postgres://ada:hu?hush@db'], 'are to be written as'],
    ['database-url', ['postgres://:hush@db'], 'it names no user'],
    ['database-url', ['postgres://ada:hush@db:99999'], 'a port is a number from 1 to 65535'],
    ['database-url', ['postgres://ada:hush@db?sslmode=require'], 'sslmode=require does not verify who answers'],
    ['database-url', ['postgres://ada:hush@db?options=1'], 'a parameter that is not one of host, port'],
  ] as const) {
    for (const value of values) {
      test(`--${flag} ${value}`, () => {
        const environment = { [variableOf(flag)]: value }
        expect(() => read({}, environment)).toThrow(expected)
        expect(() => read({}, environment)).not.toThrow('hush')
      })
    }
  }
})

describe('a setting that may hold a password', () => {
  const secrets = [
    ['database-url', 'postgres://ada:hush@db.example,db2.example/keys'],
    ['smtp-url', 'smtps://ada:hush@localhost'],
    ['smtp-url', 'smtps://hush@localhost'],
    ['sms-url', 'https://ada:hush@sms.example/send'],
    ['sms-url', 'https://:hush@sms.example/send'],
    ['sms-url', 'https://sms.example/send?key=hush'],
  ] as const

  for (const [flag, value] of secrets) {
    const variable = variableOf(flag)

    test(`--${flag} ${value} is refused as a flag, with the remedy and without the password`, () => {
      expect(() => read({ [flag]: value })).toThrow(SettingsError)
      expect(() => read({ [flag]: value })).toThrow(
        `set ${variable} in the environment, or ${variable}_FILE (--${flag}-file) to a file`,
      )
      expect(() => read({ [flag]: value })).not.toThrow('hush')
    })

    test(`${variable}=${value} is read from the environment, and from a file`, () => {
      const { delivery, database } = read({}, { [variable]: value })
      expect(JSON.stringify({ delivery, database })).toMatch(/hush|Basic/)
      expect(read({ [`${flag}-file`]: fileOf(`${value}\r\n`) })).toMatchObject({ delivery, database })
      expect(read({ [`${flag}-file`]: fileOf(`\ufeff${value}`) })).toMatchObject({ delivery, database })
    })
  }

  test.each([0o640, 0o604, 0o620])('is refused in a file of mode %o, which others may open', (mode) => {
    const path = fileOf('smtps://localhost', mode)
    expect(() => read({ 'smtp-url-file': path })).toThrow(`${path} can be read by others: run chmod 600 ${path}`)
  })

  test.each([
    [fileOf(''), 'is empty'],
    [fileOf('\n'), 'is empty'],
    [fileOf('a'.repeat(4_097)), 'is longer than 4096 bytes'],
    [resolve('nothing'), 'cannot be read (ENOENT)'],
    [
      fileOf('\ufeffsmtps://localhost', 0o600, 'utf16le'),
      'cannot be read (it begins with a byte order mark of UTF-16: save it as UTF-8)',
    ],
    [mkdtempSync(join(tmpdir(), 'claviger-settings-')), 'is not a regular file: write the value into one'],
    [namedPipe('smtps://localhost\n'), 'is not a regular file: write the value into one'],
  ])('is refused if the file %s %s', (path, reason) => {
    expect(() => read({ 'smtp-url-file': path })).toThrow(`CLAVIGER_SMTP_URL_FILE (--smtp-url-file): ${path} ${reason}`)
  })

  test('is not given twice', () => {
    const flags = { 'smtp-url-file': fileOf('smtps://localhost') }
    expect(() => read(flags, { CLAVIGER_SMTP_URL: 'smtps://localhost' })).toThrow('are both given: leave one out')
  })
})

describe('a variable of the environment', () => {
  for (const [name, nearest] of [
    ['CLAVIGER_PROT', 'CLAVIGER_PORT'],
    ['CLAVIGER_WIRE_DIALEKT', 'CLAVIGER_WIRE_DIALECT'],
    ['CLAVIGER_LIMIT_USER', 'CLAVIGER_LIMIT_USERS'],
    ['CLAVIGER_ROOT_PASSPHRASE', 'CLAVIGER_ROOT_PASSPHRASE_FILE'],
  ] as const) {
    test(`${name} is refused, and the nearest one named`, () => {
      expect(() => read({}, { [name]: '1' })).toThrow(`${name} is no setting: did you mean ${nearest}?`)
    })
  }

  test('CLAVIGER_NOPE is refused, and none is like it', () => {
    expect(() => read({}, { CLAVIGER_NOPE: '1' })).toThrow('CLAVIGER_NOPE is no setting: docs/operate.md lists all')
  })

  for (const name of ['CLAVIGER_TEST_ALL', 'CLAVIGER_TEST_', 'OTHER_PORT', 'claviger_port', 'CLAVIGER']) {
    test(`${name} is not one of our variables and is ignored`, () => {
      expect(read({}, { [name]: '1' })).toEqual(read())
    })
  }
})

test('mail through a server elsewhere needs a sender of another domain than localhost', () => {
  const smtp = { 'smtp-url': 'smtps://mail.example' }
  expect(() => read(smtp)).toThrow('CLAVIGER_SMTP_URL needs CLAVIGER_MAIL_FROM (--mail-from)')
  expect(read({ ...smtp, 'mail-from': 'keys@keys.example' }).delivery.smtp?.host).toBe('mail.example')
})

test.each([
  [resolve('nothing'), 'cannot be read (ENOENT)'],
  [fileOf('<svg onload="alert(1)">'), 'must be a picture in PNG or JPEG'],
  [fileOf(`\u0089PNG\r\n\u001a\n${'a'.repeat(65_536)}`, 0o600, 'latin1'), 'is longer than 65536 bytes'],
])('a logo is refused if the file %s %s', (path, reason) => {
  expect(() => read({ 'mail-logo-file': path })).toThrow(
    `CLAVIGER_MAIL_LOGO_FILE (--mail-logo-file): ${path} ${reason}`,
  )
})
