import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSettings, SettingsError, settingRows } from './settings.ts'

type Environment = Readonly<Record<string, string>>

function read(environment: Environment = {}, flags: Parameters<typeof readSettings>[0]['flags'] = {}) {
  return readSettings({ flags, environment })
}

/** The message with which these are refused. */
function refusal(environment: Environment, flags: Parameters<typeof readSettings>[0]['flags'] = {}): string {
  try {
    read(environment, flags)
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError)
    return error instanceof Error ? error.message : ''
  }
  return expect.fail('nothing was refused')
}

describe('settings', () => {
  test('have defaults for everything that a first look needs', () => {
    expect(read()).toEqual({
      data: resolve('data'),
      host: '127.0.0.1',
      port: 8787,
      publicUrl: undefined,
      rootPassphraseFile: undefined,
      wireDialect: 'spec',
      markDirectory: resolve('data', 'mark'),
      logLevel: 'info',
    })
  })

  test('are taken from the flag before the environment before the default', () => {
    expect(read({ CLAVIGER_PORT: '1' }, { port: '2' }).port).toBe(2)
    expect(read({ CLAVIGER_PORT: '1' }).port).toBe(1)
  })

  test('that are paths are absolute, and the mark follows the data folder', () => {
    const { data, markDirectory } = read({ CLAVIGER_DATA: 'elsewhere' })
    expect([data, markDirectory]).toEqual([resolve('elsewhere'), join(resolve('elsewhere'), 'mark')])
    expect(read({ CLAVIGER_MARK_DIR: '/mark' }).markDirectory).toBe('/mark')
  })

  test('of others and of tests are left alone', () => {
    expect(read({ CLAVIGER_TEST_ALL: '1', CLAVIGER_TEST_ANYTHING: '1', PATH: '/bin', CLAVIGERX: '1' }).port).toBe(8787)
  })

  test('have one row each: no flag and no variable twice', () => {
    expect(new Set(settingRows.map(({ flag }) => flag)).size).toBe(settingRows.length)
    expect(new Set(settingRows.map(({ variable }) => variable)).size).toBe(settingRows.length)
  })

  for (const [value, port] of [
    ['0', 0],
    ['1', 1],
    ['65535', 65_535],
  ] as const) {
    test(`take the port ${value}`, () => expect(read({ CLAVIGER_PORT: value }).port).toBe(port))
  }
})

describe('a setting that cannot be used is refused by its name:', () => {
  for (const [variable, value] of [
    ['CLAVIGER_PORT', '65536'],
    ['CLAVIGER_PORT', '-1'],
    ['CLAVIGER_PORT', '1e3'],
    ['CLAVIGER_PORT', '0x10'],
    ['CLAVIGER_PORT', ' 80'],
    ['CLAVIGER_WIRE_DIALECT', 'Hosted'],
    ['CLAVIGER_LOG_LEVEL', 'loud'],
    ['CLAVIGER_PUBLIC_URL', 'example.com'],
    ['CLAVIGER_PUBLIC_URL', 'ftp://example.com'],
    ['CLAVIGER_DATABASE_URL', 'postgres://localhost/claviger'],
  ] as const) {
    test(`${variable}=${JSON.stringify(value)}`, () => expect(refusal({ [variable]: value })).toContain(variable))
  }

  test('an empty passphrase file, which must not turn into the key file of development', () => {
    expect(refusal({ CLAVIGER_ROOT_PASSPHRASE_FILE: '' })).toContain('CLAVIGER_ROOT_PASSPHRASE_FILE')
  })

  test('a flag, under the name of the flag', () => expect(refusal({}, { port: 'x' })).toContain('--port'))

  test('PostgreSQL, which the message says is not supported yet, without the password in the address', () => {
    const message = refusal({ CLAVIGER_DATABASE_URL: 'postgres://user:hush@db/claviger' })
    expect(message).toContain('PostgreSQL')
    expect(message).not.toContain('hush')
  })

  test('a public address with a password, which the message does not repeat', () => {
    const message = refusal({ CLAVIGER_PUBLIC_URL: 'https://user:hush@example.com' })
    expect(message).toContain('CLAVIGER_PUBLIC_URL')
    expect(message).not.toContain('hush')
  })

  for (const [unknown, nearest] of [
    ['CLAVIGER_PROT', 'CLAVIGER_PORT'],
    ['CLAVIGER_WIRE_DIALEKT', 'CLAVIGER_WIRE_DIALECT'],
    ['CLAVIGER_DATABSE_URL', 'CLAVIGER_DATABASE_URL'],
    ['CLAVIGER_TEST', 'CLAVIGER_DATA'],
  ] as const) {
    test(`the unknown ${unknown}, with ${nearest} as the nearest known one`, () => {
      const message = refusal({ [unknown]: '1' })
      expect(message).toContain(unknown)
      expect(message).toContain(nearest)
    })
  }
})

test('the database may be named as the embedded one', () => {
  expect(read({ CLAVIGER_DATABASE_URL: 'sqlite:' }).port).toBe(8787)
})
