import { expect, test } from 'vitest'
import { readSettings, settingsArgument, type VaultSettings } from './settings.ts'

const keyFile = { kind: 'keyFile', path: '/data/vault/root.key', create: true } as const
const markDirectory = '/data/mark'

for (const settings of [
  { unsealer: keyFile, markDirectory },
  { unsealer: { kind: 'passphrase', path: '/run/secrets/passphrase' }, markDirectory },
] as const satisfies readonly VaultSettings[]) {
  test(`settings for a ${settings.unsealer.kind} are read as they were given`, () => {
    expect(readSettings(settingsArgument(settings))).toEqual(settings)
  })
}

for (const [name, settings, message] of [
  ['nothing', null, 'the settings'],
  ['no unsealer', { markDirectory }, 'unsealer'],
  ['an unknown unsealer', { unsealer: { kind: 'none', path: '/a' }, markDirectory }, 'unsealer'],
  [
    'a key file that does not say whether to make it',
    { unsealer: { kind: 'keyFile', path: '/a' }, markDirectory },
    'unsealer',
  ],
  ['a relative path', { unsealer: { ...keyFile, path: 'root.key' }, markDirectory }, 'unsealer.path'],
  ['no mark directory', { unsealer: keyFile }, 'markDirectory'],
  ['an unknown member', { unsealer: keyFile, markDirectory, passphrase: 'a' }, '"passphrase"'],
  ['an unknown member of the unsealer', { unsealer: { ...keyFile, key: 'a' }, markDirectory }, '"key"'],
] as const) {
  test(`settings with ${name} are refused by the name of what is wrong`, () => {
    expect(() => readSettings(JSON.stringify(settings))).toThrow(message)
  })
}

test('settings that are missing or no JSON are refused', () => {
  expect(() => readSettings(undefined)).toThrow('the settings')
  expect(() => readSettings('{')).toThrow(SyntaxError)
})
