import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { bundledProgram } from '../support/bundle.ts'
import { needsDebian } from '../support/debian.ts'
import { repositoryFolder } from '../support/running_server.ts'

const units = globSync('deploy/systemd/*.service', { cwd: repositoryFolder }).map((path) =>
  join(repositoryFolder, path),
)
const textOf = (name: string) => readFileSync(join(repositoryFolder, 'deploy', 'systemd', name), 'utf8')

/** The values of a key, in order. */
function valuesOf(unit: string, key: string): readonly string[] {
  const joined = textOf(unit).replaceAll(/\\\n\s*/g, '')
  return [...joined.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value)
}

test('systemd-analyze finds no fault in the units, and would say so: it exits with 0 even for an unknown key', (context) => {
  const analyze = needsDebian('systemd', context, 'systemd-analyze')
  const verify = (paths: readonly string[]) => spawnSync(analyze, ['verify', ...paths], { encoding: 'utf8' })
  expect(units.map((path) => basename(path)).toSorted()).toEqual([
    'claviger-vault.service',
    'claviger-vault@.service',
    'claviger.service',
    'claviger@.service',
  ])
  expect(verify(units)).toMatchObject({ status: 0, stdout: '', stderr: '' })

  const misspelt = join(mkdtempSync(join(tmpdir(), 'claviger-units-')), 'claviger-vault.service')
  writeFileSync(misspelt, textOf('claviger-vault.service').replace('PrivateNetwork=', 'PrivateNetworks='))
  expect(verify([misspelt])).toMatchObject({
    status: 0,
    stderr: expect.stringContaining("Unknown key 'PrivateNetworks'"),
  })
})

test('the vault has another user than the server, the same group, and no network', () => {
  const [vault, server] = ['claviger-vault.service', 'claviger.service'] as const
  expect(valuesOf(vault, 'User')).not.toEqual(valuesOf(server, 'User'))
  expect(valuesOf(vault, 'Group')).toEqual(valuesOf(server, 'Group'))
  expect(valuesOf(vault, 'PrivateNetwork')).toEqual(['yes'])
  expect(valuesOf(vault, 'RestrictAddressFamilies')).toEqual(['AF_UNIX'])
  expect(valuesOf(vault, 'StateDirectoryMode')).toEqual(['0700'])
})

test('the commands of the units have flags that exist, and both name one socket, in the folder that the vault makes', () => {
  const commands = ['claviger-vault.service', 'claviger.service'].map((unit) => valuesOf(unit, 'ExecStart').join())
  const sockets = commands.map((command) => / --(?:vault-)?socket (\S+)/.exec(command)?.[1])
  expect(new Set(sockets)).toEqual(new Set(['/run/claviger-vault/vault.sock']))
  expect(valuesOf('claviger-vault.service', 'RuntimeDirectory')).toEqual(['claviger-vault'])
  for (const command of commands) {
    const [, name = '', flags = ''] = /\.bin\/claviger (\w+) (.*)$/.exec(command) ?? []
    const help = spawnSync(process.execPath, [bundledProgram(), name, '--help'], { cwd: repositoryFolder }).stdout
    for (const [flag] of flags.matchAll(/--[\w-]+/g)) expect(help.toString(), flag).toContain(`  ${flag} <`)
  }
})

test.each(['claviger-vault', 'claviger'])(
  'the unit %s@ for a node of several is the unit for one, with the name of the node in its names',
  (name) => {
    const lines = textOf(`${name}@.service`)
      .split('\n')
      .filter((line) => !line.startsWith('#'))
    const own = 'EnvironmentFile=-/etc/claviger/settings-%i'
    expect(lines).toContain(own)
    const ofOne = lines.filter((line) => line !== own).map((line) => line.replaceAll(/ of node %i|[-@]%i/g, ''))
    const plain = textOf(`${name}.service`)
      .split('\n')
      .filter((line) => !line.startsWith('#'))
    expect(ofOne).toEqual(plain)
  },
)
