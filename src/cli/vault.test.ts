import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { vaultsOf } from '../../test/support/running_server.ts'
import { killLaunched, launch, run } from '../../test/support/server_command.ts'
import { connectVault } from '../service/vault/vault_socket.ts'

afterAll(killLaunched)

/** Folders that a vault accepts. A test makes one of them wrong. */
function folders() {
  const base = mkdtempSync(join(tmpdir(), 'claviger-vault-'))
  const [data, sockets, passphraseFile] = [join(base, 'data'), join(base, 'run'), join(base, 'passphrase')]
  for (const path of [data, sockets]) mkdirSync(path, { mode: 0o700 })
  writeFileSync(passphraseFile, 'correct horse battery staple', { mode: 0o600 })
  return { data, sockets, socket: join(sockets, 'vault.sock'), passphraseFile }
}

type Folders = ReturnType<typeof folders>

const commandOf = ({ data, socket, passphraseFile }: Folders) => {
  return ['vault', '--socket', socket, '--data', data, '--root-passphrase-file', passphraseFile]
}

/** A socket in a folder of the vault, below one of this mode. */
function below(folder: string, mode: number): string {
  const above = join(folder, 'above')
  mkdirSync(join(above, 'of'), { recursive: true, mode: 0o750 })
  chmodSync(above, mode)
  return join(above, 'of', 's')
}

async function listening(parts: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const launched = launch(parts, { environment })
  while (launched.stdout.length === 0 && launched.child.exitCode === null) await new Promise(setImmediate)
  return launched
}

test('a vault says where it listens, makes nothing else, and leaves nothing', async () => {
  const given = folders()
  const { child, stdout, ended } = await listening([...commandOf(given), '--json'])
  expect(stdout.map((line) => JSON.parse(line))).toEqual([{ event: 'ready', socket: given.socket }])
  expect(readdirSync(given.data)).toEqual(['mark'])
  expect(statSync(join(given.data, 'mark')).mode & 0o777).toBe(0o700)
  child.kill('SIGTERM')
  const { code, stderr } = await ended
  expect([code, JSON.parse(stderr)]).toMatchObject([0, { level: 'info', message: 'ready', socket: given.socket }])
  expect(readdirSync(given.sockets)).toEqual([])
})

test('the folder of its socket may lie below one in which users may change only what is theirs, such as /tmp', async () => {
  const given = folders()
  const { child, ended } = await listening(commandOf({ ...given, socket: below(given.sockets, 0o1777) }))
  child.kill('SIGTERM')
  expect((await ended).code).toBe(0)
})

test('its settings come from the environment too, and it passes over those of the server', async () => {
  const { data, socket, passphraseFile } = folders()
  const { child, stdout, ended } = await listening(['vault'], {
    CLAVIGER_DATA: data,
    CLAVIGER_VAULT_SOCKET: socket,
    CLAVIGER_ROOT_PASSPHRASE_FILE: passphraseFile,
    CLAVIGER_SMTP_URL: 'smtps://ada:hush@localhost',
  })
  expect(stdout).toEqual([`claviger: the vault listens on ${socket}`])
  child.kill('SIGINT')
  expect((await ended).code).toBe(0)
})

test('a vault that is killed takes the process with the keys along, though its server stays connected', async () => {
  const given = folders()
  const { child, ended } = await listening(commandOf(given))
  const { signal } = new AbortController()
  const server = await connectVault({ path: given.socket, dial: () => new PassThrough().destroy(), signal })
  onTestFinished(() => server.end())
  expect(vaultsOf(given.data)).toHaveLength(1)
  child.kill('SIGKILL')
  while (vaultsOf(given.data).length > 0) await sleep(20)
  await ended
})

describe('a vault does not start, and one line says how to mend it, if', () => {
  const cases: readonly (readonly [string, (given: Folders) => readonly string[] | undefined, RegExp])[] = [
    ['no socket is given', () => ['vault'], /give --socket <path>, or CLAVIGER_VAULT_SOCKET/],
    [
      'its key file is missing',
      ({ data, socket }) => ['vault', '--socket', socket, '--data', data],
      /no key file .*: copy vault\/root.key of the server or of the first node there, or set/,
    ],
    ['others may open its data folder', ({ data }) => void chmodSync(data, 0o750), /others may open .*: run chmod 700/],
    [
      'others may open the folder of its journal',
      ({ data }) => void mkdirSync(join(data, 'mark'), 0o755),
      /mark, .*chmod/,
    ],
    [
      'the folder of the socket is missing',
      (given) => commandOf({ ...given, socket: '/nowhere/s' }),
      /no folder \/nowhere/,
    ],
    [
      'others may write to that folder',
      ({ sockets }) => void chmodSync(sockets, 0o770),
      /others may write to .*: choose a folder of/,
    ],
    [
      'others may write to the folder above that folder',
      (given) => commandOf({ ...given, socket: below(given.sockets, 0o777) }),
      /others may write to .*run\/above and so put another folder in the place of .*above\/of: choose/,
    ],
    [
      'the way to that folder is a link that others may replace',
      ({ sockets, ...given }) => {
        below(sockets, 0o777)
        symlinkSync(sockets, join(sockets, 'above', 'link'))
        return commandOf({ ...given, sockets, socket: join(sockets, 'above', 'link', 's') })
      },
      /others may write to .*run\/above and so/,
    ],
    [
      'a file is in the place of the socket',
      ({ socket }) => void writeFileSync(socket, ''),
      /is not a socket: move it/,
    ],
  ]
  test.each(cases)('%s', async (_what, spoil, expected) => {
    const given = folders()
    const { code, stderr, stdout } = await run(spoil(given) ?? commandOf(given))
    expect([code, stdout]).toEqual([2, []])
    expect(stderr).toMatch(expected)
    expect(stderr).toMatch(/^claviger: .*\n$/)
  })

  test.runIf(process.getuid?.() === 0).each([
    ['the folder of its data', ({ data }) => data],
    ['the folder of its socket', ({ sockets }) => sockets],
    ['the folder above that', ({ sockets }) => dirname(sockets)],
  ] as const satisfies readonly (readonly [string, (given: Folders) => string])[])(
    'another user owns %s',
    async (_what, folderOf) => {
      const given = folders()
      chownSync(folderOf(given), 64_001, 64_001)
      const { code, stderr } = await run(commandOf(given))
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${folderOf(given)} `)])
    },
  )

  test('another vault listens there', async () => {
    const given = folders()
    const first = await listening(commandOf(given))
    const { code, stderr } = await run(commandOf({ ...folders(), socket: given.socket }))
    expect([code, stderr]).toEqual([2, `claviger: another vault listens on ${given.socket}\n`])
    first.child.kill('SIGTERM')
    expect((await first.ended).code).toBe(0)
  })
})
