import { expect, test } from 'vitest'
import { limitsDefault } from '../contract/limits.ts'
import { oauth2EndpointsKnown } from '../contract/oauth2.ts'
import { readSettings, settingsArgument, type VaultSettings } from './vault_settings.ts'

const keyFile = { kind: 'keyFile', path: '/data/vault/root.key', create: true } as const
const journalDirectory = '/data/mark'
const operatorSocket = '/data/vault.sock'
const limits = { ...limitsDefault, usersMax: 7 }

const evidence = {
  oidcIssuers: ['https://issuer.example'],
  oidcAudiences: ['web', 'phone'],
  oauth2Endpoints: oauth2EndpointsKnown,
  ownIssuer: 'https://keys.example',
  consoleUrl: 'https://keys.example',
  sendsNotices: true,
  caFile: '/etc/ca.pem',
  loopbackHttp: true,
  sandboxPasscodes: true,
  mailDecider: 'plain' as const,
  vaults: 2,
  logHost: 'wallets.example',
  logWaitingMbMax: 64,
}
const whole = { unsealer: keyFile, journalDirectory, operatorSocket, limits, ...evidence }

for (const settings of [
  whole,
  {
    ...whole,
    unsealer: { kind: 'passphrase', path: '/run/secrets/passphrase' },
    caFile: undefined,
    ownIssuer: undefined,
    consoleUrl: undefined,
    logHost: undefined,
  },
] as const satisfies readonly VaultSettings[]) {
  test(`settings for a ${settings.unsealer.kind} are read as they were given`, () => {
    expect(readSettings(settingsArgument(settings))).toEqual(settings)
  })
}

for (const [name, settings, message] of [
  ['nothing', null, 'the settings'],
  ['no unsealer', { journalDirectory, limits }, 'unsealer'],
  ['an unknown unsealer', { unsealer: { kind: 'none', path: '/a' }, journalDirectory, limits }, 'unsealer'],
  [
    'a key file that does not say whether to make it',
    { unsealer: { kind: 'keyFile', path: '/a' }, journalDirectory, limits },
    'unsealer',
  ],
  ['a relative path', { unsealer: { ...keyFile, path: 'root.key' }, journalDirectory, limits }, 'unsealer.path'],
  ['no mark directory', { unsealer: keyFile, limits }, 'journalDirectory'],
  ['no socket of the operator', { unsealer: keyFile, journalDirectory, limits }, 'operatorSocket'],
  ['no vaults', { ...whole, vaults: 0 }, 'vaults'],
  ['a relative socket of the operator', { ...whole, operatorSocket: 'vault.sock' }, 'operatorSocket'],
  ['no limits', { unsealer: keyFile, journalDirectory, operatorSocket }, 'limits'],
  [
    'a limit of 0',
    { unsealer: keyFile, journalDirectory, operatorSocket, limits: { ...limits, usersMax: 0 } },
    'limits.usersMax',
  ],
  [
    'a limit that is a text',
    { unsealer: keyFile, journalDirectory, operatorSocket, limits: { ...limits, walletsMax: '9' } },
    'walletsMax',
  ],
  [
    'a limit left out',
    { unsealer: keyFile, journalDirectory, operatorSocket, limits: { usersMax: 1 } },
    'limits.walletsMax',
  ],
  [
    'an unknown limit',
    { unsealer: keyFile, journalDirectory, operatorSocket, limits: { ...limits, horsesMax: 1 } },
    '"horsesMax"',
  ],
  ['no list of issuers', { ...whole, oidcIssuers: 'https://issuer.example' }, 'oidcIssuers'],
  ['an issuer that is no text', { ...whole, oidcIssuers: [7] }, 'oidcIssuers'],
  ['audiences that are no list', { ...whole, oidcAudiences: 'web' }, 'oidcAudiences'],
  ['an own issuer that is no text', { ...whole, ownIssuer: 7 }, 'ownIssuer'],
  ['no endpoints', { ...whole, oauth2Endpoints: undefined }, 'the providers'],
  ['a relative file of authorities', { ...whole, caFile: 'ca.pem' }, 'caFile'],
  ['no word on plain HTTP', { ...whole, loopbackHttp: undefined }, 'loopbackHttp'],
  ['no word on mails of sub-organizations', { ...whole, mailDecider: undefined }, 'mailDecider'],
  ['an unknown word on them', { ...whole, mailDecider: 'some' }, 'mailDecider'],
  ['no word on sandbox passcodes', { ...whole, sandboxPasscodes: undefined }, 'sandboxPasscodes'],
  ['an unknown member', { unsealer: keyFile, journalDirectory, limits, passphrase: 'a' }, '"passphrase"'],
  ['an unknown member of the unsealer', { unsealer: { ...keyFile, key: 'a' }, journalDirectory, limits }, '"key"'],
] as const) {
  test(`settings with ${name} are refused with the name of the member at fault`, () => {
    expect(() => readSettings(JSON.stringify(settings))).toThrow(message)
  })
}

test('settings that are missing or no JSON are refused', () => {
  expect(() => readSettings(undefined)).toThrow('the settings')
  expect(() => readSettings('{')).toThrow(SyntaxError)
})
